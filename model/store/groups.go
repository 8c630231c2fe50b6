package store

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchtop/model"
)

// What makes two groups of latencies out of one (diagnosis.md §6.5).
const (
	groupsLeast  = 100         // latencies
	groupsWindow = 60          // seconds
	bandLeast    = 0.04        // of the kernel, in log latency
	groupsRatio  = 1.5         // between the peaks
	sideLeast    = 0.05        // share of the requests on each side
	valleyMost   = 0.6         // of the lower peak
	gridPerBand  = 4           // points of the grid a bandwidth
	gridMost     = 1024        // points of the grid
	microsASec   = 1_000_000.0 // the histograms count microseconds
)

// density is the smoothed distribution of log latency on an even grid.
type density struct {
	from, step float64 // log of the first point's microseconds, and between points
	mass, y    []float64
	n          float64
}

func (d *density) seconds(i int) float64 {
	return math.Exp(d.from+float64(i)*d.step) / microsASec
}

func (d *density) index(logUS float64) int {
	return min(max(int(math.Round((logUS-d.from)/d.step)), 0), len(d.y)-1)
}

// smooth estimates the density of log latency with a Gaussian kernel; false
// with too few latencies.
func smooth(h *hdrhistogram.Histogram) (*density, bool) {
	n := float64(h.TotalCount())
	if n < groupsLeast {
		return nil, false
	}
	bars := h.Distribution()
	logOf := func(b hdrhistogram.Bar) float64 { return math.Log(max(1, float64(b.From+b.To)/2)) }
	var sum, sq float64
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, b := range bars {
		if b.Count > 0 {
			x, c := logOf(b), float64(b.Count)
			sum, sq = sum+c*x, sq+c*x*x
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	sd := math.Sqrt(max(0, sq/n-sum/n*sum/n))
	iqr := math.Log(max(1, float64(h.ValueAtQuantile(75)))) - math.Log(max(1, float64(h.ValueAtQuantile(25))))
	band := max(0.9*min(sd, iqr/1.34)*math.Pow(n, -0.2), bandLeast)
	d := &density{from: lo - 3*band, step: band / gridPerBand, n: n}
	points := int((hi-lo+6*band)/d.step) + 1
	if points > gridMost {
		d.step *= float64(points) / gridMost
		points = gridMost
	}
	d.mass, d.y = make([]float64, points), make([]float64, points)
	for _, b := range bars {
		if b.Count > 0 {
			d.mass[d.index(logOf(b))] += float64(b.Count)
		}
	}
	d.spread(band)
	return d, true
}

// spread lays a kernel over each point's mass.
func (d *density) spread(band float64) {
	reach := int(3 * band / d.step)
	kernel := make([]float64, reach+1)
	for k := range kernel {
		u := float64(k) * d.step / band
		kernel[k] = math.Exp(-u * u / 2)
	}
	for i, m := range d.mass {
		if m == 0 {
			continue
		}
		for k := max(-reach, -i); k <= reach && i+k < len(d.y); k++ {
			d.y[i+k] += m * kernel[max(k, -k)]
		}
	}
}

// peaks are the points higher than both neighbours, the first of a plateau.
func (d *density) peaks() []int {
	var at []int
	for i := 1; i+1 < len(d.y); i++ {
		if d.y[i] > d.y[i-1] && d.y[i] >= d.y[i+1] {
			at = append(at, i)
		}
	}
	return at
}

// groups looks for two peaks with a valley between them, the clearest pair if
// there are several.
func groups(h *hdrhistogram.Histogram) model.LatencyGroups {
	nan := math.NaN()
	g := model.LatencyGroups{Low: nan, High: nan, Valley: nan, Above: nan, P99: nan}
	d, ok := smooth(h)
	if !ok {
		return g
	}
	p99 := max(1, float64(h.ValueAtQuantile(99)))
	g.Known, g.P99 = true, p99/microsASec
	at, best := d.peaks(), 0.0
	for a, i := range at {
		for _, j := range at[a+1:] {
			lower := min(d.y[i], d.y[j])
			if float64(j-i)*d.step < math.Log(groupsRatio) || lower <= best {
				continue
			}
			v := lowest(d.y, i, j)
			above := 0.0
			for _, m := range d.mass[v:] {
				above += m / d.n
			}
			if d.y[v] > valleyMost*lower || above < sideLeast || above > 1-sideLeast {
				continue
			}
			best = lower
			g.Two, g.Low, g.High, g.Valley, g.Above = true, d.seconds(i), d.seconds(j), d.seconds(v), above
			k := d.index(math.Log(p99))
			g.InValley = k > i && k < j && d.y[k] < lower/2
		}
	}
	return g
}

// lowest is where y is least between i and j.
func lowest(y []float64, i, j int) int {
	v := i
	for k := i; k <= j; k++ {
		if y[k] < y[v] {
			v = k
		}
	}
	return v
}
