package loadgen

import (
	"bytes"
	"math"

	"benchtop/model"
)

// RecordKind says what a line told.
type RecordKind uint8

// The kinds of records.
const (
	KindNone    RecordKind = iota
	KindRun                // a run begins: Run holds its declared settings
	KindBegin              // a request went out
	KindFirst              // its first token or byte arrived
	KindEnd                // a request ended, whatever the outcome
	KindGauge              // the client's own view of itself
	KindSummary            // the run is over: Report holds what the tool says of it
	KindClose              // whatever is still open ended without a record
)

// Outcome is how a request ended.
type Outcome uint8

// The outcomes. NoOutcome means that the stream doesn't tell good from bad.
const (
	NoOutcome Outcome = iota
	OK
	Timeout
	Rejected
	ConnReset
	HTTPError
	Other
	Cancelled
	outcomeCount
)

var outcomeNames = [outcomeCount]string{"unknown", "ok", "timeout", "rejected", "reset", "http_error", "other", "cancelled"}

// String is the outcome's word, as in the NDJSON contract.
func (o Outcome) String() string {
	if o < outcomeCount {
		return outcomeNames[o]
	}
	return outcomeNames[NoOutcome]
}

// outcomeSeries maps outcomes to the series an End event carries. An unknown
// outcome counts as other: it ended, and nobody said that it was well.
var outcomeSeries = [outcomeCount]model.SeriesID{
	NoOutcome: model.ClientOther, OK: model.ClientOK, Timeout: model.ClientTimeout,
	Rejected: model.ClientRejected, ConnReset: model.ClientReset, HTTPError: model.ClientHTTPError,
	Other: model.ClientOther, Cancelled: model.ClientCancelled,
}

// outcomeOfStatus is the outcome an HTTP status stands for; 0 or less, which is
// no status, gives NoOutcome.
func outcomeOfStatus(code int) Outcome {
	switch {
	case code <= 0:
		return NoOutcome
	case code < 400:
		return OK
	case code == 429 || code == 503:
		return Rejected
	}
	return HTTPError
}

var (
	timeoutWords = [][]byte{[]byte("timeout"), []byte("timed out"), []byte("deadline exceeded")}
	resetWords   = [][]byte{
		[]byte("reset"), []byte("broken pipe"), []byte("disconnected"),
		[]byte("chunkedencoding"), []byte("incompleteread"), []byte("remoteprotocol"), []byte("prematurely closed"),
		[]byte("premature end"), []byte("nohttpresponse"), []byte("closed before message completed"), []byte("payloaderror"),
	}
	eofWord     = []byte("eof")
	cancelWords = [][]byte{[]byte("context canceled"), []byte("cancelled")}
	refuseWords = [][]byte{[]byte("refused")}
)

// outcomeOfError reads the kind of a failure without an answer out of the text
// a tool prints for people. A deadline is looked for first: some libraries wrap
// it into a connection error.
func outcomeOfError(text []byte) Outcome {
	var buf [512]byte
	low := buf[:0]
	for _, c := range text[:min(len(text), len(buf))] {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low = append(low, c)
	}
	for _, k := range [...]struct {
		words [][]byte
		o     Outcome
	}{{timeoutWords, Timeout}, {refuseWords, Other}, {resetWords, ConnReset}, {cancelWords, Cancelled}} {
		for _, w := range k.words {
			if bytes.Contains(low, w) {
				return k.o
			}
		}
		if k.o == ConnReset && isWord(low, eofWord) {
			return ConnReset
		}
	}
	return Other
}

// isWord reports whether w stands in text with no letter at either side.
func isWord(text, w []byte) bool {
	letter := func(c byte) bool { return 'a' <= c && c <= 'z' }
	for from := 0; ; {
		i := bytes.Index(text[from:], w)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(w)
		if (i == 0 || !letter(text[i-1])) && (from == len(text) || !letter(text[from])) {
			return true
		}
	}
}

// RunFacts is what a stream declares about its run. Numbers are NaN and texts
// empty where it says nothing.
type RunFacts struct {
	Name, Tool, Target                        string
	Concurrency, Connections, KeepAlive       float64 // requests, sockets, 0 or 1
	TimeoutSeconds, DurationSeconds, RatePerS float64
}

