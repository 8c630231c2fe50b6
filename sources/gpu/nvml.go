//go:build linux && cgo

package gpu

import (
	"errors"
	"fmt"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/dl"
	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// nvmlReader reads all GPUs through NVML. Each GPU has a watchdog that polls
// it; library-wide calls have one of their own.
type nvmlReader struct {
	o      Options
	api    nvml.Interface
	lib    watchdog
	events events
	opened <-chan struct{} // closed when load has returned

	// Set by load, read only after opened is closed.
	err    error
	has    map[string]bool
	driver string
	gpus   []*nvmlGPU
}

const defaultLibrary = "libnvidia-ml.so.1"

// openNVML loads the library and counts the GPUs. If that takes long the
// Reader is returned all the same, and says so.
func openNVML(o Options) (Reader, error) {
	n := &nvmlReader{o: o}
	if n.o.Library == "" {
		n.o.Library = defaultLibrary
	}
	n.api = nvml.New(nvml.WithLibraryPath(n.o.Library))
	n.opened = n.lib.start(n.load)
	if waitAll(o.pace.open, n.opened) {
		if err := n.failed(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// errStarting says that loading the driver takes long.
var errStarting = errors.New("NVML has not answered yet: the driver is starting up or stuck (does nvidia-smi answer?)")

// failed is why load failed, nil if it did not. Only once opened is closed.
func (n *nvmlReader) failed() error {
	if s := n.lib.panicked(); s != "" && n.err == nil && n.gpus == nil {
		n.err = &unavailable{what: "NVML: " + s}
	}
	return n.err
}

func (n *nvmlReader) load() {
	if ret := n.api.Init(); ret != nvml.SUCCESS {
		n.err = explain(Code(ret), n.o.Library)
		return
	}
	// A function the library lacks ends the process when it is called, so each
	// is looked up before anything else is done.
	n.has = make(map[string]bool)
	for _, s := range symbols() {
		n.has[s] = n.api.Extensions().LookupSymbol(s) == nil
	}
	count, ret := n.api.DeviceGetCount()
	switch {
	case ret != nvml.SUCCESS:
		n.err = explain(Code(ret), n.o.Library)
	case count <= 0:
		n.err = &unavailable{what: "NVML works but no GPU is visible", next: "in a container, start it with --gpus all (NVIDIA_VISIBLE_DEVICES)", definite: true}
	}
	if n.err != nil {
		return // not shut down: starting it again and again leaks file descriptors
	}
	if n.has["nvmlSystemGetDriverVersion"] {
		if v, ret := n.api.SystemGetDriverVersion(); ret == nvml.SUCCESS {
			n.driver = v
		}
	}
	n.events.open(n)
	now := time.Now()
	for i := range count {
		n.gpus = append(n.gpus, newNVMLGPU(n, i, now))
	}
}

// explain is the one line for a code with which NVML refuses to start.
func explain(c Code, library string) error {
	switch c {
	case CodeNoLibrary:
		why := library + " not found"
		if err := dl.New(library, dl.RTLD_LAZY|dl.RTLD_GLOBAL).Open(); err != nil {
			why = err.Error()
		}
		return &unavailable{
			what: fmt.Sprintf("no NVML library found (%s): no NVIDIA driver here, or a container started without --gpus and the utility capability", why),
			next: "showing no GPU rows (try --gpu=smi)",
		}
	case CodeDriverNotLoaded:
		return &unavailable{what: "NVML: driver not loaded", next: "load it (modprobe nvidia, or nvidia-smi as root once); trying again", again: true}
	case CodeMismatch:
		return &unavailable{what: "NVML: driver and library versions differ", next: "reboot or reload the driver; trying again", again: true}
	case CodeUnknown:
		return &unavailable{what: "NVML: unknown error: a container loses its devices when the host runs systemctl daemon-reload", next: "the container must be restarted", again: true}
	case CodeNoPermission:
		return &unavailable{what: "NVML: no permission to open /dev/nvidia*", next: "check its mode, or the container's device rules", definite: true}
	}
	return &unavailable{what: fmt.Sprintf("NVML does not start: %s (%d)", c, c), next: "does nvidia-smi work? trying again", again: true}
}

// Read implements Reader. It starts a poll on each GPU that is idle and waits a
// moment for those, never for one that is stuck.
func (n *nvmlReader) Read(dst []Reading) ([]Reading, error) {
	select {
	case <-n.opened:
	default:
		return dst, errStarting
	}
	if err := n.failed(); err != nil {
		return dst, fmt.Errorf("%w: %w", ErrDown, err)
	}
	now := time.Now()
	polls := make([]<-chan struct{}, 0, len(n.gpus))
	for _, g := range n.gpus {
		polls = append(polls, g.poll(now))
	}
	polls = append(polls, n.events.poll())
	waitAll(n.o.pace.grace, polls...)
	now = time.Now()
	unknown, barren := 0, 0
	var err error
	for _, g := range n.gpus {
		if g.unknown.Load() >= absentLimit {
			unknown++
		}
		if g.barren.Load() >= absentLimit {
			barren++
		}
		if s := g.dog.panicked(); s != "" {
			err = fmt.Errorf("GPU %d: %s", g.index, s)
		}
	}
	for _, g := range n.gpus {
		r := g.shelf.take(now, n.o.staleAfter())
		if g.unknown.Load() >= absentLimit && unknown < len(n.gpus) {
			r.freeze(Lost, CodeUnknown) // the others answer, so it is this one
		}
		if n.events.set != nil {
			r.Xids = n.events.take(g.index)
		}
		dst = g.migs.take(append(dst, r), now, n.o.staleAfter())
	}
	switch {
	case unknown == len(n.gpus):
		err = explain(CodeUnknown, n.o.Library)
	case barren == len(n.gpus):
		err = fmt.Errorf("this platform gives no readings through NVML: nothing is shown for its GPU (try --gpu=off)")
	}
	return dst, err
}

// Close implements Reader. While a call is stuck the library is left as it is:
// shutting it down would block as well.
func (n *nvmlReader) Close() error {
	if n.events.dog.busy.Load() {
		return nil
	}
	for _, g := range n.gpusOrNone() {
		if g.dog.busy.Load() {
			return nil
		}
	}
	done := n.lib.start(func() {
		if n.err != nil {
			return
		}
		for _, g := range n.gpus {
			g.gpm.free(n)
			for _, in := range g.migs.list {
				in.gpm.free(n)
			}
		}
		if n.events.set != nil {
			n.events.set.Free()
		}
		n.api.Shutdown()
	})
	waitAll(n.o.pace.grace, done)
	return nil
}

// gpusOrNone is the GPUs, none while the library has not started.
func (n *nvmlReader) gpusOrNone() []*nvmlGPU {
	select {
	case <-n.opened:
		return n.gpus
	default:
		return nil
	}
}
