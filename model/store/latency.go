package store

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchtop/model"
)

// Latencies are kept in HDR histograms of microseconds from 1 µs to 1 h, so
// that their relative error is bounded and they can be merged: three digits
// for the run, two for each second of the last minute.
const (
	latencyMax   = 3_600_000_000
	runDigits    = 3
	windowDigits = 2
	windowLen    = 64 // seconds kept
	// fewValues is up to how many latencies of a second are also kept one by
	// one: merging those costs far less than walking a histogram's buckets.
	fewValues = 512
)

type sketch struct {
	run    *hdrhistogram.Histogram
	second [windowLen]*hdrhistogram.Histogram
	number [windowLen]int64    // which second each holds
	values [windowLen][]uint32 // its latencies in microseconds; longer than fewValues: not all
	merged *hdrhistogram.Histogram
	sum    float64 // seconds, for an exact mean
	max    float64
}

// newSketch makes an empty one. Its seconds take up to 1.7 MB, once there are
// values in them.
func newSketch() *sketch {
	return &sketch{run: hdrhistogram.New(1, latencyMax, runDigits)}
}

func micros(sec float64) int64 {
	return int64(min(max(sec*1e6, 1), latencyMax))
}

// add records one latency in seconds at an instant.
func (s *sketch) add(at model.Instant, sec float64) {
	if math.IsNaN(sec) || sec < 0 {
		return
	}
	us := micros(sec)
	_ = s.run.RecordValue(us) // within the range by micros
	s.sum += sec
	s.max = max(s.max, sec)
	n := int64(at) / 1e9
	i := n % windowLen
	if i < 0 {
		return
	}
	h := s.second[i]
	switch {
	case h == nil:
		h = hdrhistogram.New(1, latencyMax, windowDigits)
		s.second[i], s.number[i] = h, n
	case s.number[i] > n:
		return // older than the window
	case s.number[i] < n:
		h.Reset()
		s.number[i] = n
		s.values[i] = s.values[i][:0]
	}
	_ = h.RecordValue(us)
	if len(s.values[i]) <= fewValues {
		s.values[i] = append(s.values[i], uint32(us)) // an hour fits
	}
}

// over merges the seconds [from, to) and returns them; valid until the next call.
func (s *sketch) over(from, to model.Instant) *hdrhistogram.Histogram {
	if s.merged == nil {
		s.merged = hdrhistogram.New(1, latencyMax, windowDigits)
	}
	s.merged.Reset()
	lo, hi := int64(from)/1e9, int64(to)/1e9
	for i, h := range s.second {
		switch {
		case h == nil || s.number[i] < lo || s.number[i] >= hi:
		case len(s.values[i]) > fewValues:
			s.merged.Merge(h)
		default:
			for _, us := range s.values[i] {
				_ = s.merged.RecordValue(int64(us)) // the bucket that Merge would add it to
			}
		}
	}
	return s.merged
}

func quantiles(h *hdrhistogram.Histogram) model.Quantiles {
	q := ranks(h)
	if q.N > 0 {
		q.Mean = h.Mean() / 1e6
	}
	return q
}

// ranks are the quantiles without the mean, which would take a second walk over
// all that the histogram holds.
func ranks(h *hdrhistogram.Histogram) model.Quantiles {
	n := h.TotalCount()
	if n == 0 {
		return model.NoQuantiles()
	}
	v := h.ValueAtPercentiles([]float64{50, 90, 95, 99, 99.9, 100}) // one pass for all
	at := func(q float64) float64 { return float64(v[q]) / 1e6 }
	return model.Quantiles{Mean: math.NaN(), P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: at(100), N: uint64(n)}
}

// whole is the summary of the run; mean and max are exact.
func (s *sketch) whole() model.Quantiles {
	q := ranks(s.run)
	if q.N > 0 {
		q.Mean, q.Max = s.sum/float64(q.N), s.max
	}
	return q
}

// interval is the 95 % interval of a quantile by order statistics, in seconds.
func interval(h *hdrhistogram.Histogram, q float64) (lo, hi float64) {
	n := float64(h.TotalCount())
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	d := 1.96 * math.Sqrt(n*q*(1-q))
	at := func(rank float64) float64 {
		return float64(h.ValueAtQuantile(min(100, max(0, rank/n*100)))) / 1e6
	}
	return at(n*q - d), at(n*q + d)
}

// latencies holds what the client told of its requests' times.
type latencies struct {
	all, ok    *sketch
	ttft, tpot *sketch
	fine       ring[model.LatencyBins]
	coarse     ring[model.LatencyBins]
	timeouts   [256]timedOut
	nTimeouts  int
	sumSq      float64 // of ok latencies, for their coefficient of variation
}

type timedOut struct {
	at  model.Instant
	sec float64
}

func newLatencies() *latencies {
	return &latencies{
		all: newSketch(), ok: newSketch(), ttft: newSketch(), tpot: newSketch(),
		fine:   newRing[model.LatencyBins](model.TierSteps[1], model.TierLens[1]),
		coarse: newRing[model.LatencyBins](model.TierSteps[2], model.TierLens[2]),
	}
}

func (l *latencies) end(at model.Instant, outcome model.SeriesID, sec float64) {
	if math.IsNaN(sec) || sec < 0 {
		return
	}
	l.all.add(at, sec)
	bin := model.LatencyBin(sec)
	for _, r := range []*ring[model.LatencyBins]{&l.fine, &l.coarse} {
		if b := r.at(at); b != nil && b[bin] < math.MaxUint16 {
			b[bin]++
		}
	}
	switch outcome {
	case model.ClientOK:
		l.ok.add(at, sec)
		l.sumSq += sec * sec
	case model.ClientTimeout:
		l.timeouts[l.nTimeouts%len(l.timeouts)] = timedOut{at, sec}
		l.nTimeouts++
	}
}

// timeoutAt is the median latency of the timeouts since from, NaN without any.
func (l *latencies) timeoutAt(from model.Instant) float64 {
	var v []float64
	for _, t := range l.timeouts[:min(l.nTimeouts, len(l.timeouts))] {
		if t.at >= from {
			v = append(v, t.sec)
		}
	}
	return model.Median(v)
}
