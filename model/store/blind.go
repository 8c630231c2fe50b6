package store

import (
	"slices"
	"strings"

	"benchtop/model"
)

// factBlind names the kinds of failure that the load streams don't tell apart.
const factBlind = "kinds_unknown"

// blindTo books the kinds that one stream doesn't tell, a list with commas, and
// returns the list for all of them.
func (s *Store) blindTo(src *source, kinds string) string {
	for kind := range strings.SplitSeq(kinds, ",") {
		if kind != "" && !slices.Contains(src.blind, kind) {
			src.blind = append(src.blind, kind)
		}
	}
	return s.blindKinds()
}

// blindAgain brings the list up to date when it is known which outputs are one
// generator's, or which of them told its requests.
func (s *Store) blindAgain() {
	if old, ok := s.run.Facts[factBlind]; ok {
		if now := s.blindKinds(); now != old {
			s.state(&model.Note{Name: factBlind, Text: now})
		}
	}
}

// blindKinds lists what the sum over all streams can't tell: what one of the
// generators doesn't tell apart. Of one generator's outputs those speak that
// told requests or a report, and the best of them counts.
func (s *Store) blindKinds() string {
	var all []string
	type party struct {
		speaks bool
		blind  []string
	}
	parties := make(map[uint64]*party, 1)
	for _, src := range s.inOrder() {
		if src.party == 0 {
			all = append(all, src.blind...)
			continue
		}
		speaks := src.ended > 0 || src.report != nil
		p := parties[src.party]
		switch {
		case !speaks && src.blind == nil: // it has said nothing at all
		case p == nil || speaks && !p.speaks:
			parties[src.party] = &party{speaks, slices.Clone(src.blind)}
		case speaks == p.speaks:
			p.blind = slices.DeleteFunc(p.blind, func(k string) bool { return !slices.Contains(src.blind, k) })
		}
	}
	for _, p := range parties {
		all = append(all, p.blind...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}
