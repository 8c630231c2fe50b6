package loadgen

import (
	"bytes"
	"math"
)

// guidellmLog is what GuideLLM 0.8 logs in place of its panel where its output is
// no terminal: counts at each change of a benchmark's state. A sweep runs several
// benchmarks one after the other, each a run of its own.
var guidellmLog = Format{
	Name: "guidellm_log", Versions: "0.8.1",
	Sniff: func(lines [][]byte) float64 {
		if share(lines, func(l []byte) bool { _, ok := guidellmState(l); return ok }) > 0 {
			return 1
		}
		return 0
	},
	New: func(*Options) parser { return &guidellmLines{} },
}

// guidellmLine is one line about a benchmark; NaN where it says nothing.
type guidellmLine struct {
	number, strategy, phase             []byte
	elapsed, good, bad, cut, rate, many float64
}

// guidellmState reads Benchmark 1 (concurrent@4): started | elapsed=0.0s |
// successful=0 errored=0 incomplete=0 | requests/s=0.00 output_tokens/s=0.00
func guidellmState(line []byte) (s guidellmLine, ok bool) {
	_, rest, ok := bytes.Cut(line, []byte(" - Benchmark "))
	if !ok {
		return s, false
	}
	s.number, rest, _ = bytes.Cut(rest, []byte(" ("))
	s.strategy, rest, _ = bytes.Cut(rest, []byte("): "))
	s.phase, rest, ok = bytes.Cut(rest, []byte(" | "))
	value := func(key string) float64 {
		v := after(rest, key+"=")
		if i := bytes.IndexAny(v, " |\n"); i >= 0 {
			v = v[:i]
		}
		return float(bytes.TrimSuffix(v, []byte("s")))
	}
	s.elapsed, s.good, s.bad, s.cut, s.rate = value("elapsed"), value("successful"), value("errored"), value("incomplete"), value("requests/s")
	_, many, _ := bytes.Cut(s.strategy, []byte("@"))
	s.many = float(many)
	return s, ok && s.good >= 0 && s.bad >= 0
}

type guidellmLines struct {
	number []byte
	last   guidellmLine
	told   bool // a run's last state is to be reported
}

func (p *guidellmLines) parse(line []byte, yield func(*Record)) error {
	s, ok := guidellmState(line)
	if !ok {
		return nil // what else it logs
	}
	if !bytes.Equal(s.number, p.number) {
		if p.number != nil {
			p.report(yield)
			var r Record
			r.clear(KindRun)
			r.Run = newFacts()
			r.Run.Name = string(s.strategy)
			yield(&r)
		}
		p.number = append(p.number[:0], s.number...)
	}
	p.last, p.told = guidellmLine{good: s.good, bad: s.bad, rate: s.rate}, true
	r := gaugeOf(s.good+s.bad, math.NaN())
	if bytes.HasPrefix(s.strategy, []byte("concurrent")) {
		r.Target = s.many
	}
	yield(r)
	return nil
}

// report tells what the benchmark came to.
func (p *guidellmLines) report(yield func(*Record)) {
	if !p.told || p.last.good+p.last.bad == 0 {
		return
	}
	s := newSummary()
	s.OK, s.Failed, s.Requests = Num(p.last.good), Num(p.last.bad), Num(p.last.good+p.last.bad)
	if p.last.rate > 0 { // its elapsed time counts the start of its processes too
		s.RateRPS, s.DurationS = Num(p.last.rate), s.Requests/Num(p.last.rate)
	}
	p.told = false
	yield(reportOf(s))
}

func (p *guidellmLines) flush(last bool, yield func(*Record)) error {
	if last {
		p.report(yield)
	}
	return nil
}
