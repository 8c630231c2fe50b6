package gpu

import (
	"fmt"
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
