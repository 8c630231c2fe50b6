package compare

import (
	"fmt"
	"math"
	"slices"
)

// Move is how one measured series differs between two arms.
type Move struct {
	ID    string  `json:"metric"`
	Title string  `json:"title"`
	Unit  string  `json:"unit"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	Share float64 `json:"share"` // B ÷ A − 1
	Dir   int     `json:"direction"`
	Seen  bool    `json:"measured"`
}

// moved compares one metric: a change counts when it is above the metric's own
// least, and above what the repeats differ by.
func moved(m Metric, a, b *Arm) Move {
	x, y := a.values(m.ID), b.values(m.ID)
	out := Move{ID: m.ID, Title: m.Title, Unit: m.Unit, A: medianOf(x), B: medianOf(y), Share: math.NaN(), Seen: len(x) > 0 && len(y) > 0}
	if !out.Seen {
		return out
	}
	if out.A != 0 {
		out.Share = out.B/out.A - 1
	}
	d := math.Abs(out.B - out.A)
	noise := max(reach(x, out.A), reach(y, out.B))
	if d > m.Floor && d > m.Least*math.Abs(out.A) && d > noise {
		out.Dir = 1
		if out.B < out.A {
			out.Dir = -1
		}
	}
	return out
}

// reach is the largest distance of values from their median.
func reach(v []float64, mid float64) float64 {
	far := 0.0
	for _, x := range v {
		far = max(far, math.Abs(x-mid))
	}
	return far
}

// alsoMoved lists every measured series whose level changed, the largest first,
// but those a run is judged by.
func alsoMoved(a, b *Arm) []Move {
	ids := map[string]bool{}
	for _, arm := range []*Arm{a, b} {
		for i := range arm.Runs {
			for id := range arm.Runs[i].Values {
				ids[id] = true
			}
		}
	}
	var out []Move
	for id := range ids {
		m, ok := Find(id)
		if !ok || m.Effect || twice[id] {
			continue
		}
		if v := moved(m, a, b); v.Dir != 0 {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(x, y Move) int {
		if c := cmpDesc(weight(x), weight(y)); c != 0 {
			return c
		}
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	return out
}

func weight(m Move) float64 {
	if math.IsNaN(m.Share) || m.A == 0 {
		return math.Inf(1)
	}
	return math.Abs(m.Share)
}

func cmpDesc(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// twice are series that another metric already stands for.
var twice = map[string]bool{
	"client_in_flight": true, "client_ok": true, "client_sent": true, "client_target": true, "client_gauge_in_flight": true, "client_ttft": true, "client_tpot": true,
	"gpu_held_sw_power_cap": true, "gpu_held_sw_thermal": true, "gpu_held_hw_thermal": true, "gpu_power_instant": true, "gpu_state": true, "gpu_energy": true,
	"server_gen_tps": true, "server_gen_tokens": true, "server_prompt_tps": true, "server_prompt_tokens": true, "server_latency": true, "server_ttft": true,
	"server_finished": true, "server_started": true, "host_segs_out": true, "gpu_max_sm_clock": true, "gpu_mem_total": true, "gpu_margin": true,
}

// Arrow says how two steps of a chain hang together.
type Arrow string

// The arrows.
const (
	Solid   Arrow = "solid"   // both moved, in the direction the chain says
	Dashed  Arrow = "dashed"  // one of them was not measured
	Crossed Arrow = "crossed" // one of them did not move, or moved the other way
)

// Link is a step of a chain and the arrow that leads to it.
type Link struct {
	Arrow Arrow  `json:"arrow"`
	Move  Move   `json:"move"`
	Text  string `json:"text"`
}

// Chain is one way from the change to the effect.
type Chain struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Links  []Link `json:"links"`
	Holds  bool   `json:"holds"`    // every arrow is solid
	Voided bool   `json:"voided"`   // an arrow is crossed
	Open   bool   `json:"not_seen"` // an arrow is dashed, none crossed
}

// step is a metric of a chain and the direction in which it must move for the
// effect to fall. The reverse direction explains a rise.
type step struct {
	id  string
	dir int // 1: rises when throughput falls
}

// chains are the ways by which a change can reach throughput, in the order in
// which interference is looked for.
var chains = []struct {
	id, title string
	always    bool // also shown when none of its steps was measured
	steps     []step
}{
	{"heat", "temperature and clock", true, []step{{"gpu_temp", 1}, {HeldThermal, 1}, {Clock, -1}}},
	{"power", "power limit and clock", true, []step{{PowerOfLimit, 1}, {HeldPower, 1}, {Clock, -1}}},
	{"clock", "clock, for a reason that was not measured", false, []step{{Clock, -1}}},
	{"steps", "time of one step", true, []step{{StepTime, 1}}},
	{"batch", "requests in one step", false, []step{{"server_running", -1}, {Batch, -1}}},
	{"occupancy", "SM occupancy", true, []step{{Occupancy, -1}}},
	{"activity", "SMs with work", false, []step{{"gpu_sm_activity", -1}}},
	{"bandwidth", "memory bandwidth", true, []step{{"gpu_dram_activity", -1}}},
	{"client", "what the client sends", false, []step{{Concurrency, -1}, {"server_running", -1}}},
	{"loss", "lost requests", false, []step{{FailedShare, 1}}},
	{"neighbour", "CPU of another process", false, []step{{"host_other_cpu", 1}, {"host_server_thread", -1}}},
	{"wait", "batch wait", false, []step{{"server_batch_wait", 1}}},
}

// follow walks every chain. effect is the headline metric's move.
func follow(effect Move, a, b *Arm) []Chain {
	if effect.Dir == 0 {
		return nil
	}
	var out []Chain
	for _, c := range chains {
		k := Chain{ID: c.id, Title: c.title, Holds: true}
		anySeen := c.always
		for _, s := range c.steps {
			m, _ := Find(s.id)
			mv := moved(m, a, b)
			want := -s.dir * effect.Dir // falls with throughput: effect −1 wants +1 for a step that rises
			k.add(mv, want)
			anySeen = anySeen || mv.Seen
		}
		k.add(effect, effect.Dir)
		if anySeen && (c.id != "clock" || !slices.ContainsFunc(out, func(c Chain) bool { return c.Holds })) {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(x, y Chain) int { return rank(x) - rank(y) })
	return out
}

func rank(c Chain) int {
	switch {
	case c.Holds:
		return 0
	case c.Open:
		return 1
	}
	return 2
}

// add appends a step; its arrow also judges the step before it.
func (c *Chain) add(m Move, want int) {
	l := Link{Arrow: Solid, Move: m}
	switch {
	case !m.Seen:
		l.Arrow, l.Text = Dashed, "not measured"
	case m.Dir == 0:
		l.Arrow, l.Text = Crossed, "did not move"
	case m.Dir != want:
		l.Arrow, l.Text = Crossed, "moved the other way"
	default:
		l.Text = "moved"
	}
	if n := len(c.Links); n > 0 && l.Arrow == Solid && !c.Links[n-1].Move.Seen {
		l.Arrow = Dashed // the way to here was not seen
	}
	c.Links = append(c.Links, l)
	c.Voided = c.Voided || l.Arrow == Crossed
	c.Holds = c.Holds && l.Arrow == Solid
	c.Open = !c.Holds && !c.Voided
}

// Explained is how much of a loss the clock can account for at most.
type Explained struct {
	Effect   float64 `json:"effect"`        // change of the headline metric
	Clock    float64 `json:"clock"`         // change of the SM clock
	ClockLo  float64 `json:"clock_lo"`      // over the runs
	ClockHi  float64 `json:"clock_hi"`      // the larger loss
	Share    float64 `json:"share"`         // of the effect, at most, at an elasticity of 1
	ShareLo  float64 `json:"share_lo"`      // by the smaller clock loss
	ShareHi  float64 `json:"share_hi"`      // by the larger one
	LeftOver float64 `json:"left_over_pct"` // points of the effect that stay unexplained even by the larger one
	// Elasticity is how throughput followed the clock inside the runs, and
	// Followed the share of the effect that this makes; NaN if no run tells it.
	Elasticity float64 `json:"elasticity"`
	Followed   float64 `json:"share_by_elasticity"`
	Text       string  `json:"text"`
}

// explain bounds what the clock can explain: even if speed followed the clock
// fully, no more than its own fall.
func explain(e *Effect, a, b *Arm) *Explained {
	x, y := a.values(Clock), b.values(Clock)
	if len(x) == 0 || len(y) == 0 || math.IsNaN(e.Ratio) || e.Ratio <= -1 {
		return nil
	}
	mv := moved(mustFind(Clock), a, b)
	if mv.Dir == 0 || float64(mv.Dir)*e.Ratio <= 0 {
		return nil
	}
	c0 := medianOf(x)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range y {
		lo, hi = min(lo, v/c0-1), max(hi, v/c0-1)
	}
	if mv.Dir < 0 {
		lo, hi = hi, lo // lo is the smaller change
	}
	share := func(c float64) float64 {
		return min(1, max(0, math.Log1p(c)/math.Log1p(e.Ratio)))
	}
	out := &Explained{Effect: e.Ratio, Clock: mv.Share, ClockLo: lo, ClockHi: hi, Share: share(mv.Share), ShareLo: share(lo), ShareHi: share(hi)}
	out.LeftOver = max(0, 100*(math.Abs(e.Ratio)-math.Abs(hi)))
	out.Text = fmt.Sprintf("the SM clock changed by %+.0f %%%s, %s by %+.0f %%: even if speed followed the clock fully, that explains at most %.0f %% of it%s",
		100*mv.Share, fromTo(math.Abs(lo), math.Abs(hi), " over the runs"), e.Title, 100*e.Ratio, 100*out.Share, fromTo(out.ShareLo, out.ShareHi, ""))
	out.Elasticity, out.Followed = math.NaN(), math.NaN()
	if v := append(a.values(Elasticity), b.values(Elasticity)...); len(v) > 0 {
		out.Elasticity = medianOf(v)
		out.Followed = min(1, max(0, out.Elasticity*math.Log1p(mv.Share)/math.Log1p(e.Ratio)))
		out.Text += fmt.Sprintf("; inside the runs throughput followed the clock by a power of %.2f, which makes it %.0f %%", out.Elasticity, 100*out.Followed)
	}
	if out.LeftOver >= 1 {
		out.Text += fmt.Sprintf("; %.0f or more points stay unexplained", math.Floor(out.LeftOver+1e-9))
	}
	return out
}

// fromTo prints a range of shares in brackets, nothing if it is none.
func fromTo(lo, hi float64, of string) string {
	if hi-lo < 0.005 {
		return ""
	}
	return fmt.Sprintf(" (%.0f to %.0f %%%s)", 100*lo, 100*hi, of)
}

func mustFind(id string) Metric { m, _ := Find(id); return m }

// Contradiction says that figures of one comparison don't fit together.
type Contradiction struct {
	ID        string  `json:"id"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	Text      string  `json:"text"`
}

