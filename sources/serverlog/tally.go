package serverlog

import (
	"bytes"
	"fmt"
)

// PatternTally is what a profile's pattern met in a log.
type PatternTally struct {
	Pattern string   `json:"pattern"` // the expression as written
	Matched int      `json:"matched"`
	Missed  int      `json:"missed"` // its literal stands there, but it does not match
	Hits    []string `json:"hits"`   // examples: what matched
	Misses  []string `json:"misses"` // and what did not, from the literal on
	Unread  []string `json:"unread"` // groups that were no number: name and text
}

// Bounds of a tally's examples.
const (
	tallyMost = 3   // of each sort
	tallyCut  = 160 // bytes of each
)

// watched makes a profile's format tell what its patterns meet; nil for a
// format of ours. The format must be a copy of one's own.
func (f *Format) watched(keepText bool) []PatternTally {
	if f.profile == nil {
		return nil
	}
	p := *f.profile
	tallies := make([]PatternTally, len(p.patterns))
	for i := range p.patterns {
		tallies[i] = PatternTally{Pattern: p.patterns[i].source, Hits: []string{}, Misses: []string{}, Unread: []string{}}
	}
	p.watch = func(i int, text []byte, at []int) {
		t := &tallies[i]
		if at != nil {
			t.Matched++
			t.Hits = sampled(t.Hits, text[at[0]:at[1]])
			for _, s := range p.patterns[i].unread(text, at) {
				t.Unread = sampled(t.Unread, s)
			}
			return
		}
		t.Missed++
		miss := text[max(0, bytes.Index(text, p.patterns[i].literal)):]
		if !keepText {
			miss = discreet(miss)
		}
		t.Misses = sampled(t.Misses, miss)
	}
	f.profile, f.parse = &p, p.parse
	return tallies
}

// unread lists the groups of a match that should be numbers and are none.
func (q *pattern) unread(text []byte, at []int) (list [][]byte) {
	for g, f := range q.fields {
		if f == 0 || profileFields[f].text != nil || at[2*g] < 0 {
			continue
		}
		v := text[at[2*g]:at[2*g+1]]
		if _, ok := q.value(g, v); !ok {
			list = append(list, fmt.Appendf(nil, "%s: %s", profileFields[f].name, v))
		}
	}
	return list
}

// sampled adds an example while there are few, each once.
func sampled(to []string, text []byte) []string {
	s := clean(text, tallyCut)
	for _, old := range to {
		if old == s {
			return to
		}
	}
	if len(to) >= tallyMost {
		return to
	}
	return append(to, s)
}
