package serverlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/bits"
	"strconv"
	"time"

	"benchtop/sources/tail"
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
	Runs       int            `json:"runs"` // of the server: 1 more than the restarts seen; Config is the last one's

	Patterns []PatternTally `json:"patterns,omitempty"` // of a profile, in its order

	Others []Match `json:"-"` // the other formats that lines spoke for, best first
	Hint   string  `json:"-"` // what to change where the log says nothing
}

// probeSniff is how many lines a probe looks at for the format.
const probeSniff = 500

// Probe reads a whole log and calls each, if it is not nil, for every record
// that says something, in order. It returns the summary; err is the reader's or
// each's.
func Probe(r io.Reader, o Options, each func(Record) error) (Summary, error) {
	if each == nil {
		return probe(r, o, nil)
	}
	return probe(r, o, func(line int, r *Reading) error { return each(Record{Line: line, Fields: fieldsOf(r)}) })
}

// probe is Probe with the reading itself, which each must not keep.
func probe(r io.Reader, o Options, each func(line int, r *Reading) error) (Summary, error) {
	in := &lineReader{br: bufio.NewReaderSize(r, 256<<10)}
	head, err := in.head(probeSniff)
	if err != nil {
		return Summary{}, err
	}
	f, score, others := pick(o, head)
	tries := f.watched(o.KeepText)
	p := prober{sum: Summary{
		Kind: "server", Runs: 1, Format: f.Name, Confidence: math.Round(score*1000) / 1000, Hint: f.Hint, Others: others, Patterns: tries,
	}, each: each}
	p.rd = reader{f: &f, year: o.Year, zone: o.Zone, dated: each != nil}
	emit := p.reading
	for _, l := range head {
		p.line(l, emit)
	}
	head = nil
	for p.err == nil {
		l, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return p.summary(), err
		}
		p.line(l, emit)
	}
	return p.summary(), p.err
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

// lineReader gives lines without their LF; the last of the input may lack it.
// What lies beyond tail.MaxLine of a line is dropped.
type lineReader struct {
	br    *bufio.Reader
	long  []byte
	ended bool
}

// next is valid until the next call. At the end of the input err is io.EOF.
func (l *lineReader) next() ([]byte, error) {
	if l.ended {
		return nil, io.EOF
	}
	b, err := l.br.ReadSlice('\n')
	if err == nil {
		return b[:len(b)-1], nil
	}
	l.long = append(l.long[:0], b...)
	for errors.Is(err, bufio.ErrBufferFull) {
		b, err = l.br.ReadSlice('\n')
		if room := tail.MaxLine - len(l.long); room > 0 {
			l.long = append(l.long, b[:min(len(b), room)]...)
		}
	}
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == io.EOF {
		l.ended = true
		if len(l.long) == 0 {
			return nil, io.EOF
		}
	}
	return bytes.TrimSuffix(l.long, []byte("\n")), nil
}

// head gives the first n lines, to keep.
func (l *lineReader) head(n int) ([][]byte, error) {
	var out [][]byte
	for len(out) < n {
		b, err := l.next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, bytes.Clone(b))
	}
	return out, nil
}

type prober struct {
	sum    Summary
	rd     reader
	each   func(line int, r *Reading) error
	err    error
	hit    bool             // the line at hand says something
	spoke  bool             // something was read since the start of the server
	fields [numFields]int   // how often each was read, by its bit
	events [numOutcomes]int // by outcome
}

func (p *prober) line(l []byte, emit func(*record, *Reading)) {
	p.sum.Lines++
	p.hit = false
	p.rd.read(l, emit)
	if p.hit {
		p.sum.Matched++
	}
}

// reading takes one record that says something.
func (p *prober) reading(_ *record, r *Reading) {
	if r.Restart && p.spoke && r.Engine == nil { // one process behind a router is not the whole server
		p.sum.Runs++
		p.sum.Config, p.spoke = Config{}, false
	}
	if r.Set&configFields != 0 {
		p.config(r)
		p.hit = true
	}
	if r.Empty() {
		return
	}
	p.hit, p.spoke = true, true
	for set := r.Set & recordFields; set != 0; set &= set - 1 {
		p.fields[bits.TrailingZeros32(uint32(set))]++
	}
	if r.Has(HasEvent) {
		p.events[r.Event]++
	}
	if p.each != nil && p.err == nil {
		p.err = p.each(p.sum.Lines, r)
	}
}

// summary is what was met so far.
func (p *prober) summary() Summary {
	p.sum.ByField, p.sum.ByEvent = map[string]int{}, map[string]int{}
	for i, n := range p.fields {
		if n > 0 {
			p.sum.ByField[fieldNames[1<<i]] = n
		}
	}
	for i, n := range p.events {
		if n > 0 {
			p.sum.ByEvent[outcomeNames[i]] = n
		}
	}
	return p.sum
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
	bw := bufio.NewWriterSize(w, 64<<10)
	var f recordPrinter
	sum, err := probe(r, o, func(line int, r *Reading) error {
		_, err := bw.Write(f.print(line, r))
		return err
	})
	if err == nil {
		err = json.NewEncoder(bw).Encode(map[string]Summary{"summary": sum})
	}
	if ferr := bw.Flush(); err == nil {
		err = ferr
	}
	return sum, err
}
