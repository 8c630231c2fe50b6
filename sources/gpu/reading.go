package gpu

import (
	"math"
	"strconv"
	"strings"

	"benchtop/model"
)

// A Reader is one way to get at the GPUs of a machine.
//
// Read appends to dst one Reading for each GPU and returns promptly, at the
// latest after a few hundred milliseconds, whether or not the driver answers:
// a GPU that did not answer in time is there with its last values and Held
// set. An error with readings is a condition to show beside them; an error
// without readings means there is nothing to show. An error that wraps ErrDown
// means that this Reader will give nothing more and another must be opened.
//
// Close never waits for a call that is stuck. Read and Close are called from
// one goroutine.
type Reader interface {
	Read(dst []Reading) ([]Reading, error)
	Close() error
}

// Condition is how a GPU is doing, as the state key of the NDJSON and the
// series gpu_state have it.
type Condition uint8

// The conditions of a GPU.
const (
	OK     Condition = iota
	Stale            // it has not answered for three polls
	Denied           // we may not read it
	Lost             // it fell off the bus or needs a reset
)

var conditionNames = [...]string{"ok", "stale", "denied", "lost"}

// String is the word in the NDJSON.
func (c Condition) String() string {
	if int(c) < len(conditionNames) {
		return conditionNames[c]
	}
	return "unknown"
}

// Reading is what one GPU said at one instant. A field is there only if its
// validity bit is set; the zero Reading has none.
type Reading struct {
	At    model.Instant // when the values were measured
	Index int           // the backend's index, from 0
	// Instance is 0 for a whole GPU, else the number of one of its MIG devices,
	// from 1: the values are that instance's own, and what it does not have
	// (clocks, power, temperature, reasons) is the whole GPU's.
	Instance int
	UUID     string // "" if not known
	Name     string // product name, "" if not known
	Driver   string // driver version, "" if not known; not part of the NDJSON
	State    Condition
	Memory   MemoryKind // whose memory MemUsed and MemTotal are
	Stock    float64    // W, the power limit that the card is made with; 0 if not known
	// Held says that nothing was measured since the reading before this one:
	// the values are those of At. A held reading says how the GPU is at Polled,
	// not what it reads.
	Held   bool
	Polled model.Instant // when a held reading was asked for; else unused
	// Xids are events that the driver told since the reading before this one,
	// and Processes who has memory of the GPU; nil in the readings between, for
	// they are asked for now and then. Nobody writes to either once it is set.
	Xids      []int
	Processes []Process
	// Faults are what went wrong since it was last asked for, every 10 s or so;
	// nil in the readings between.
	Faults []Fault
	valid  uint64
	old    uint64 // fields whose values are of an earlier reading, in one that is not all held
	value  [NumFields]float64
	code   [NumFields]Code
}

// Label names the GPU or the instance of one as nvidia-smi does: 0, or 0/1.
func (r *Reading) Label() string {
	if r.Instance == 0 {
		return strconv.Itoa(r.Index)
	}
	return strconv.Itoa(r.Index) + "/" + strconv.Itoa(r.Instance-1)
}

// slot tells the GPUs and instances of one reader apart, as far as indexes do.
func (r *Reading) slot() int { return r.Index | r.Instance<<model.GPUInstanceShift }

// Set stores a value, in the field's unit, unless it can't be one: not finite,
// negative or zero where that only shows a missing sensor.
func (r *Reading) Set(f Field, v float64) {
	is := fields[f].is
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0),
		v == 0 && is&mayBeZero == 0,
		v < 0 && is&mayBeBelow0 == 0:
		r.Unset(f)
		return
	}
	r.valid |= 1 << f
	r.old &^= 1 << f
	r.value[f] = v
	r.code[f] = 0
}

// Unset removes a value.
func (r *Reading) Unset(f Field) {
	r.valid &^= 1 << f
	r.old &^= 1 << f
	r.value[f], r.code[f] = 0, 0
}

// Fail records that asking for a field failed, and how. A card that just does
// not have the reading has not failed: the field is then only absent.
func (r *Reading) Fail(f Field, c Code) {
	r.Unset(f)
	if !c.absent() {
		r.code[f] = c
	}
}

// Has reports whether the field was read.
func (r *Reading) Has(f Field) bool { return r.valid&(1<<f) != 0 }

// fresh reports whether the field was read for this reading, not an earlier one.
func (r *Reading) fresh(f Field) bool { return !r.Held && r.Has(f) && r.old&(1<<f) == 0 }

