package serverlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"
)

// Fields are one record's readings as `probe --json` prints them: time and
// engine always, the others only if the record states them.
type Fields struct {
	Time        *string  `json:"time"`
	Engine      *string  `json:"engine"`
	Running     *int64   `json:"running,omitempty"`
	Waiting     *int64   `json:"waiting,omitempty"`
	Batch       *int64   `json:"batch,omitempty"`
	BatchWaitMs *float64 `json:"batch_wait_ms,omitempty"`
	KVUsage     *float64 `json:"kv_usage,omitempty"`
	PromptTPS   *float64 `json:"prompt_tps,omitempty"`
	GenTPS      *float64 `json:"gen_tps,omitempty"`
	Preempted   *int64   `json:"preempted,omitempty"`
	Event       *string  `json:"event,omitempty"`
	LatencyMs   *float64 `json:"latency_ms,omitempty"`
}

// Record is one log record that says something. Line counts from 1; records
// glued to one line share its number.
type Record struct {
	Line   int    `json:"line"`
	Fields Fields `json:"fields"`
}

// Config is what start-up lines say; nil is what they do not.
type Config struct {
	MaxBatch    *float64 `json:"max_batch"`
	BatchWaitMs *float64 `json:"batch_wait_ms"`
	KVTokens    *float64 `json:"kv_tokens"`
	Slots       *float64 `json:"slots"`
}

// Summary is what a probe says about a whole log.
type Summary struct {
	Kind       string         `json:"kind"`
	Format     string         `json:"format"`
	Confidence float64        `json:"confidence"`
	Lines      int            `json:"lines"`
	Matched    int            `json:"matched"`
	ByField    map[string]int `json:"by_field"`
	ByEvent    map[string]int `json:"by_event"`
	Config     Config         `json:"config"`

	Patterns []PatternTally `json:"patterns,omitempty"` // of a profile, in its order

	Others []Match `json:"-"` // the other formats that lines spoke for, best first
	Hint   string  `json:"-"` // what to change where the log says nothing
}

// probeSniff is how many lines a probe looks at for the format.
const probeSniff = 500

// Probe reads a whole log and calls each for every record that says something,
// in order. It returns the summary; err is the reader's or each's.
func Probe(r io.Reader, o Options, each func(Record) error) (Summary, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head, err := lines(br, probeSniff)
	if err != nil {
		return Summary{}, err
	}
	f, score, others := pick(o, head)
	tries := f.watched(o.KeepText)
	p := prober{sum: Summary{
		Kind: "server", Format: f.Name, Confidence: math.Round(score*1000) / 1000, Hint: f.Hint, Others: others,
		ByField: map[string]int{}, ByEvent: map[string]int{}, Patterns: tries,
	}, each: each}
	rd := reader{f: &f, year: o.Year, zone: o.Zone, dated: true}
	for _, l := range head {
		p.line(&rd, l)
	}
	head = nil
	for p.err == nil {
		more, err := lines(br, probeSniff)
		if err != nil {
			return p.sum, err
		}
		if len(more) == 0 {
			break
		}
		for _, l := range more {
			p.line(&rd, l)
		}
	}
	return p.sum, p.err
}

// pick takes the format the user named, or the one lines speak for, or the
// generic one.
func pick(o Options, head [][]byte) (f Format, score float64, others []Match) {
	if f, err := Load(o.Format); err == nil && o.Format != "" {
		return f, 1, nil
	}
	ms := Sniff(head)
	if len(ms) == 0 {
		return generic, 0, nil
	}
	f, _ = Lookup(ms[0].Name)
	return f, ms[0].Score, ms[1:]
}

