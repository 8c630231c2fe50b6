package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"benchtop/model"
)

// Level says how much a flag weighs.
type Level string

// The levels of flags.
const (
	Pass    Level = "pass"
	Warn    Level = "warn"  // lowers a verdict to suspected
	Block   Level = "block" // there is no verdict
	Unknown Level = "unknown"
)

// Flag is one check of whether the runs may be compared at all.
type Flag struct {
	ID    string `json:"id"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
}

// Limits are the numbers that checks and gates compare with.
type Limits struct {
	Throughput float64 // spread of repeats allowed for throughput
	P99        float64 // and for P99
	Refuse     float64 // spread above which there is no comparison
	Length     float64 // difference of mean prompt and output lengths
	StartTemp  float64 // degrees between the arms' start temperatures
	Loss       float64 // share of failed requests that makes a run's numbers useless
	Alpha      float64 // of the test
	Same       float64 // "no difference" is claimed only within this
	Repeats    int     // fewest runs of an arm
	CrossTool  float64 // two clients of one server agree within this
}

// DefaultLimits are the documents' and diagnosis' numbers.
func DefaultLimits() Limits {
	return Limits{
		Throughput: 0.03, P99: 0.05, Refuse: 0.05, Length: 0.02, StartTemp: 5, Loss: 0.2, Alpha: 0.05, Same: 0.03, Repeats: 3, CrossTool: 0.05,
	}
}

// identity are the facts that must be the same for two runs to be of one
// machine and model. The rest of the facts may differ without a word.
var identity = []string{"model", "gpus", "gpu_driver", "engine", "engine_version", "host", "kernel", "cpu_governor", "tool", "precision", "power_limit_w", "config_sha256", "payload_sha256"}

// derived are settings that follow from others: that they differ is no second
// change.
var derived = map[string]bool{"kv_tokens": true, "duration_s": true, "slots": true}

// difference is one thing in which two arms are not alike.
type difference struct {
	name, a, b string
	fact       bool
}

func (d difference) String() string { return fmt.Sprintf("%s %s → %s", d.name, d.a, d.b) }

// differences lists settings and identity facts in which two arms differ.
func differences(a, b *Arm) []difference {
	var out []difference
	names := map[string]bool{}
	for _, arm := range []*Arm{a, b} {
		for i := range arm.Runs {
			for n := range arm.Runs[i].Settings {
				names[n] = !derived[n]
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if !names[n] {
			continue
		}
		x, y := settings(a, n), settings(b, n)
		if x != y {
			out = append(out, difference{n, x, y, false})
		}
	}
	for _, n := range identity {
		x, y := facts(a, n), facts(b, n)
		if x != y && x != "" && y != "" {
			out = append(out, difference{n, x, y, true})
		}
	}
	return out
}

// settings prints an arm's values of a setting, "not said" if no run has it.
func settings(a *Arm, name string) string {
	seen := map[string]bool{}
	for i := range a.Runs {
		if v, ok := a.Runs[i].Settings[name]; ok {
			seen[fmt.Sprintf("%g", v)] = true
		}
	}
	if len(seen) == 0 {
		return "not said"
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " or ")
}

func facts(a *Arm, name string) string {
	seen := map[string]bool{}
	for i := range a.Runs {
		if v := a.Runs[i].Facts[name]; v != "" {
			seen[v] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " or ")
}

// checks judges whether two arms may be compared.
func checks(a, b *Arm, o Order, lim Limits) []Flag {
	var out []Flag
	add := func(id string, l Level, format string, args ...any) {
		out = append(out, Flag{id, l, fmt.Sprintf(format, args...)})
	}
	fingerprint(a, b, add)
	lengths(a, b, lim, add)
	losses(a, b, lim, add)
	switch {
	case o.Interleaved:
		add("order", Pass, "runs are interleaved (%s): drift falls on every arm alike", o.Sequence)
	case o.Blocked:
		add("order", Warn, "runs are in blocks (%s): what drifts with time (heat, other jobs) looks like the change; run them as %s", o.Sequence, strings.Repeat("AB", max(2, len(a.Runs))))
	case len(a.Runs)+len(b.Runs) > 2:
		add("order", Warn, "the order %s is neither interleaved nor in blocks: drift is only partly cancelled", o.Sequence)
	default:
		add("order", Unknown, "one run of each: nothing tells drift from the change")
	}
	temperature(a, b, lim, add)
	intervals(a, b, add)
	warm(a, b, add)
	verdicts(a, b, add)
	return out
}

type adder func(id string, l Level, format string, args ...any)

func fingerprint(a, b *Arm, add adder) {
	d := differences(a, b)
	var names, identical []string
	who := 0
	for _, x := range d {
		names = append(names, x.String())
		if x.fact {
			who++
		}
	}
	for _, n := range []string{"model", "gpus"} {
		if facts(a, n) == "" || facts(b, n) == "" {
			identical = append(identical, n)
		}
	}
	switch {
	case len(d) > 1 && who > 0:
		add("fingerprint", Block, "not a controlled comparison: %s", strings.Join(names, "; "))
	case len(d) > 1:
		add("fingerprint", Warn, "not a controlled comparison, %d settings differ: %s; the difference can't be put down to one of them", len(d), strings.Join(names, "; "))
	case len(d) == 1:
		add("fingerprint", Pass, "one thing differs: %s", names[0])
	case a.Runs[0].Change != b.Runs[0].Change:
		add("fingerprint", Pass, "only the declared change differs: %s", cmp.Or(b.Runs[0].Change, a.Runs[0].Change))
	default:
		add("fingerprint", Pass, "no setting differs, as far as the runs say")
	}
	if len(identical) > 0 {
		add("fingerprint_gaps", Unknown, "not told by every run: %s", strings.Join(identical, ", "))
	}
}

func lengths(a, b *Arm, lim Limits, add adder) {
	said := false
	for _, id := range []string{"client_input_tokens", "client_output_tokens"} {
		x, y := a.values(id), b.values(id)
		if len(x) < len(a.Runs) || len(y) < len(b.Runs) {
			continue
		}
		said = true
		mx, my := medianOf(x), medianOf(y)
		limit := max(lim.Length, 2*SpreadOf(x).Max, 2*SpreadOf(y).Max)
		if m, _ := Find(id); mx > 0 && math.Abs(my/mx-1) > limit {
			add("lengths", Block, "%s differ: %.4g against %.4g (%+.0f %%): longer requests take longer whatever was changed", m.Title, mx, my, 100*(my/mx-1))
			return
		}
	}
	if said {
		add("lengths", Pass, "prompt and output lengths are the same within %.0f %%", 100*lim.Length)
	} else {
		add("lengths", Unknown, "the load stream tells no token counts: that the lengths were the same is not checked")
	}
}

func losses(a, b *Arm, lim Limits, add adder) {
	for _, arm := range []*Arm{a, b} {
		for i := range arm.Runs {
			r := &arm.Runs[i]
			if v := r.Value(FailedShare); v >= lim.Loss {
				add("losses", Block, "%.0f %% of the requests of %s failed: fix that first", 100*v, r.name())
				return
			}
		}
	}
	for _, arm := range []*Arm{a, b} {
		for i := range arm.Runs {
			if r := &arm.Runs[i]; r.Failed > 0 {
				add("losses", Warn, "%s had %.0f failed requests of %.0f: capacity can't be read from it", r.name(), r.Failed, r.Done)
				return
			}
		}
	}
	add("losses", Pass, "no run lost requests")
}

func (r *Row) name() string {
	return cmp.Or(r.Run, fmt.Sprintf("round %d", r.Round))
}

func temperature(a, b *Arm, lim Limits, add adder) {
	x, y := a.values(StartTemp), b.values(StartTemp)
	if len(x) == 0 || len(y) == 0 {
		add("start_temp", Unknown, "no GPU temperature: whether the runs began alike is not known")
		return
	}
	mx, my := medianOf(x), medianOf(y)
	if d := math.Abs(mx - my); d > lim.StartTemp {
		add("start_temp", Warn, "start temperatures differ: %.0f against %.0f °C (more than %.0f); let the GPU cool to the same before each run", mx, my, lim.StartTemp)
		return
	}
	add("start_temp", Pass, "start temperatures are alike: %.0f and %.0f °C", mx, my)
}

// intervals compares how often the GPU was read: two rates catch different
// patterns.
func intervals(a, b *Arm, add adder) {
	x, y := facts(a, "gpu_interval"), facts(b, "gpu_interval")
	if x != "" && y != "" && x != y {
		add("sampling", Warn, "the GPU was read every %s against %s: maxima and short dips are not comparable", x, y)
	}
}

func warm(a, b *Arm, add adder) {
	var cold []string
	for _, arm := range []*Arm{a, b} {
		for i := range arm.Runs {
			if r := &arm.Runs[i]; !r.Warm {
				cold = append(cold, r.name())
			}
		}
	}
	if len(cold) > 0 {
		add("warm_up", Warn, "warm-up was not seen to end in %s", list(cold, 3))
		return
	}
	add("warm_up", Pass, "figures are taken after warm-up in every run")
}

func verdicts(a, b *Arm, add adder) {
	var bad, open []string
	for _, arm := range []*Arm{a, b} {
		for i := range arm.Runs {
			switch r := &arm.Runs[i]; {
			case r.Severity != "invalid":
			case r.Verdict == model.VerdictNotEnough:
				open = append(open, r.name())
			default:
				bad = append(bad, r.name()+" ("+r.Verdict+")")
			}
		}
	}
	switch {
	case len(bad) > 0:
		add("verdicts", Block, "numbers that must not be used: %s", list(bad, 3))
	case len(open) > 0:
		add("verdicts", Warn, "no verdict was reached in %s", list(open, 3))
	}
}

// list joins the first few of many.
func list(s []string, most int) string {
	if len(s) <= most {
		return strings.Join(s, ", ")
	}
	return strings.Join(s[:most], ", ") + fmt.Sprintf(" and %d more", len(s)-most)
}
