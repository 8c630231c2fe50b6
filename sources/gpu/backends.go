package gpu

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Options are what a backend may be told. The zero Options are right for the
// machine benchtop runs on.
type Options struct {
	// Library is the path of the NVML library; "" is libnvidia-ml.so.1 where the
	// system's loader finds it.
	Library string
	// SMI is the command that runs nvidia-smi, such as {"ssh", "gpu1",
	// "nvidia-smi"}; nil is nvidia-smi from the PATH.
	SMI []string
	// Every is the period of polls: 1 s if zero, never under 250 ms.
	Every time.Duration

	proc string // where procfs is, for tests; "" is /proc
	pace pace   // for tests; zero fields take the defaults
}

// pace is how long the backends wait for what.
type pace struct {
	open  time.Duration // for the driver to start, before Open returns
	grace time.Duration // for a poll to end, before Read returns what there is
	slow  time.Duration // between readings that seldom change
	again time.Duration // between questions that were answered "not supported"
	lost  time.Duration // between looks for a GPU that is lost
}

// fastest is the shortest period of polls: below it the poller is felt by what
// it watches.
const fastest = 250 * time.Millisecond

// forever is the period of what is read once.
const forever = 10 * 365 * 24 * time.Hour

// absentLimit is how many times in a row a reading may be "not supported"
// before we only ask each minute.
const absentLimit = 3

func (o Options) withDefaults() Options {
	if o.Every == 0 {
		o.Every = time.Second
	}
	o.Every = max(o.Every, fastest)
	if len(o.SMI) == 0 {
		o.SMI = []string{"nvidia-smi"}
	}
	if o.proc == "" {
		o.proc = "/proc"
	}
	for _, d := range []struct {
		at  *time.Duration
		def time.Duration
	}{
		{&o.pace.open, 1500 * time.Millisecond},
		{&o.pace.grace, 200 * time.Millisecond},
		{&o.pace.slow, 5 * time.Second},
		{&o.pace.again, time.Minute},
		{&o.pace.lost, 30 * time.Second},
	} {
		if *d.at == 0 {
			*d.at = d.def
		}
	}
	return o
}

// staleAfter is the age from which a reading is stale: three polls.
func (o Options) staleAfter() time.Duration { return 3 * o.Every }

// A Backend is one way to read GPUs.
type Backend struct {
	Name string // as in --gpu=NAME
	Help string // one line
	open func(Options) (Reader, error)
}

// Backends lists the backends; --gpu=auto takes the first that opens.
var Backends = []Backend{
	{"nvml", "NVIDIA's management library, in this process", openNVML},
	{"smi", "a looping nvidia-smi, where NVML can't be loaded", openSMI},
}

// ErrDown says that a Reader will give nothing more; its text says why.
var ErrDown = errors.New("gpu readings stopped")

// ErrOff is what Open answers to "off".
var ErrOff = errors.New("gpu readings are off")

// unavailable is why a backend can't be opened: one line with the next step.
type unavailable struct {
	what string // what is wrong
	next string // what the user can do
	// again says that it may work later without anybody's doing here, so that
	// it is worth trying again.
	again bool
	// definite says that another backend would fail for the same reason.
	definite bool
}

func (u *unavailable) Error() string {
	if u.next == "" {
		return u.what
	}
	return u.what + "; " + u.next
}

// mayRecover reports whether it is worth opening a backend again after err.
func mayRecover(err error) bool {
	var u *unavailable
	if errors.As(err, &u) {
		return u.again
	}
	return !errors.Is(err, ErrOff)
}

// Open opens the backend that choice names: "auto" (or ""), "off", one of
// Backends, or "dcgm:URL". name is the backend that was opened. It returns within two seconds
// even if the driver hangs: the Reader then says so until the driver answers.
// Errors are one line with the next step.
func Open(choice string, o Options) (r Reader, name string, err error) {
	switch choice {
	case "off":
		return nil, "off", ErrOff
	case "", "auto":
		return openFirst(Backends, o.withDefaults())
	}
	if url, ok := strings.CutPrefix(choice, "dcgm:"); ok {
		return openDCGM(url, o.withDefaults()), "dcgm", nil
	}
	for _, b := range Backends {
		if b.Name == choice {
			r, err = b.open(o.withDefaults())
			return r, b.Name, err
		}
	}
	return nil, "", &unavailable{what: fmt.Sprintf("unknown GPU source %q: use auto, nvml, smi, dcgm:URL, file:PATH or off", choice)}
}

// openFirst opens the first backend that opens. If none does, the error is that
// of the first one that is in this build: it knows most.
func openFirst(backends []Backend, o Options) (Reader, string, error) {
	var first *unavailable
	for _, b := range backends {
		r, err := b.open(o)
		if err == nil {
			return r, b.Name, nil
		}
		var u *unavailable
		if !errors.As(err, &u) || u.again || u.definite {
			return nil, b.Name, err // the driver is there but not well: no other way leads round it
		}
		if first == nil || first == errNotBuilt {
			first = u
		}
	}
	if first == nil {
		return nil, "", errNotBuilt
	}
	return nil, "", &unavailable{what: first.what, next: "nothing else here reads GPUs; showing no GPU rows (--gpu=file:PATH reads a saved run, --gpu=off hides this)"}
}

// errNotBuilt is the answer of a build without cgo, or for another system.
var errNotBuilt = &unavailable{what: "built without NVML, which needs Linux and a build with cgo", next: "use --gpu=smi or --gpu=file:PATH"}
