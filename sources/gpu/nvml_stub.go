//go:build !linux || !cgo

package gpu

// openNVML says that this build has no NVML.
func openNVML(Options) (Reader, error) { return nil, errNotBuilt }
