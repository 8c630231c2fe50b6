package scrape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
)

// MaxBody is the largest exposition that is read, unpacked, in bytes.
const MaxBody = 8 << 20

// ErrTooLarge says that an exposition is larger than MaxBody.
var ErrTooLarge = errors.New("larger than 8 MiB: not read (does the address belong to an aggregator? give the server's own /metrics)")

// ErrNotText says that a body is no Prometheus text at all.
var ErrNotText = errors.New("not Prometheus text")

// BadLine is a line of an exposition that could not be read.
type BadLine struct {
	Line   int    // counted from 1
	Reason string // what is wrong with it
	Text   string // the line, at most 200 bytes
}

// Exposition is one scrape, parsed: metric families by their plain name.
type Exposition struct {
	families map[string]*dto.MetricFamily
	names    []string // as written, sorted
	Bad      []BadLine
	Size     int  // bytes read
	emptied  bool // it was JSON that reading empties
	crowded  bool // reading it found more schedulers than are kept apart
}

// plain is a metric's name as it is looked up: colons are underscores, since
// some agents write them so, and Ray's prefix is dropped from names that are
// not Ray's own.
func plain(name string) string {
	name = strings.ReplaceAll(name, ":", "_")
	if rest, ok := strings.CutPrefix(name, "ray_"); ok && (strings.HasPrefix(rest, "vllm_") || strings.HasPrefix(rest, "sglang_")) {
		return rest
	}
	return name
}

// Parse reads one exposition of at most MaxBody bytes. A line that can't be
// read is data: it is skipped and listed in Bad. The error is ErrTooLarge,
// ErrNotText (nothing in it could be read), or the reader's.
func Parse(r io.Reader) (*Exposition, error) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	if len(body) > MaxBody {
		return nil, ErrTooLarge
	}
	return parseBytes(body)
}

// parseBytes is Parse of a body in memory. It may blank out bad lines in it.
func parseBytes(body []byte) (*Exposition, error) {
	x := &Exposition{Size: len(body)}
	first := firstByte(body)
	if first == '{' || first == '[' || first == '<' {
		if y := iterations(body); y != nil {
			return y, nil
		}
		if y := queueOf(body); y != nil {
			return y, nil
		}
		return nil, notText(first, nil)
	}
	families := x.parse(tidy(body))
	if len(families) == 0 {
		return nil, notText(first, x.Bad)
	}
	x.index(families)
	return x, nil
}

// errJSON is a JSON answer: trtllm-serve's statistics, which reading empties.
var errJSON = fmt.Errorf("%w but JSON", ErrNotText)

// notText says what a body without one metric in it looks like.
func notText(first byte, bad []BadLine) error {
	switch {
	case first == '{' || first == '[':
		return fmt.Errorf("%w (trtllm-serve has its metrics at /prometheus/metrics, with return_perf_metrics on)", errJSON)
	case first == '<':
		return fmt.Errorf("%w but a web page (is the path right? servers use /metrics)", ErrNotText)
	case len(bad) > 0:
		return fmt.Errorf("%w: line %d: %s", ErrNotText, bad[0].Line, bad[0].Reason)
	}
	return fmt.Errorf("%w: no metric in it (is the server's metrics switch on?)", ErrNotText)
}

// firstByte is the first byte of a body that is no space, 0 if there is none.
func firstByte(body []byte) byte {
	if t := bytes.TrimSpace(body); len(t) > 0 {
		return t[0]
	}
	return 0
}

func (x *Exposition) index(families map[string]*dto.MetricFamily) {
	x.families = make(map[string]*dto.MetricFamily, len(families))
	for name := range families {
		x.names = append(x.names, name)
	}
	slices.Sort(x.names)
	for _, name := range x.names {
		// Two spellings of one family: the first in order, always the same, wins.
		if p := plain(name); x.families[p] == nil {
			x.families[p] = families[name]
		}
	}
}

// family finds a family by plain name, with or without the _total that some
// exporters add and others don't; nil if it is not offered.
func (x *Exposition) family(name string) *dto.MetricFamily {
	if f := x.families[name]; f != nil {
		return f
	}
	if rest, ok := strings.CutSuffix(name, "_total"); ok {
		return x.families[rest]
	}
	return x.families[name+"_total"]
}

// scalar is a sample's value, NaN where there is none.
func scalar(m *dto.Metric) float64 {
	switch {
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Untyped != nil:
		return m.Untyped.GetValue()
	}
	return math.NaN()
}

// sumCount is the sum and the count of a histogram or summary; ok is false for
// any other metric.
func sumCount(m *dto.Metric) (sum, count float64, ok bool) {
	switch {
	case m.Histogram != nil:
		count = float64(m.Histogram.GetSampleCount())
		if count == 0 {
			count = m.Histogram.GetSampleCountFloat()
		}
		return m.Histogram.GetSampleSum(), count, true
	case m.Summary != nil:
		return m.Summary.GetSampleSum(), float64(m.Summary.GetSampleCount()), true
	}
	return 0, 0, false
}

func label(m *dto.Metric, name string) string {
	for _, l := range m.Label {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
