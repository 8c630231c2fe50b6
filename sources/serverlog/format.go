package serverlog

import (
	"sort"
	"strings"
)

// Format is one engine's log: a name, how to know it, and how to read a
// record. A Format knows text and no series.
type Format struct {
	Name     string // stable: users write format=NAME
	Versions string // what it was made from, for the list of formats
	Hint     string // what to change at the server where its log says nothing

	profile *profile // the patterns, for a format told by a file
	wraps   string   // a format whose records stand in this one's log

	// silent ends short lines that say nothing, whatever their prefixes.
	silent []byte
	// vote says how sure one record makes us: 1 for text only this engine
	// writes, less for what others write too, 0 for the rest.
	vote func(c *record) float64
	// parse fills r from a record whose prefixes are gone. It must leave r
	// alone where the record says nothing.
	parse func(c *record, r *Reading)
	// split, if set, finds where a second record starts inside a line that
	// holds more than one; 0 if there is none.
	split func(c *record) int
}

// Match is one format's score on some lines.
type Match struct {
	Name  string
	Score float64 // 0..1: how sure
	Lines int     // lines that spoke for it
}

// Lookup finds a format by name. Spellings in use elsewhere (llama-server,
// tensorrt-llm) and the names of older forms (vllm-v0, sglang-old) are known.
func Lookup(name string) (Format, bool) {
	n := strings.ToLower(strings.TrimSpace(name))
	for _, suffix := range [...]string{"-old", "-v0", "-v1", "-json"} {
		n = strings.TrimSuffix(n, suffix)
	}
	if a, ok := aliases[n]; ok {
		n = a
	}
	for _, f := range formats {
		if f.Name == n {
			return f, true
		}
	}
	return Format{}, false
}

// Names lists the formats in the order of the registry.
func Names() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// tally adds up what lines speak for.
type tally struct {
	votes []float64
	lines []int
	seen  int
}

func newTally() *tally {
	return &tally{votes: make([]float64, len(formats)), lines: make([]int, len(formats))}
}

// count lets every format vote on a record.
func (t *tally) count(c *record) {
	t.seen++
	for i := range formats {
		if v := formats[i].vote(c); v > 0 {
			t.votes[i] += v
			t.lines[i]++
		}
	}
}

// strong is the least sum of votes that makes a format credible by itself.
const strong = 2.0

// matches ranks the formats, best first. A format that wraps another takes
// over its votes as soon as it has one whole vote of its own.
func (t *tally) matches() []Match {
	sums := append([]float64(nil), t.votes...)
	for i, f := range formats {
		if f.wraps == "" || t.votes[i] < 1 {
			continue
		}
		for j := range formats {
			if formats[j].Name == f.wraps {
				sums[i] += t.votes[j]
				sums[j] = 0
			}
		}
	}
	total := 0.0
	for _, v := range sums {
		total += v
	}
	var out []Match
	for i, v := range sums {
		if v > 0 {
			// Sure is: little speaks for others, and more than one line speaks at all.
			out = append(out, Match{formats[i].Name, v / total * v / (v + 0.25), t.lines[i]})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Score > out[j].Score })
	return out
}

// Sniff scores every format on some lines, best first. It is empty if nothing
// was recognized.
func Sniff(lines [][]byte) []Match {
	t := newTally()
	var s stripper
	var c record
	for _, l := range lines {
		s.strip(l, &c)
		t.count(&c)
	}
	return t.matches()
}

// Formats lists the registry, for the list of formats.
func Formats() []Format { return append([]Format(nil), formats...) }
