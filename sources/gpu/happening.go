package gpu

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"benchtop/model"
	"benchtop/sources"
)

// Process is a process that has memory of a GPU.
type Process struct {
	PID int     // as the driver numbers it: in a container these are the host's
	MiB float64 // NaN where the driver does not tell
}

// xid says what an event of the driver means to who runs a benchmark.
type xid struct {
	words string
	bad   bool // the GPU itself is in trouble: the run does not count
}

// xids are the events worth words; any other is told by its number.
var xids = map[int]xid{
	13:  {"an exception in the application's own kernel", false},
	31:  {"the application touched memory that is not its own", false},
	43:  {"the application's work was stopped after a fault of its own", false},
	45:  {"running work was cleared away, as after another error", false},
	48:  {"memory error that could not be corrected", true},
	62:  {"the GPU's own controller halted", true},
	63:  {"a bad memory row was put out of use", false},
	64:  {"a bad memory row could not be put out of use", true},
	74:  {"NVLink error", true},
	79:  {"it fell off the bus", true},
	92:  {"many corrected memory errors", false},
	94:  {"contained memory error: the application that had it is gone", true},
	95:  {"uncontained memory error: the GPU needs a reset", true},
	119: {"the GPU's firmware does not answer", true},
	120: {"error in the GPU's firmware", true},
}

// happen tells what befell the GPU: events of its driver, and processes that
// came and went.
func (k *known) happen(r *Reading, at, seen model.Instant, out *sources.Outlet) {
	for _, code := range r.Xids {
		x, ok := xids[code]
		text := fmt.Sprintf("Xid %d", code)
		if ok {
			text += ": " + x.words
		}
		k.note(r, "gpu_xid", text, x.bad, at, seen, out)
	}
	for _, f := range r.Faults {
		if text, bad, ok := f.text(); ok {
			k.note(r, "gpu_fault", text, bad, at, seen, out)
		}
	}
	if r.Processes == nil {
		return
	}
	pids := make([]int, 0, len(r.Processes))
	var say []string
	for _, p := range r.Processes {
		pids = append(pids, p.PID)
		text := "PID " + strconv.Itoa(p.PID)
		if !math.IsNaN(p.MiB) {
			text += fmt.Sprintf(" %.0f MiB", p.MiB)
		}
		say = append(say, text)
	}
	slices.Sort(pids)
	if k.asked && slices.Equal(pids, k.pids) {
		return
	}
	for _, pid := range pids {
		if k.asked && !slices.Contains(k.pids, pid) {
			k.note(r, "gpu_process", fmt.Sprintf("is used by another process, PID %d", pid), false, at, seen, out)
		}
	}
	k.asked, k.pids = true, pids
	out.Note(model.Note{At: at, Seen: seen, Kind: model.NoteRun, Name: "gpu" + r.Label() + "_processes", Text: strings.Join(say, ", ")})
}

// appendHappening appends what a reading may have beside its numbers; the keys
// are only there where there is something to say.
func (r *Reading) appendHappening(b []byte) []byte {
	for i, x := range r.Xids {
		if i == 0 {
			b = append(b, `,"xid":[`...)
		} else {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
		if i == len(r.Xids)-1 {
			b = append(b, ']')
		}
	}
	b = appendFaults(b, r.Faults)
	if len(r.Processes) == 0 {
		return b
	}
	b = append(b, `,"processes":[`...)
	for i, p := range r.Processes {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(append(b, `{"pid":`...), int64(p.PID), 10), `,"mem_mib":`...)
		if math.IsNaN(p.MiB) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, p.MiB, 'f', -1, 64)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// parseHappening reads what appendHappening writes.
func (r *Reading) parseHappening(line []byte) error {
	var keys struct {
		Xid       []int             `json:"xid"`
		Faults    map[FaultKind]int `json:"faults"`
		Processes []struct {
			PID int      `json:"pid"`
			MiB *float64 `json:"mem_mib"`
		} `json:"processes"`
	}
	if err := json.Unmarshal(line, &keys); err != nil {
		return fmt.Errorf("xid, faults, processes: %w", err)
	}
	r.Xids = keys.Xid
	for _, kind := range slices.Sorted(maps.Keys(keys.Faults)) {
		r.Faults = append(r.Faults, Fault{kind, keys.Faults[kind]})
	}
	for _, p := range keys.Processes {
		q := Process{PID: p.PID, MiB: math.NaN()}
		if p.MiB != nil {
			q.MiB = *p.MiB
		}
		r.Processes = append(r.Processes, q)
	}
	return nil
}
