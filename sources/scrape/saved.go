package scrape

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// errNoHead says that saved metrics can't be placed in time.
var errNoHead = errors.New("no line `# scrape TIME status=200 took_ms=N` above the metrics: they can't be placed in time (write one above each saved scrape)")

// savedHead begins each scrape of a file.
const savedHead = "# scrape "

// saved is one scrape of a file.
type saved struct {
	headed   bool
	start    model.Instant
	took     time.Duration
	status   int // 0 if the head says none
	body     []byte
	tooLarge bool
	told     bool // how long it took was told
}

// good reports whether the scrape holds an exposition.
func (s *saved) good() bool { return s.status == http.StatusOK && !s.tooLarge }

func (s *saved) middle() model.Instant { return s.start.Add(s.took / 2) }
func (s *saved) end() model.Instant    { return s.start.Add(s.took) }

// parseHead reads `# scrape RFC3339-TIME status=200 took_ms=4.7`; further
// words are ignored. ok is false for any other line.
func parseHead(line []byte) (s saved, ok bool) {
	rest, ok := strings.CutPrefix(string(line), savedHead)
	if !ok {
		return s, false
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return s, false
	}
	t, err := time.Parse(time.RFC3339Nano, words[0])
	if err != nil || t.Year() < 1970 || t.Year() > 2200 { // others overflow an Instant
		return s, false
	}
	s = saved{headed: true, start: model.InstantOf(t), status: http.StatusOK}
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "status":
			s.status, _ = strconv.Atoi(value) // no number: no good scrape
		case "took_ms":
			if ms, err := strconv.ParseFloat(value, 64); err == nil && ms > 0 && ms < 3.6e6 {
				s.took = time.Duration(ms * float64(time.Millisecond))
			}
		case "error":
			s.status = 0
		}
	}
	return s, true
}

// savedReader reads a file of saved scrapes one by one.
type savedReader struct {
	r    *bufio.Reader
	next saved // the head that was read ahead
	any  bool  // next is valid
	done bool
}

func newSavedReader(r io.Reader) *savedReader {
	return &savedReader{r: bufio.NewReaderSize(r, 64<<10)}
}

// read returns the next scrape; ok is false at the end. What stands before the
// first head is a scrape without one. The body is valid until the next call.
func (sr *savedReader) read() (s saved, ok bool, err error) {
	body := sr.next.body[:0]
	s, ok = sr.next, sr.any
	sr.any = false
	if !ok {
		s.status = http.StatusOK
	}
	for !sr.done {
		line, err := sr.line(len(body) > MaxBody)
		if err != nil {
			return s, false, err
		}
		if head, isHead := parseHead(line); isHead {
			sr.next, sr.any = head, true
			if ok || hasMetric(body) {
				break
			}
			s, ok, sr.any, body = head, true, false, body[:0]
			continue
		}
		if len(body) <= MaxBody {
			body = append(body, line...)
		}
	}
	s.tooLarge = len(body) > MaxBody
	s.body, sr.next.body = body, body
	return s, ok || hasMetric(body), nil
}

// hasMetric reports whether there is anything but comments and empty lines.
func hasMetric(body []byte) bool {
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

// line reads one line with its end; skip drops its text except for a head's.
func (sr *savedReader) line(skip bool) ([]byte, error) {
	var line []byte
	for {
		part, err := sr.r.ReadSlice('\n')
		if len(line) <= MaxBody && (!skip || len(line) < 256) {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF):
			sr.done = true
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// NewFeed reads a file of saved scrapes, each headed by a line
// `# scrape RFC3339-TIME status=200 took_ms=4.7`, for a replay of raw files.
// The engine is known once the first scrape was read. A file whose metrics
// have no such line gives an error that says so.
func NewFeed(r io.ReadCloser, name, label string) *sources.Feed {
	sr, m := newSavedReader(r), NewMeter()
	f := &sources.Feed{Name: name, Kind: model.KindMetrics, Label: label, Close: r.Close}
	var cur saved
	var x *Exposition
	var why error
	f.Next = func() (model.Instant, bool, error) {
		s, ok, err := sr.read()
		if err != nil || !ok {
			return 0, false, err
		}
		if !s.headed {
			return 0, false, errNoHead
		}
		cur, x, why = s, nil, nil
		if s.good() {
			x, why = parseBytes(s.body)
		}
		if e := engineOf(x); e != nil && f.Format == "" {
			f.Format = e.Name
		}
		return s.end(), true, nil
	}
	f.Emit = func(out *sources.Outlet, seen model.Instant) {
		emitSaved(out, m, &cur, x, why, seen)
	}
	return f
}

func engineOf(x *Exposition) *Engine {
	if x == nil {
		return nil
	}
	return discover(x)
}

// emitSaved plays one saved scrape: x is nil if it was no good one.
func emitSaved(out *sources.Outlet, m *Meter, s *saved, x *Exposition, why error, seen model.Instant) {
	if x == nil {
		errored := 1
		if s.status == http.StatusServiceUnavailable { // loading its model: not an error of anybody
			errored = 0
		}
		out.Count(1, 0, len(s.body), 0, errored)
		if why != nil {
			out.Note(model.Note{At: s.middle(), Seen: seen, Kind: model.NoteBadLine, Name: "unreadable scrape", Text: why.Error()})
		}
		m.Gap(seen, out)
		return
	}
	matched := 0
	if m.Apply(x, s.middle(), seen, out) {
		matched = 1
	}
	out.Count(1, matched, len(s.body), 0, 0)
	if s.took > 0 && !s.told {
		s.told = true
		out.Emit(model.Event{At: s.middle(), Seen: seen, Series: model.ScrapeTime, Kind: model.Observe, Value: s.took.Seconds()})
	}
}

// lastGood finds the newest scrape of a file that can be read.
func lastGood(r io.Reader) (*Exposition, error) {
	sr := newSavedReader(r)
	var last *Exposition
	var why error
	for {
		s, ok, err := sr.read()
		if err != nil {
			return nil, fmt.Errorf("read saved metrics: %w", err)
		}
		if !ok {
			break
		}
		switch {
		case s.tooLarge:
			why = ErrTooLarge
		case s.good():
			var x *Exposition
			if x, err = parseBytes(s.body); err == nil {
				last = x
			} else {
				why = err
			}
		default:
			why = fmt.Errorf("the scrape of %s failed with status %d", s.start.Time().UTC().Format(time.RFC3339), s.status)
		}
	}
	if last != nil {
		return last, nil
	}
	if why == nil {
		why = notText(0, nil)
	}
	return nil, why
}
