package store

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"benchtop/model"
)

// closeSecond books second n where it belongs for good.
func (s *Store) closeSecond(n int64) {
	c := s.clean
	k := &c.cells[n%cleanKept]
	if k.n != n {
		return
	}
	c.more += c.list(k, &c.stretches, &c.last)
	s.book(k, &c.measured, &c.pure, &c.by)
}

// list adds a second to the excluded stretches, and says how many of its
// causes found no room there.
func (c *clean) list(k *cleanSecond, to *[]model.DirtyStretch, last *[model.NumDirtyCauses]int) (more int) {
	if !k.measured || k.mask == 0 {
		return 0
	}
	from := model.Instant(k.n) * 1e9
	for i := range last {
		if k.mask&(1<<i) == 0 {
			continue
		}
		if at := last[i]; at > 0 && (*to)[at-1].To == from {
			(*to)[at-1].To = from + 1e9
			continue
		}
		if len(*to) >= dirtyListed {
			more++
			continue
		}
		*to = append(*to, model.DirtyStretch{Cause: model.DirtyCause(i), From: from, To: from + 1e9, Text: c.text[i]})
		last[i] = len(*to)
	}
	return more
}

// book adds a second's requests to the measured ones, and to the clean ones if
// nothing interfered.
func (s *Store) book(k *cleanSecond, measured, pure *tally, by *[model.NumDirtyCauses]float64) {
	if !k.measured {
		return
	}
	s.addSecond(measured, k.n)
	if k.mask == 0 {
		s.addSecond(pure, k.n)
	}
	for i := range by {
		if k.mask&(1<<i) != 0 {
			by[i]++
		}
	}
}

func (s *Store) addSecond(t *tally, n int64) {
	t.seconds++
	t.done += s.doneIn(n)
	if w := s.whole[model.ClientOK]; w != nil {
		t.ok += float64(w.tiers[1].At(n).N)
	}
	if w := s.whole[model.ClientOutputTokens]; w != nil {
		t.tokens += float64(w.tiers[1].At(n).Sum)
	}
	b := s.slo.track.tiers[1].At(n)
	t.judged, t.kept = t.judged+float64(b.N), t.kept+float64(b.Sum)
	s.client.lat.ok.mergeSecond(t.sketch, n)
}

// mergeSecond adds the latencies of one of the last seconds to h.
func (s *sketch) mergeSecond(h *hdrhistogram.Histogram, n int64) {
	i := n % windowLen
	switch {
	case i < 0 || s.second[i] == nil || s.number[i] != n:
	case len(s.values[i]) > fewValues:
		h.Merge(s.second[i])
	default:
		for _, us := range s.values[i] {
			_ = h.RecordValue(int64(us)) // within the range already
		}
	}
}

func (t *tally) set(o *tally) {
	h := t.sketch
	h.Reset()
	h.Merge(o.sketch)
	*t = *o
	t.sketch = h
}

func (t *tally) figures(tokens bool) model.Figures {
	nan := math.NaN()
	f := model.Figures{Seconds: t.seconds, Done: t.done, OK: t.ok, X: nan, XOK: nan, OutputTPS: nan, Kept: nan, Latency: quantiles(t.sketch)}
	if t.seconds > 0 {
		f.X, f.XOK = t.done/t.seconds, t.ok/t.seconds
		if tokens {
			f.OutputTPS = t.tokens / t.seconds
		}
		if t.judged > 0 {
			f.Kept = t.kept / t.seconds
		}
	}
	return f
}

// cleanView is the measured and the clean time as they stand.
func (s *Store) cleanView() model.CleanView {
	c := s.clean
	v := model.CleanView{Known: c.known, More: c.more}
	m, p := &c.work[0], &c.work[1]
	m.set(&c.measured)
	p.set(&c.pure)
	by, last := c.by, c.last
	list := append(make([]model.DirtyStretch, 0, len(c.stretches)+8), c.stretches...)
	for n := max(c.closed+1, c.newest-cleanKept+1); n <= c.newest; n++ {
		k := &c.cells[n%cleanKept]
		if k.n != n {
			continue
		}
		v.More += c.list(k, &list, &last)
		s.book(k, m, p, &by)
		if n == c.newest {
			for i := range model.NumDirtyCauses {
				if k.mask&(1<<i) != 0 {
					v.Now = append(v.Now, model.DirtyCause(i))
				}
			}
		}
	}
	v.Stretches = list
	for i, sec := range by {
		if sec > 0 {
			v.Causes = append(v.Causes, model.CauseSeconds{Cause: model.DirtyCause(i), Seconds: sec, Text: c.text[i]})
		}
	}
	tokens := s.whole[model.ClientOutputTokens] != nil
	v.Measured, v.Clean, v.All = m.figures(tokens), p.figures(tokens), s.allFigures()
	if !s.client.known { // the server's own count stands in, and only over the whole
		nan := math.NaN()
		for _, f := range []*model.Figures{&v.Measured, &v.Clean} {
			f.Done, f.OK, f.X, f.XOK = nan, nan, nan, nan
		}
	}
	return v
}

// allFigures are of the whole run: from its first request to its last answer.
func (s *Store) allFigures() model.Figures {
	nan, c := math.NaN(), s.client
	f := model.Figures{Seconds: nan, Done: nan, OK: nan, X: nan, XOK: nan, OutputTPS: nan, Kept: nan, Latency: model.NoQuantiles()}
	if !c.known {
		return f
	}
	f.Latency = c.lat.ok.whole()
	f.Done, f.OK = float64(c.done-c.by[model.ClientCancelled]), float64(c.by[model.ClientOK])
	if f.Seconds = c.lastEnd.Seconds(c.first); f.Seconds > 0 {
		f.X, f.XOK = f.Done/f.Seconds, f.OK/f.Seconds
		if t := s.whole[model.ClientOutputTokens]; t != nil && t.n > 0 {
			f.OutputTPS = t.sum / f.Seconds
		}
		if s.slo.total > 0 {
			f.Kept = s.slo.met / f.Seconds
		}
	}
	return f
}
