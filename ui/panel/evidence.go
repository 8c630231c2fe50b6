package panel

import (
	"math"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
)

// sparkCells is the width of the small chart beside a piece of evidence.
const sparkCells = 16

// evidenceLines are the pieces of evidence that the text does not tell already,
// each series with a small chart once, if charts are wanted.
func (f Frame) evidenceLines(v *model.Verdict, w int, charts bool) []line {
	var out []line
	said, drawn := v.Text, ""
	for _, e := range v.Evidence {
		if e.Text != "" && !strings.Contains(said, e.Text) {
			out = append(out, indented(themes.Text, false, "▸ ", e.Text, w)...)
			said += e.Text
		}
		if !charts || strings.Contains(drawn, e.Series+" ") {
			continue
		}
		if l := f.evidenceLine(e, w); l != nil {
			drawn += e.Series + " "
			out = append(out, l)
		}
	}
	return out
}

// evidenceLine is the series behind a piece of evidence as a small chart with
// its name, over the window it was judged by and as much before; nil where the
// evidence names no series that is kept.
func (f Frame) evidenceLine(e model.Evidence, w int) line {
	id, ok := model.SeriesByName(e.Series)
	if !ok || w < sparkCells+12 {
		return nil
	}
	s := f.View.Figures
	now := s.Now
	if at, looking := f.moment(); looking {
		now = at
	}
	t := s.Whole(id)
	if g, known := f.worstGPU(); id.Describe().Side == model.SideGPU && known {
		t = s.GPU(id, g.Key)
	}
	if t == nil {
		return nil
	}
	window := time.Duration(max(2*e.WindowS, 30)) * time.Second
	step := draw.ColumnStep(window, sparkCells, time.Second)
	vals := f.spark(t, now, step)
	if math.IsNaN(most(vals)) {
		return nil
	}
	role, base := themes.Text, 0.0
	switch id.Describe().Side {
	case model.SideClient:
		role = themes.Client
	case model.SideServer:
		role = themes.Server
	case model.SideGPU:
		role, base = themes.GPU, fewest(vals)-(most(vals)-fewest(vals))/3 // what moves is small beside what it is
	case model.SideHost, model.SideSelf:
	}
	told := ends(vals, id, step)
	name, age := " "+strings.ReplaceAll(e.Series, "_", " "), ", "+draw.Age((step*sparkCells).Seconds())
	_, short, _ := strings.Cut(strings.TrimSpace(name), " ")
	for _, fuller := range []string{" " + short + " " + told, name + " " + told, name + " " + told + age} {
		if draw.Width(fuller) <= w-sparkCells-2 {
			name = fuller
		}
	}
	return line{{"  ", role, false}, {draw.Spark(vals, base), role, false}, {draw.Fit(name, w-sparkCells-2), themes.Dim, false}}
}

// ends words a series' first and last value in its unit; what is counted in
// columns of step, a second.
func ends(vals []float64, id model.SeriesID, step time.Duration) string {
	from, to := math.NaN(), math.NaN()
	for _, v := range vals {
		if from != from {
			from = v
		}
		to = first(v, to)
	}
	if d := id.Describe(); d.Shape == model.Counter {
		return draw.Small(from/step.Seconds()) + "→" + draw.Small(to/step.Seconds()) + "/s"
	}
	word, unit := draw.Small, ""
	switch id.Describe().Unit {
	case model.Seconds:
		word = draw.Latency
	case model.Ratio:
		word = draw.Percent
	case model.Bytes:
		word = draw.Bytes
	case model.Hertz:
		word, unit = func(v float64) string { return draw.Grouped(v / 1e6) }, " MHz"
	case model.Watts:
		word, unit = draw.Grouped, " W"
	case model.Celsius:
		word, unit = draw.Grouped, " °C"
	case model.TokensPerSecond, model.PerSecond:
		unit = "/s"
	case model.Joules:
		unit = " J"
	case model.Cores:
		unit = " cores"
	case model.Count, model.Tokens, model.BytesPerSecond:
	}
	return word(from) + "→" + word(to) + unit
}

// spark reads a track in sparkCells columns up to the last whole one before
// now, so that it moves on only with whole columns.
func (f Frame) spark(t *model.Track, now model.Instant, step time.Duration) []float64 {
	of := mean
	switch t.Series.Describe().Shape {
	case model.Counter:
		of = sum
		if t.Series.IsOutcome() {
			of = count
		}
	case model.Span:
		of = sum
	case model.Gauge, model.Cumulative, model.Sample:
	}
	buckets := make([]model.Bucket, sparkCells)
	from := now.Floor(step).Add(-sparkCells * step)
	if of := t.Series.Describe().Shape; of == model.Gauge {
		t.Held(buckets, from, step, 0, now)
	} else {
		t.Columns(buckets, from, step)
	}
	out := make([]float64, sparkCells)
	for i, b := range buckets {
		out[i] = of(b)
	}
	return out
}
