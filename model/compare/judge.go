package compare

import (
	"fmt"
	"math"
)

// Verdict is what a comparison of one metric comes to.
type Verdict string

// The verdicts.
const (
	Better        Verdict = "better"
	Worse         Verdict = "worse"
	InsideNoise   Verdict = "inside noise"
	NotComparable Verdict = "not comparable"
	TooFewRuns    Verdict = "too few runs"
)

// Effect is one metric of two arms.
type Effect struct {
	Metric     Metric  `json:"-"`
	ID         string  `json:"metric"`
	Title      string  `json:"title"`
	Unit       string  `json:"unit"`
	A          Spread  `json:"a"`
	B          Spread  `json:"b"`
	Shift      float64 `json:"shift"`       // Hodges-Lehmann, base units
	ShiftShare float64 `json:"shift_share"` // of A's median
	ShiftLeast float64 `json:"shift_least"` // of all pairwise differences
	ShiftMost  float64 `json:"shift_most"`
	Ratio      float64 `json:"ratio"` // of medians, minus 1
	Lo         float64 `json:"ratio_lo"`
	Hi         float64 `json:"ratio_hi"` // 95 % bootstrap interval of Ratio
	Noise      float64 `json:"noise"`    // larger spread of the two arms
	U          float64 `json:"u_p"`      // exact Mann-Whitney
	ULeast     float64 `json:"u_least_p"`
	WelchP     float64 `json:"welch_p"`
	WelchT     float64 `json:"welch_t"`
	WelchDF    float64 `json:"welch_df"`
	Overlap    bool    `json:"ranges_overlap"`
	Detectable float64 `json:"detectable"` // smallest difference so many runs would show

	Verdict    Verdict  `json:"verdict"`
	Confidence string   `json:"confidence"` // firm or suspected
	Reasons    []string `json:"reasons"`
	MorePasses int      `json:"more_passes"` // until the test can speak
}

// measure computes an effect without judging it.
func measure(m Metric, a, b *Arm, o Order) Effect {
	x, y := a.values(m.ID), b.values(m.ID)
	e := Effect{Metric: m, ID: m.ID, Title: m.Title, Unit: m.Unit, A: SpreadOf(x), B: SpreadOf(y), Confidence: "firm"}
	e.Shift, e.ShiftLeast, e.ShiftMost = Shift(x, y)
	e.ShiftShare, e.Ratio = math.NaN(), math.NaN()
	if e.A.Median != 0 {
		e.ShiftShare, e.Ratio = e.Shift/math.Abs(e.A.Median), e.B.Median/e.A.Median-1
	}
	e.Lo, e.Hi = RatioInterval(x, y, o.Interleaved)
	e.Noise = math.NaN()
	if e.A.N > 1 || e.B.N > 1 {
		e.Noise = max(zeroIfNaN(e.A.Max), zeroIfNaN(e.B.Max))
	}
	e.U, e.ULeast = MannWhitney(x, y)
	e.WelchP, e.WelchT, e.WelchDF = Welch(x, y)
	e.Overlap = !(e.A.Most < e.B.Least || e.B.Most < e.A.Least)
	e.Detectable = Detectable(max(zeroIfNaN(e.A.CV), zeroIfNaN(e.B.CV)), min(e.A.N, e.B.N))
	e.MorePasses = passesToSpeak(e.A.N, e.B.N, 0.05)
	return e
}

func zeroIfNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// gate is the spread allowed to repeats of a metric.
func (l Limits) gate(id string) float64 {
	switch id {
	case LatencyP99, TTFTP99:
		return l.P99
	}
	return l.Throughput
}

