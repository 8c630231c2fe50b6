package store

import (
	"math"

	"benchtop/model"
)

// limits are the declared ones that a request is held to, in seconds; NaN for
// none. Latency between tokens is told once a request, as TPOT.
type limits struct{ e2e, ttft, tpot float64 }

func (s *Store) limits() limits {
	l := limits{s.run.Configured("slo_e2e_s"), s.run.Configured("slo_ttft_s"), s.run.Configured("slo_tpot_s")}
	if itl := s.run.Configured("slo_itl_s"); !(l.tpot <= itl) {
		l.tpot = itl
	}
	return l
}

func (l limits) any() bool {
	return !math.IsNaN(l.e2e) || !math.IsNaN(l.ttft) || !math.IsNaN(l.tpot)
}

// sloJudge holds requests to the declared limits. What a request's end does not
// say follows it at once, under the same key, so one request at a time is open.
type sloJudge struct {
	open       bool
	key        uint64
	at         model.Instant
	ok         bool
	ttft, tpot float64
	track      *track // 1 for a request that kept them, 0 for one that did not
	total, met float64
}

func newSLOJudge() *sloJudge { return &sloJudge{track: newTrack(trackKey{series: model.ClientReused})} }

// ended begins to judge a request at its end.
func (s *Store) ended(e *model.Event) {
	s.judgeKept()
	if e.Series == model.ClientCancelled || !s.limits().any() {
		return
	}
	k := s.slo
	k.open, k.key, k.at, k.ttft, k.tpot = true, e.Key, e.At, math.NaN(), math.NaN()
	k.ok = e.Series == model.ClientOK
	if l := s.limits(); k.ok && !math.IsNaN(l.e2e) {
		k.ok = e.Value <= l.e2e
	}
}

// heardOf takes what follows a request's end.
func (s *Store) heardOf(e *model.Event) {
	if k := s.slo; k.open && k.key == e.Key {
		if e.Series == model.ClientTTFT {
			k.ttft = e.Value
		} else {
			k.tpot = e.Value
		}
	}
}

// judgeKept books the open request. One that lacks a number it is held to is
// neither good nor bad.
func (s *Store) judgeKept() {
	k := s.slo
	if !k.open {
		return
	}
	k.open = false
	if l := s.limits(); k.ok {
		for _, x := range [...][2]float64{{l.ttft, k.ttft}, {l.tpot, k.tpot}} {
			if math.IsNaN(x[0]) {
				continue
			}
			if math.IsNaN(x[1]) {
				return
			}
			k.ok = k.ok && x[1] <= x[0]
		}
	}
	v := 0.0
	if k.ok {
		v = 1
		k.met++
	}
	k.total++
	k.track.observe(k.at, v)
}
