package gpu

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
)

// MemoryKind says whose memory it is that a GPU works in.
type MemoryKind uint8

// The kinds of memory, with the numbers of the series gpu_mem_kind.
const (
	MemoryOwn    MemoryKind = iota // the device's
	MemoryShared                   // the machine's: the CPU works in it too, and all that runs there counts as used
	MemoryKernel                   // the device's, but run by the kernel as a node of its own: pages may stay after their process
)

var memoryNames = [...]string{MemoryOwn: "", MemoryShared: "shared", MemoryKernel: "kernel"}

// String is the word in the NDJSON, "" for the device's own.
func (k MemoryKind) String() string {
	if int(k) < len(memoryNames) {
		return memoryNames[k]
	}
	return ""
}

// memoryByName is String's inverse; a word it does not know is the device's own.
func memoryByName(s string) MemoryKind {
	for k, n := range memoryNames {
		if n == s {
			return MemoryKind(k)
		}
	}
	return MemoryOwn
}

// sharedNames are parts of the names of GPUs that have no memory of their own.
var sharedNames = [...]string{"GB10", "Orin", "Thor", "Tegra", "Xavier", "nvgpu"}

// sharesMemory reports whether a GPU of this name works in the machine's memory.
func sharesMemory(name string) bool {
	for _, s := range sharedNames {
		for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '(' || r == ')' }) {
			if word == s {
				return true
			}
		}
	}
	return false
}

// errNoMemInfo says that a meminfo file has not the two figures.
var errNoMemInfo = errors.New("no MemTotal and MemAvailable")

// systemMemory is the machine's memory in MiB by the meminfo file in proc; what
// is not available is in use.
func systemMemory(proc string) (used, total float64, err error) {
	b, err := os.ReadFile(proc + "/meminfo")
	if err != nil {
		return 0, 0, err
	}
	total, okTotal := memInfo(b, "MemTotal:")
	free, okFree := memInfo(b, "MemAvailable:")
	if !okTotal || !okFree || free > total || total == 0 {
		return 0, 0, errNoMemInfo
	}
	return total - free, total, nil
}

// memInfo is one figure of a meminfo file in MiB.
func memInfo(b []byte, key string) (mibs float64, ok bool) {
	for line := range bytes.Lines(b) {
		words := bytes.Fields(line)
		if len(words) == 3 && string(words[0]) == key && string(words[2]) == "kB" {
			kib, err := strconv.ParseUint(string(words[1]), 10, 64)
			return float64(kib) / 1024, err == nil
		}
	}
	return 0, false
}

// share makes the machine's memory the GPU's, which has none of its own.
func (r *Reading) share(proc string) {
	used, total, err := systemMemory(proc)
	if err != nil {
		return
	}
	r.Memory = MemoryShared
	r.Set(MemUsed, used)
	r.Set(MemTotal, total)
}

// kernelRuns reports whether the kernel runs the memory of the GPU on that bus
// as a node of its own, by the file that the driver has for such GPUs.
func kernelRuns(proc, bus string) bool {
	domain, rest, ok := strings.Cut(bus, ":")
	if !ok {
		return false
	}
	if len(domain) > 4 { // NVML has 8 digits, the driver's folder 4
		domain = domain[len(domain)-4:]
	}
	b, err := os.ReadFile(proc + "/driver/nvidia/gpus/" + strings.ToLower(domain+":"+rest) + "/numa_status")
	if err != nil {
		return false
	}
	for line := range bytes.Lines(b) {
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && string(bytes.ToLower(bytes.TrimSpace(key))) == "status" {
			return string(bytes.ToLower(bytes.TrimSpace(value))) == "online"
		}
	}
	return false
}
