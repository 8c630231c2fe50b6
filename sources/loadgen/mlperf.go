package loadgen

import (
	"bytes"

	"benchtop/model"
)

// mlperfTrace is MLPerf LoadGen's mlperf_log_trace.json: a line per begin and
// end of a sample, both written when it completes, in microseconds since the
// trace began. It isn't closed JSON while the run goes on.
var mlperfTrace = Format{
	Name: "mlperf_trace", Versions: "6.0.17 (read)",
	Sniff: func(lines [][]byte) float64 {
		return max(opens(lines, '{', `"traceEvents"`, `"sample_seq"`), share(lines, func(l []byte) bool {
			return bytes.HasPrefix(l, []byte(`{"name":"Sample","cat":`))
		}))
	},
	New:      func(*Options) parser { return &mlperfLines{began: make(map[string]model.Instant)} },
	Relative: true,
}

type mlperfLines struct {
	unheld
	object
	began map[string]model.Instant
	rec   Record
	key   []byte
}

func (p *mlperfLines) parse(line []byte, yield func(*Record)) error {
	line = bytes.TrimRight(line, ", \t")
	if !bytes.HasPrefix(line, []byte(`{"name":"Sample"`)) {
		return nil // the head, the tail, other events
	}
	v, err := p.value(line)
	if err != nil {
		if v, err = p.value(bytes.TrimRight(line, "]}")); err != nil {
			return err
		}
	}
	at, ok := p.decimal(v.Get("ts"), 3)
	if !ok {
		return badLine("a sample without ts")
	}
	p.key = append(p.key[:0], p.text(v.Get("id"))...)
	if string(str(v.Get("ph"))) == "b" {
		if len(p.began) < openCap {
			p.began[string(p.key)] = runStart + at
		}
		return nil
	}
	start, ok := p.began[string(p.key)]
	if !ok {
		return nil
	}
	delete(p.began, string(p.key))
	r := &p.rec
	r.clear(KindEnd)
	r.Outcome, r.Start, r.At = OK, start, runStart+at
	if r.At < r.Start {
		return badLine("a sample that ends before it begins")
	}
	r.Latency = r.At.Seconds(start)
	yield(r)
	return nil
}

// mlperfDetail is MLPerf LoadGen's mlperf_log_detail.txt: messages until the
// results come at the end, in nanoseconds.
var mlperfDetail = Format{
	Name: "mlperf_detail", Versions: "6.0.17 (read)",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool { return bytes.HasPrefix(l, []byte(":::MLLOG ")) })
	},
	New:      func(*Options) parser { return newReport(readMLPerfDetail) },
	Document: true,
}

func readMLPerfDetail(text []byte, s *Summary) bool {
	var o object
	l := &s.LatencyMS
	for line := range bytes.Lines(text) {
		v, err := o.value(bytes.TrimSpace(bytes.TrimPrefix(line, []byte(":::MLLOG "))))
		if err != nil {
			continue
		}
		key := string(str(v.Get("key")))
		for _, q := range [...]struct {
			key   string
			scale float64
			to    *Num
		}{
			{"result_query_count", 1, &s.Requests},
			{"result_completed_samples_per_sec", 1, &s.RateRPS},
			{"result_mean_latency_ns", 1e-6, &l.Mean},
			{"result_max_latency_ns", 1e-6, &l.Max},
			{"result_50.00_percentile_latency_ns", 1e-6, &l.P50},
			{"result_90.00_percentile_latency_ns", 1e-6, &l.P90},
			{"result_95.00_percentile_latency_ns", 1e-6, &l.P95},
			{"result_99.00_percentile_latency_ns", 1e-6, &l.P99},
			{"result_99.90_percentile_latency_ns", 1e-6, &l.P999},
		} {
			if q.key == key {
				*q.to = num(v, q.scale, "value")
			}
		}
	}
	s.OK, s.Failed = s.Requests, 0 // a lost sample hangs the run
	return s.Requests.known()
}
