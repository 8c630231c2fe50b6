package scrape

import (
	"bytes"
	"context"
	"io"
	"math"

	"benchtop/model"
)

// Summary is what is understood of an endpoint's metrics.
type Summary struct {
	Kind   string `json:"kind"`   // "metrics"
	Engine string `json:"engine"` // the server's kind, "unknown" if none fits
	// Series maps catalogue names to values in base units: gauges as of the
	// scrape and summed over schedulers (KV usage and batch: their mean), counters
	// since the server's start, samples as their mean since then.
	Series map[string]float64 `json:"series"`
	// Unknown lists metric names as written that have no use here and are not
	// known, sorted, at most 200.
	Unknown []string `json:"unknown"`
}

// Looks reports whether a text begins like an exposition or saved scrapes: it
// has their comments, or most of its first lines are samples, or it is a
// server's JSON that is read for one.
func Looks(head []byte) bool {
	head = tidy(bytes.Clone(head[:min(len(head), 64<<10)]))
	if first := firstByte(head); first == '[' || first == '{' {
		// A log's stamp may stand in brackets, and its records may be objects.
		if list := bytes.TrimSpace(head)[1:]; first == '[' && firstByte(list) != '{' || first == '{' && bytes.Contains(list, []byte("\n{")) {
			return false
		}
		return bytes.Contains(head, []byte(`"numActiveRequests"`)) || bytes.Contains(head, []byte(`"queue_absolute"`))
	}
	samples, others := 0, 0
	for line := range bytes.Lines(head) {
		switch {
		case bytes.HasPrefix(line, []byte(savedHead)), bytes.HasPrefix(line, []byte("# HELP ")), bytes.HasPrefix(line, []byte("# TYPE ")):
			return true // no log has such lines
		case len(bytes.TrimSpace(line)) == 0:
		case sampleShape.Match(line):
			samples++
		default:
			others++
		}
		if samples+others > maxLook {
			break
		}
	}
	return samples > others
}

// maxLook is how many lines Looks looks at.
const maxLook = 200

// Probe reads an exposition, or a file of saved scrapes of which the last good
// one counts, and tells what is understood of it. The error says what it is
// instead of Prometheus text, or what went wrong reading.
func Probe(r io.Reader) (Summary, error) {
	x, err := lastGood(r)
	if err != nil {
		return Summary{}, err
	}
	return summarize(x), nil
}

// ProbeURL asks an endpoint once.
func ProbeURL(ctx context.Context, o Options) (Summary, error) {
	s, err := New(o)
	if err != nil {
		return Summary{}, err
	}
	defer s.client.CloseIdleConnections()
	p := s.poll(ctx)
	if p.err != nil {
		return Summary{}, p.err
	}
	return summarize(p.x), nil
}

func summarize(x *Exposition) Summary {
	e := discover(x)
	s := Summary{Kind: "metrics", Engine: "unknown", Series: map[string]float64{}, Unknown: e.unknown(x)}
	if e == nil {
		return s
	}
	s.Engine = e.Name
	rs := e.read(x)
	for f := range fieldCount {
		if v := overall(rs, f); !math.IsNaN(v) {
			s.Series[seriesOf[f].String()] = v
		}
	}
	return s
}

// overall is a field's value over all schedulers, NaN if none says it.
func overall(rs []Reading, f Field) float64 {
	var v, n float64
	count := 0
	for i := range rs {
		if r := &rs[i].Values[f]; r.OK {
			v, n = v+r.V, n+r.N
			count++
		}
	}
	switch {
	case count == 0:
		return math.NaN()
	case f == BatchNow && v == 0: // nobody runs, so there is no batch
		return math.NaN()
	case natures[f] == ratio, f == BatchNow: // each scheduler makes batches of its own
		return v / float64(count)
	case natures[f] == mean:
		return v / n // NaN where nothing was counted yet
	}
	return v
}

// Covers lists the series that metrics of an engine can give, in the
// catalogue's order; nil if the engine is unknown.
func Covers(engine string) []model.SeriesID {
	for _, e := range engines {
		if e.Name != engine {
			continue
		}
		has := make(map[model.SeriesID]bool)
		for i := range e.Metrics {
			has[seriesOf[e.Metrics[i].Field]] = true
		}
		var ids []model.SeriesID
		for i := range model.NumSeries {
			if id := model.SeriesID(i); has[id] {
				ids = append(ids, id)
			}
		}
		return ids
	}
	return nil
}