// judge says what an effect proves, given the flags of the pair.
func judge(e *Effect, a, b *Arm, flags []Flag, lim Limits) {
	say := func(v Verdict, format string, args ...any) {
		e.Verdict = v
		e.Reasons = append(e.Reasons, fmt.Sprintf(format, args...))
	}
	for _, f := range flags {
		if f.Level == Block {
			say(NotComparable, "%s", f.Text)
		}
	}
	if e.Verdict != "" {
		return
	}
	if e.A.N < len(a.Runs) || e.B.N < len(b.Runs) {
		say(NotComparable, "%s was measured in %d of %d and %d of %d runs", e.Title, e.A.N, len(a.Runs), e.B.N, len(b.Runs))
		return
	}
	if e.A.N < lim.Repeats || e.B.N < lim.Repeats {
		say(TooFewRuns, "%d against %d runs: %d of each are needed to know the noise of one configuration", e.A.N, e.B.N, lim.Repeats)
		if !math.IsNaN(e.Ratio) {
			e.Reasons = append(e.Reasons, fmt.Sprintf("seen: %+.1f %%", 100*e.Ratio))
		}
		return
	}
	if e.Noise > lim.Refuse {
		say(NotComparable, "repeats of one configuration differ by %.1f %% from their median (limit %.0f %%): find what is not held fixed first", 100*e.Noise, 100*lim.Refuse)
		return
	}
	if gate := lim.gate(e.ID); e.Noise > gate {
		e.Confidence = "suspected"
		e.Reasons = append(e.Reasons, fmt.Sprintf("repeats differ by %.1f %%, above the gate of %.0f %%", 100*e.Noise, 100*gate))
	}
	judgeNumbers(e, lim, say)
	if e.Verdict == Better || e.Verdict == Worse {
		for _, f := range flags {
			if f.Level == Warn || f.Level == Unknown && f.ID == "lengths" {
				e.Confidence = "suspected"
				e.Reasons = append(e.Reasons, f.Text)
			}
		}
	}
}

// judgeNumbers is the part that looks at the effect alone.
func judgeNumbers(e *Effect, lim Limits, say func(Verdict, string, ...any)) {
	size := math.Abs(e.Ratio)
	switch {
	case size <= e.Noise || size < e.Metric.Least:
		say(InsideNoise, "a difference of %.1f %% is not more than repeats of one configuration differ by (%.1f %%)", 100*size, 100*max(e.Noise, e.Metric.Least))
		sameness(e, lim)
		return
	case e.ULeast > lim.Alpha:
		overlap := "ranges do not overlap"
		if e.Overlap {
			overlap = "ranges overlap"
		}
		say(TooFewRuns, "%s, difference %.0f %%, spread %s; too few for a 5 %% test (%d against %d can't give less than p = %.2f)",
			overlap, 100*size, spreads(e), e.A.N, e.B.N, e.ULeast)
		e.Reasons = append(e.Reasons, fmt.Sprintf("%s of A B needed", more(e.MorePasses)))
		return
	case !(e.U <= lim.Alpha):
		say(InsideNoise, "the exact U test gives p = %.3f", e.U)
		sameness(e, lim)
		return
	case e.Lo <= 0 && e.Hi >= 0:
		say(InsideNoise, "the interval of the difference, %+.1f to %+.1f %%, holds zero", 100*e.Lo, 100*e.Hi)
		return
	}
	v := Worse
	if e.Ratio*float64(e.Metric.Better) > 0 {
		v = Better
	}
	say(v, "%+.1f %% (95 %% interval %+.1f to %+.1f %%), exact U test p = %.3f, more than the noise of %.1f %%", 100*e.Ratio, 100*e.Lo, 100*e.Hi, e.U, 100*e.Noise)
}

// spreads prints both arms' spread.
func spreads(e *Effect) string {
	lo, hi := min(e.A.Max, e.B.Max), max(e.A.Max, e.B.Max)
	if hi-lo < 0.0005 {
		return fmt.Sprintf("%.1f %%", 100*hi)
	}
	return fmt.Sprintf("%.1f to %.1f %%", 100*lo, 100*hi)
}

func more(n int) string {
	switch n {
	case 0:
		return "no further pass"
	case 1:
		return "one more pass"
	}
	return fmt.Sprintf("%d more passes", n)
}

// sameness adds whether "no difference" may be claimed: only if the whole
// interval is small.
func sameness(e *Effect, lim Limits) {
	switch {
	case e.Lo > -lim.Same && e.Hi < lim.Same:
		e.Reasons = append(e.Reasons, fmt.Sprintf("equal within %.0f %%: the whole interval %+.1f to %+.1f %% lies inside", 100*lim.Same, 100*e.Lo, 100*e.Hi))
	case !math.IsNaN(e.Detectable) && e.Detectable > 0:
		e.Reasons = append(e.Reasons, fmt.Sprintf("not shown to be equal: so many runs would show a difference of %.1f %% or more", 100*e.Detectable))
	case !math.IsNaN(e.Lo):
		e.Reasons = append(e.Reasons, fmt.Sprintf("not shown to be equal: the interval is %+.1f to %+.1f %%", 100*e.Lo, 100*e.Hi))
	}
}
