package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// FaultKind is what went wrong at a GPU, by its name in the NDJSON.
type FaultKind string

// The kinds of faults.
const (
	FaultECCCorrected   FaultKind = "ecc_corrected"
	FaultECCUncorrected FaultKind = "ecc_uncorrected"
	FaultPCIeReplay     FaultKind = "pcie_replay"
	FaultNVLink         FaultKind = "nvlink_error"
	FaultRecovery       FaultKind = "recovery_action"
	FaultRetired        FaultKind = "memory_retired"
	FaultRemapFailure   FaultKind = "remap_failure"
)

// Fault is how often something went wrong since it was last asked for; of a
// recovery action, which one the driver wants: 1 a reset, 2 a reboot, 3 a drain,
// 4 a drain and a reset, and what newer drivers add.
type Fault struct {
	Kind  FaultKind
	Count int
}

// recoveries are the actions that a driver may want.
var recoveries = map[int]string{1: "a reset", 2: "a reboot", 3: "to be drained", 4: "to be drained and reset", 5: "its IMEX domain recovered", 6: "a reset of its bus", 7: "a reboot of the system"}

// faultWords are the words for a number of faults, and whether the run does not
// count because of them.
var faultWords = map[FaultKind]struct {
	words string
	bad   bool
}{
	FaultECCCorrected:   {"memory errors, corrected", false},
	FaultECCUncorrected: {"memory errors that could not be corrected", true},
	FaultPCIeReplay:     {"PCIe packets sent again", false},
	FaultNVLink:         {"NVLink errors", false},
	FaultRetired:        {"bad memory pages or rows were put out of use", false},
	FaultRemapFailure:   {"bad memory rows could not be put out of use", true},
}

// faultCounts are counters of faults as a backend tells them, by kind; what it
// does not tell is not there.
type faultCounts map[FaultKind]counted

// counted is a counter told in some parts.
type counted struct {
	sum   float64
	parts int
}

// add adds to the counter of a kind: some are told in parts.
func (c *faultCounts) add(kind FaultKind, n float64) {
	if *c == nil {
		*c = make(faultCounts)
	}
	was := (*c)[kind]
	(*c)[kind] = counted{was.sum + n, was.parts + 1}
}

// grown is what the counters grew by since an earlier look, nil if by nothing.
// The first look, and one after which they start over, tells nothing; nor does
// a part that was left out before.
func (c faultCounts) grown(since faultCounts) (out []Fault) {
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		if was, ok := since[kind]; ok && c[kind].parts == was.parts && c[kind].sum > was.sum {
			out = append(out, Fault{kind, int(c[kind].sum - was.sum)})
		}
	}
	return out
}

// faultLog remembers what the counters of each GPU said last. The zero faultLog
// is ready to use.
type faultLog map[string]faultCounts

// grown is what the counters of a GPU grew by since the last time.
func (l *faultLog) grown(id string, now faultCounts) []Fault {
	if len(now) == 0 {
		return nil
	}
	if *l == nil {
		*l = make(faultLog)
	}
	last := (*l)[id]
	if last == nil && len(*l) >= 2*maxGPUs { // names that change with each look
		return nil
	}
	out := now.grown(last)
	(*l)[id] = now
	return out
}

// text words a fault; ok is false for one that is not known.
func (f Fault) text() (text string, bad, ok bool) {
	if f.Kind == FaultRecovery {
		what, ok := recoveries[f.Count]
		return "needs " + what + ", by its driver", true, ok
	}
	w, ok := faultWords[f.Kind]
	return fmt.Sprintf("%d %s", f.Count, w.words), w.bad, ok
}

// appendFaults appends the faults' object, if there are any.
func appendFaults(b []byte, faults []Fault) []byte {
	for i, f := range faults {
		if i == 0 {
			b = append(b, `,"faults":{`...)
		} else {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, string(f.Kind)), ':')
		b = strconv.AppendInt(b, int64(f.Count), 10)
		if i == len(faults)-1 {
			b = append(b, '}')
		}
	}
	return b
}