// tolerance of the consistency checks.
const tolerance = 0.1

// contradictions checks that work a step × steps a second = throughput, and
// that throughput and latency fit each other.
func contradictions(e *Effect, a, b *Arm) []Contradiction {
	var out []Contradiction
	batch, step := moved(mustFind(Batch), a, b), moved(mustFind(StepTime), a, b)
	if batch.Seen && step.Seen && batch.A > 0 && step.A > 0 && !math.IsNaN(e.Ratio) {
		gain := batch.B / batch.A / (step.B / step.A)
		want := e.A.Median * gain
		if math.Abs(e.B.Median/want-1) > tolerance {
			out = append(out, Contradiction{
				"work_per_step", want * e.Metric.Scale, e.B.Median * e.Metric.Scale,
				fmt.Sprintf("%.2g × the work in %.2g × the step time predicts %.0f %s, not %.0f: there are gaps between the steps, more or fewer steps, or a figure is wrong",
					batch.B/batch.A, step.B/step.A, want*e.Metric.Scale, e.Unit, e.B.Median*e.Metric.Scale),
			})
		}
	}
	lat := moved(mustFind(LatencyP50), a, b)
	if lat.Seen && e.Ratio > 0.8 && lat.Share < -0.1 {
		conc := moved(mustFind(Concurrency), a, b)
		if !conc.Seen || conc.Share < 0.2 {
			out = append(out, Contradiction{
				"too_good", math.NaN(), e.Ratio,
				fmt.Sprintf("throughput rose by %.0f %% while latency fell by %.0f %%: too good to be one change; check that both runs did the same work", 100*e.Ratio, -100*lat.Share),
			})
		}
	}
	return out
}