// Record is what one line, or a part of it, tells. Times are zero and numbers
// NaN where it says nothing.
type Record struct {
	Kind    RecordKind
	Outcome Outcome // of KindEnd
	HasSeq  bool
	Implied bool // of KindRun: no line of its own, read off the first request
	// NoHorizon: starts and ends can't be paired, or times are so coarse that
	// what is in flight is never exact.
	NoHorizon bool
	Status    int           // HTTP status; 0 if there was none
	At        model.Instant // when the line says it was written
	Start     model.Instant // when the request went out
	Key       uint64        // the request's id, hashed; 0 if it has none
	ID        []byte        // the id as text; valid until the next line is read
	Seq       uint64        // a number given out at the start, if HasSeq
	Sched     model.Instant // of KindBegin: when the request should have gone out
	Date      model.Instant // of KindEnd: the answer's Date header, whole seconds of the server's clock
	Sender    bool          // of KindGauge: InFlight is the sender's own count, no estimate
	Shrink    model.Instant // what rounding adds at each end of Start..At: take it off to count concurrency
	// Of KindEnd: seconds, seconds, tokens, tokens, 1 if the connection was
	// already open and 0 if not.
	Latency, TTFT, Prompt, Output, Reused float64
	// Of KindGauge: requests, requests, requests, sockets.
	InFlight, Target, Queued, OpenConns float64
	// Of KindGauge too: requests finished so far whatever their outcome, and how
	// many there will be.
	Finished, Expected float64
	Run                *RunFacts // of KindRun
	Report             *Summary  // of KindSummary; may be nil
}

// clear makes r an empty record of kind k.
func (r *Record) clear(k RecordKind) {
	nan := math.NaN()
	*r = Record{
		Kind: k, Latency: nan, TTFT: nan, Prompt: nan, Output: nan, Reused: nan,
		InFlight: nan, Target: nan, Queued: nan, OpenConns: nan, Finished: nan, Expected: nan,
	}
}

// newFacts is a RunFacts that says nothing.
func newFacts() *RunFacts {
	f := noFacts()
	return &f
}

func noFacts() RunFacts {
	nan := math.NaN()
	return RunFacts{Concurrency: nan, Connections: nan, KeepAlive: nan, TimeoutSeconds: nan, DurationSeconds: nan, RatePerS: nan}
}

// A record's time is believed from 1970 to 2198, a duration up to four months;
// what lies outside is a slip of the unit, and says nothing.
const (
	maxInstant = model.Instant(math.MaxInt64 - 2e18)
	maxSpan    = 1e7  // seconds
	maxTokens  = 1e12 // also for any other count
)

// span is a duration in seconds as a span of time; 0 for one that isn't.
func span(seconds float64) model.Instant {
	if !(seconds > 0) {
		return 0
	}
	return model.Instant(math.Round(min(seconds, 1e9) * 1e9))
}

// settle removes from r what can't be.
func (r *Record) settle() {
	nan := math.NaN()
	for _, f := range [...]*float64{&r.Latency, &r.TTFT} {
		if !(*f >= 0 && *f <= maxSpan) {
			*f = nan
		}
	}
	for _, f := range [...]*float64{&r.Prompt, &r.Output, &r.InFlight, &r.Target, &r.Queued, &r.OpenConns, &r.Finished, &r.Expected} {
		if !(*f >= 0 && *f <= maxTokens) {
			*f = nan
		}
	}
	for _, t := range [...]*model.Instant{&r.At, &r.Start} {
		if *t < 0 || *t > maxInstant {
			*t = 0
		}
	}
	if r.Kind == KindEnd && r.At != 0 && r.Start > r.At {
		r.Start = r.At
	}
}

// begun is when the request of an End record went out: as stated, or its end
// less its latency; 0 if neither is known.
func (r *Record) begun() model.Instant {
	if r.Start != 0 || r.At == 0 || math.IsNaN(r.Latency) {
		return r.Start
	}
	return max(r.At-span(r.Latency), 1)
}

// hashID names a request by its id's text: 64-bit FNV-1a, the same in every
// process so that recordings stay comparable. It never returns 0.
func hashID(id []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range id {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return max(h, 1)
}

// hashNumber names a request that has only a number; run keeps the requests of
// two runs apart. It never returns 0.
func hashNumber(run, n uint64) uint64 {
	h := (n + 1) * 0x9e3779b97f4a7c15
	h ^= run * 0xbf58476d1ce4e5b9
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return max(h^h>>31, 1)
}
