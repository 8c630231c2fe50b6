package loadgen

import (
	"bytes"
	"regexp"
	"strconv"
)

// Bars of tqdm 4.64.1, as `vllm bench serve`, SGLang, LLMPerf, trtllm-bench and
// AIPerf (--ui simple) draw them: 36/100 [00:00<00:00, 77.08it/s], with thousands
// separators or a k where the tool wants it, or 36it [00:01, 30.1it/s] without a
// total.
var (
	barPattern   = regexp.MustCompile(`(?:^|[ :|])([0-9][0-9,.]*[kMG]?)/([0-9][0-9,.]*[kMG]?)(?: \|[^|]*\| *[0-9.]+%)? \[((?:[0-9]+:)?[0-9]+:[0-9]{2})<[^\]]*\]`)
	loosePattern = regexp.MustCompile(`(?:^|[ :])([0-9][0-9,.]*[kMG]?)(?:it|req)? \[((?:[0-9]+:)?[0-9]+:[0-9]{2}), [^\]]*\]`)
)

// barState is one state of a bar; NaN where it says nothing.
type barState struct{ done, total, elapsed, users float64 }

// noState says nothing.
func noState() barState {
	nan := float(nil)
	return barState{nan, nan, nan, nan}
}

// readBar finds the last state of a bar in a line, in which states may follow
// one another after carriage returns and other text may stand before them.
func readBar(line []byte) (b barState, ok bool) {
	for {
		i := bytes.LastIndexByte(line, '\r')
		if b, ok = readState(line[i+1:]); ok || i < 0 {
			return b, ok
		}
		line = line[:i]
	}
}

func readState(text []byte) (barState, bool) {
	b := noState()
	if m := barPattern.FindAllSubmatch(text, -1); len(m) > 0 {
		last := m[len(m)-1]
		if isTransfer(last[0]) {
			return barState{}, false
		}
		b.done, b.total, b.elapsed = scaled(last[1]), scaled(last[2]), clockSeconds(last[3])
		return b, true
	}
	if m := loosePattern.FindSubmatch(text); m != nil && !isTransfer(m[0]) {
		b.done, b.elapsed = scaled(m[1]), clockSeconds(m[2])
		return b, true
	}
	return b, false
}

// isTransfer tells a download, whose rate is in bytes.
func isTransfer(state []byte) bool {
	return bytes.HasSuffix(state, []byte("B/s]")) || bytes.HasSuffix(state, []byte("/B]"))
}

// scaled reads 1,200 and 1.2k.
func scaled(b []byte) float64 {
	by := 1.0
	if n := len(b); n > 0 {
		switch b[n-1] {
		case 'k':
			by = 1e3
		case 'M':
			by = 1e6
		case 'G':
			by = 1e9
		}
		if by > 1 {
			b = b[:n-1]
		}
	}
	return by * float(bytes.ReplaceAll(b, []byte(","), nil))
}

// clockSeconds reads 01:02:03 and 02:03.
func clockSeconds(b []byte) float64 {
	s := 0
	for _, p := range bytes.Split(b, []byte(":")) {
		n, err := strconv.Atoi(string(p))
		if err != nil {
			return float(nil)
		}
		s = s*60 + n
	}
	return float64(s)
}

// gaugeOf is a record of how far a run is.
func gaugeOf(done, total float64) *Record {
	var r Record
	r.clear(KindGauge)
	r.Finished, r.Expected = done, total
	return &r
}

// tqdmBar is a stream in which nothing but a bar can be read: finished requests,
// whatever their outcome.
var tqdmBar = Format{
	Name: "tqdm", Versions: "4.64.1",
	Sniff: func(lines [][]byte) float64 {
		return 0.9 * min(1, 3*share(lines, func(l []byte) bool { _, ok := readBar(l); return ok }))
	},
	New: func(*Options) parser { return &barLines{} },
}

type barLines struct {
	last barState
	seen bool
}

func (p *barLines) parse(line []byte, yield func(*Record)) error {
	b, ok := readBar(line)
	if !ok {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return badLine("no bar")
	}
	p.last, p.seen = b, true
	yield(gaugeOf(b.done, b.total))
	return nil
}

func (p *barLines) flush(last bool, yield func(*Record)) error {
	if last && p.seen {
		s := newSummary()
		s.Part = "bar"
		s.Requests, s.DurationS = Num(p.last.done), Num(p.last.elapsed)
		yield(reportOf(s))
		p.seen = false
	}
	return nil
}

// barred is a document between whose lines a bar is drawn: it is told as it
// moves.
type barred struct {
	parser
	state func(line []byte) (barState, bool)
}

func (p *barred) parse(line []byte, yield func(*Record)) error {
	if b, ok := p.state(line); ok {
		r := gaugeOf(b.done, b.total)
		r.Target = b.users
		yield(r)
	}
	return p.parser.parse(line, yield)
}

// counted reads the number between a prefix and a suffix of a line.
func counted(line []byte, prefix, suffix string) (barState, bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(prefix))
	b := noState()
	if !ok {
		return b, false
	}
	n, _, ok := bytes.Cut(rest, []byte(suffix))
	b.done = float(bytes.TrimSpace(n))
	return b, ok && b.done >= 0
}

// abProgress is what ab writes to stderr: a line each tenth of its requests.
var abProgress = Format{
	Name: "ab_progress", Versions: "2.3",
	Sniff: func(lines [][]byte) float64 {
		return 0.95 * min(1, 2*share(lines, func(l []byte) bool { _, ok := abState(l); return ok }))
	},
	New: func(*Options) parser { return &countLines{state: abState} },
}

func abState(line []byte) (barState, bool) {
	if b, ok := counted(line, "Completed ", " requests"); ok {
		return b, true
	}
	return counted(line, "Finished ", " requests")
}

// countLines reads lines that tell how far a run is, between others.
type countLines struct {
	state func(line []byte) (barState, bool)
	done  float64
	seen  bool
}

func (p *countLines) parse(line []byte, yield func(*Record)) error {
	b, ok := p.state(line)
	if !ok {
		return nil // what else the tool says
	}
	p.done, p.seen = b.done, true
	yield(gaugeOf(b.done, b.total))
	return nil
}

func (p *countLines) flush(last bool, yield func(*Record)) error {
	if last && p.seen {
		s := newSummary()
		s.Part = "bar"
		s.Requests = Num(p.done)
		yield(reportOf(s))
		p.seen = false
	}
	return nil
}
