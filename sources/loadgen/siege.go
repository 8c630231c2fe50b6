package loadgen

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// siegeLines is `siege -v`: a line per answer, without a time, in steps of
// 10 ms. Resets stand on stderr, timeouts nowhere.
var siegeLines = Format{
	Name: "siege", Versions: "4.0.7",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			var p siegeParser
			return p.parse(l, func(*Record) {}) == nil
		})
	},
	New:   func(*Options) parser { return &siegeParser{} },
	Blind: []Outcome{Timeout, ConnReset, Other},
}

type siegeParser struct {
	unheld
	rec   Record
	plain []byte
}

// parse reads HTTP/1.1 200     0.05 secs:      26 bytes ==> POST http://…
func (p *siegeParser) parse(line []byte, yield func(*Record)) error {
	p.plain = uncoloured(p.plain[:0], line)
	rest, ok := bytes.CutPrefix(p.plain, []byte("HTTP/"))
	if !ok {
		return badLine("not an answer's line")
	}
	_, rest, _ = bytes.Cut(rest, []byte(" "))
	code, rest, _ := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	took, rest, ok := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" secs:"))
	status, isCode := integer(code)
	secs := float(took)
	if !ok || !isCode || !(secs >= 0) || !bytes.Contains(rest, []byte("==>")) {
		return badLine("not an answer's line")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.Status, r.Outcome, r.Latency = int(status), outcomeOfStatus(int(status)), secs
	yield(r)
	return nil
}

// uncoloured appends line without terminal colour sequences.
func uncoloured(dst, line []byte) []byte {
	for i := 0; i < len(line); i++ {
		if line[i] == 0x1b && i+1 < len(line) && line[i+1] == '[' {
			for i += 2; i < len(line) && (line[i] < 0x40 || line[i] > 0x7e); i++ {
				continue
			}
			continue
		}
		dst = append(dst, line[i])
	}
	return dst
}

// siegeSummary is what siege writes to stderr: a line per lost connection, then
// totals that don't add up, so its requests are not known.
var siegeSummary = Format{
	Name: "siege_summary", Versions: "4.0.7",
	Sniff:    func(lines [][]byte) float64 { return max(holds(lines, "** SIEGE "), holds(lines, "under siege...")) },
	New:      func(*Options) parser { return newReport(readSiegeSummary) },
	Document: true,
}

func readSiegeSummary(text []byte, s *Summary) bool {
	if !bytes.Contains(text, []byte("Longest transaction:")) {
		return false
	}
	lost := 0
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("socket: read error Connection reset")) {
			lost++
		}
	}
	s.Failed, s.ByKind.Reset = figure(word(text, "Failed transactions:", 0)), Num(lost)
	s.LatencyMS.Mean, s.LatencyMS.Max = figure(word(text, "Response time:", 0))*1e3, figure(word(text, "Longest transaction:", 0))*1e3
	s.DurationS, s.RateRPS = figure(word(text, "Elapsed time:", 0)), figure(word(text, "Transaction rate:", 0))
	s.AverageConcurrency = figure(word(text, "Concurrency:", 0))
	return true
}

// siegeJSON is what siege prints at its end with json_output, its default since
// 4.0.5: the same totals.
var siegeJSON = Format{
	Name: "siege_json", Versions: "4.0.7",
	Sniff: func(lines [][]byte) float64 {
		return opens(lines, '{', `"transactions":`, `"availability":`)
	},
	New: func(*Options) parser {
		return newJSONReport(func(v *fastjson.Value, s *Summary) bool {
			s.Failed, s.DurationS = num(v, 1, "failed_transactions"), num(v, 1, "elapsed_time")
			s.LatencyMS.Mean, s.LatencyMS.Max = num(v, 1e3, "response_time"), num(v, 1e3, "longest_transaction")
			s.RateRPS, s.AverageConcurrency = num(v, 1, "transaction_rate"), num(v, 1, "concurrency")
			return s.LatencyMS.Mean.known()
		})
	},
	Document: true,
}