// when is the instant that the reading is news of.
func (r *Reading) when() model.Instant {
	if r.Held && r.Polled != 0 {
		return r.Polled
	}
	return r.At
}

// fill takes over the values of an earlier reading for what r does not have.
func (r *Reading) fill(last *Reading) {
	for f := range Field(NumFields) {
		if !r.Has(f) && r.code[f] == 0 && last.Has(f) {
			r.Set(f, last.value[f])
			r.old |= 1 << f
			if f == MemTotal {
				r.Memory = last.Memory
			}
		}
	}
}

// Get is the field's value in its unit, NaN if it was not read.
func (r *Reading) Get(f Field) float64 {
	if !r.Has(f) {
		return math.NaN()
	}
	return r.value[f]
}

// says reports whether two readings say the same, at whatever times.
func (r *Reading) says(o *Reading) bool {
	return r.Index == o.Index && r.Instance == o.Instance && r.UUID == o.UUID && r.Name == o.Name && r.Driver == o.Driver && r.State == o.State && r.Memory == o.Memory && r.Stock == o.Stock &&
		r.Held == o.Held && r.valid == o.valid && r.old == o.old && r.value == o.value && r.code == o.code
}

// Err is the code with which asking for the field failed, 0 if it did not.
func (r *Reading) Err(f Field) Code { return r.code[f] }

// Count is how many fields were read.
func (r *Reading) Count() int {
	n := 0
	for f := range Field(NumFields) {
		if r.Has(f) {
			n++
		}
	}
	return n
}

// freeze makes r the last word on a GPU that no longer answers: its values
// stay, held, and each is marked with the code it now answers.
func (r *Reading) freeze(state Condition, c Code) {
	r.State, r.Held = state, true
	for f := range Field(NumFields) {
		if r.Has(f) {
			r.code[f] = c
		}
	}
}

// Code is an NVML return code.
type Code uint16

// The return codes that something here depends on.
const (
	CodeNotSupported     Code = 3
	CodeNoPermission     Code = 4
	CodeDriverNotLoaded  Code = 9
	CodeNoLibrary        Code = 12
	CodeFunctionNotFound Code = 13
	CodeLost             Code = 15
	CodeResetRequired    Code = 16
	CodeMismatch         Code = 18
	CodeDeprecated       Code = 26
	CodeUnknown          Code = 999
)

// codeNames are the names of nvml.h, without NVML_ERROR_.
var codeNames = map[Code]string{
	1: "UNINITIALIZED", 2: "INVALID_ARGUMENT", 3: "NOT_SUPPORTED", 4: "NO_PERMISSION",
	5: "ALREADY_INITIALIZED", 6: "NOT_FOUND", 7: "INSUFFICIENT_SIZE", 8: "INSUFFICIENT_POWER",
	9: "DRIVER_NOT_LOADED", 10: "TIMEOUT", 11: "IRQ_ISSUE", 12: "LIBRARY_NOT_FOUND",
	13: "FUNCTION_NOT_FOUND", 14: "CORRUPTED_INFOROM", 15: "GPU_IS_LOST", 16: "RESET_REQUIRED",
	17: "OPERATING_SYSTEM", 18: "LIB_RM_VERSION_MISMATCH", 19: "IN_USE", 20: "MEMORY", 21: "NO_DATA",
	22: "VGPU_ECC_NOT_SUPPORTED", 23: "INSUFFICIENT_RESOURCES", 24: "FREQ_NOT_SUPPORTED",
	25: "ARGUMENT_VERSION_MISMATCH", 26: "DEPRECATED", 27: "NOT_READY", 28: "GPU_NOT_FOUND",
	29: "INVALID_STATE", 30: "RESET_TYPE_NOT_SUPPORTED", 999: "UNKNOWN",
}

// String is the code's name in nvml.h without NVML_ERROR_; UNKNOWN for a code
// that this header did not have.
func (c Code) String() string {
	if n, ok := codeNames[c]; ok {
		return n
	}
	return "UNKNOWN"
}

// codeByName is String's inverse; it takes the prefixes that others write.
func codeByName(s string) Code {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "NVML_"), "ERROR_")
	for c, n := range codeNames {
		if n == s {
			return c
		}
	}
	return CodeUnknown
}

// absent reports whether the code says that there is no such reading here, as
// opposed to a failure to read it.
func (c Code) absent() bool {
	switch c {
	case 0, CodeNotSupported, CodeFunctionNotFound, CodeDeprecated, 25:
		return true
	}
	return false
}

// gone reports whether the code says that the whole GPU is gone.
func (c Code) gone() bool { return c == CodeLost || c == CodeResetRequired }