// lines reads up to n lines; the last of the input may lack its LF.
func lines(br *bufio.Reader, n int) ([][]byte, error) {
	var out [][]byte
	for len(out) < n {
		l, err := br.ReadBytes('\n')
		if len(l) > 0 {
			out = append(out, bytes.TrimSuffix(l, []byte("\n")))
		}
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

type prober struct {
	sum  Summary
	each func(Record) error
	err  error
}

func (p *prober) line(rd *reader, l []byte) {
	p.sum.Lines++
	hit := false
	rd.read(l, func(_ *record, r *Reading) {
		if r.Set&configFields != 0 {
			p.config(r)
			hit = true
		}
		if r.Empty() {
			return
		}
		hit = true
		rec := Record{Line: p.sum.Lines, Fields: fieldsOf(r)}
		p.tally(r)
		if p.each != nil && p.err == nil {
			p.err = p.each(rec)
		}
	})
	if hit {
		p.sum.Matched++
	}
}

func (p *prober) config(r *Reading) {
	set := func(f Field, at **float64, v float64) {
		if r.Has(f) {
			*at = &v
		}
	}
	set(HasMaxBatch, &p.sum.Config.MaxBatch, r.MaxBatch)
	set(HasConfigWait, &p.sum.Config.BatchWaitMs, r.ConfigWaitMs)
	set(HasKVTokens, &p.sum.Config.KVTokens, r.KVTokens)
	set(HasSlots, &p.sum.Config.Slots, r.Slots)
}

// fieldNames are the record's keys by their bit.
var fieldNames = map[Field]string{
	HasRunning: "running", HasWaiting: "waiting", HasBatch: "batch", HasBatchWait: "batch_wait_ms", HasKV: "kv_usage",
	HasPromptTPS: "prompt_tps", HasGenTPS: "gen_tps", HasPreempted: "preempted", HasLatency: "latency_ms", HasEvent: "event",
}

func (p *prober) tally(r *Reading) {
	for f, name := range fieldNames {
		if r.Has(f) {
			p.sum.ByField[name]++
		}
	}
	if r.Has(HasEvent) {
		p.sum.ByEvent[r.Event.String()]++
	}
}

func fieldsOf(r *Reading) Fields {
	var f Fields
	if r.At != 0 {
		t := r.At.Time().UTC().Format(time.RFC3339Nano)
		f.Time = &t
	}
	if len(r.Engine) > 0 {
		e := string(bytes.ToValidUTF8(r.Engine, []byte("?")))
		f.Engine = &e
	}
	whole := func(bit Field, at **int64, v int64) {
		if r.Has(bit) {
			*at = &v
		}
	}
	real := func(bit Field, at **float64, v float64) {
		if r.Has(bit) {
			v = tidy(v)
			*at = &v
		}
	}
	whole(HasRunning, &f.Running, r.Running)
	whole(HasWaiting, &f.Waiting, r.Waiting)
	whole(HasBatch, &f.Batch, r.Batch)
	whole(HasPreempted, &f.Preempted, r.Preempted)
	real(HasBatchWait, &f.BatchWaitMs, r.BatchWaitMs)
	real(HasKV, &f.KVUsage, r.KV)
	real(HasPromptTPS, &f.PromptTPS, r.PromptTPS)
	real(HasGenTPS, &f.GenTPS, r.GenTPS)
	real(HasLatency, &f.LatencyMs, r.LatencyMs)
	if r.Has(HasEvent) {
		s := r.Event.String()
		f.Event = &s
	}
	return f
}

// tidy drops the binary noise of a decimal that was scaled: 0.719, not
// 0.7190000000000001.
func tidy(v float64) float64 {
	t, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 14, 64), 64)
	if err != nil {
		return v
	}
	return t
}

// WriteProbe prints a probe as the JSON lines of `probe --json`: the records,
// then the summary.
func WriteProbe(w io.Writer, r io.Reader, o Options) (Summary, error) {
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	sum, err := Probe(r, o, func(rec Record) error { return enc.Encode(rec) })
	if err == nil {
		err = enc.Encode(map[string]Summary{"summary": sum})
	}
	if ferr := bw.Flush(); err == nil {
		err = ferr
	}
	return sum, err
}
