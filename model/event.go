package model

import (
	"strings"
	"time"
)

// Instant is a point in time: nanoseconds since 1970 UTC. Zero means unknown.
type Instant int64

// Time converts for printing.
func (t Instant) Time() time.Time { return time.Unix(0, int64(t)) }

// Seconds is the span from u to t in seconds.
func (t Instant) Seconds(u Instant) float64 { return float64(t-u) / 1e9 }

// Add moves t by d.
func (t Instant) Add(d time.Duration) Instant { return t + Instant(d) }

// Sub is the span from u to t.
func (t Instant) Sub(u Instant) time.Duration { return time.Duration(t - u) }

// Floor is the start of the bucket of width step that holds t, counted from
// the epoch, so that bucket borders never depend on when somebody looked.
func (t Instant) Floor(step time.Duration) Instant {
	s := Instant(step)
	m := t % s
	if m < 0 {
		m += s
	}
	return t - m
}

// InstantOf converts a wall-clock time.
func InstantOf(t time.Time) Instant { return Instant(t.UnixNano()) }

// SourceID numbers one producer within a run. 0 is the heartbeat.
type SourceID uint16

// Kind says what an Event does to its series.
type Kind uint8

// The kinds of events. Each comment gives the meaning of Value.
const (
	Level   Kind = iota // a sampled value, in the series' unit
	Add                 // an amount to sum per bucket (may be negative for in-flight corrections)
	Observe             // one observation of a distribution, in the series' unit
	Begin               // a request begins; Key names it; Value unused
	End                 // a request ends; Series is its outcome, Value its latency in seconds or NaN
	Tick                // time passes; nothing else moves it
	Gap                 // what the series held is unknown from here on, until its next value
	State               // the source's state changed; Value is a SourceState
	Reset               // the source starts over: a new run, a restarted server, a seek
)

// Event is flat and holds no pointer: a batch of them is one block that the
// collector never scans.
type Event struct {
	At     Instant  // when it happened, by its emitter's clock; Seen if it said nothing
	Seen   Instant  // when it was read
	Value  float64  // base units: seconds, bytes, hertz, watts, ratio, count
	Key    uint64   // whose: request (Begin, End), server engine, GPU; 0 if there is only one
	Series SeriesID // index into the catalogue
	Source SourceID // stamped by the outlet
	Kind   Kind
	Late   bool // history: told before we watched; drawn, but in no rule's window
}

// BatchCap is how many events a batch holds at most in normal flow.
const BatchCap = 512

// Batch changes hands: an outlet fills it, the engine consumes it.
type Batch struct {
	Events []Event
	Notes  []Note
}

// Clear empties the batch and keeps its memory.
func (b *Batch) Clear() {
	b.Events = b.Events[:0]
	clear(b.Notes)
	b.Notes = b.Notes[:0]
}

// NoteKind says what a Note is about.
type NoteKind uint8

// The kinds of notes: the rare things that carry text.
const (
	NoteSource  NoteKind = iota // describes a source: Name; Text is "kind|format|label|place"; Value is a SourceKind
	NoteMark                    // a mark on the time axis: Name is its class, Text what happened
	NoteBadLine                 // a sampled line that was not understood: Name the reason, Text the line, Value its number
	NoteConfig                  // a declared or printed setting: Name, Value, Text where it was said
	NoteGPU                     // Key is the GPU, Name its UUID, Text its name, Value its index
	NoteEngine                  // Key is the engine, Name its label
	NoteVerdict                 // the principal verdict changed: Name its id, Text "reason|severity|confidence|title"
	NoteRun                     // a fact about the run: Name, Text; named FactUnrecognised, one about its source
	NoteError                   // why a source is not working: Text, with the next step
)

// MarkClock is the Name of the mark that says that the wall clock was set: what
// was learnt of the delay of stamps against our clock is void from there on.
const MarkClock = "clock"

// FactNeighbour is the Name of the fact (NoteRun) that names the busiest process
// that is neither the client's nor the server's, with what it uses.
const FactNeighbour = "neighbour"

// MarkRotated is the Name of the mark that says that a file was rotated, cut or
// opened anew: what was said around it may be missing.
const MarkRotated = "rotation"

// FactThinned names the NoteRun by which a recording tells that the requests up
// to its time were recorded as counts, for Value seconds: what the rules make of
// them need not be what they made then, so the recorded verdict is shown.
const FactThinned = "thinned"

// FactUnrecognised names the NoteRun by which a log's source tells that nothing
// is recognised in it: Value is the lines since the last that told something, 0
// once that is over, Text what would help.
const FactUnrecognised = "log_unrecognised"

// Note is rare text beside the events: phase marks, sampled bad lines, names.
type Note struct {
	At, Seen Instant
	Value    float64
	Key      uint64
	Name     string
	Text     string
	Source   SourceID
	Kind     NoteKind
}

// How many bytes of a note's texts are kept. Names are drawn in each frame;
// the longest fact is a load generator's own report.
const (
	MaxName = 512
	MaxText = 4 << 10
	MaxFact = 64 << 10
)

// Clip is the note with no more text than is kept, so that a source that names
// a thing with a megabyte costs no more than one that doesn't.
func (n Note) Clip() Note {
	most := MaxText
	switch n.Kind {
	case NoteRun:
		most = MaxFact
	case NoteGPU, NoteEngine, NoteSource:
		most = MaxName
	case NoteMark, NoteBadLine, NoteConfig, NoteVerdict, NoteError:
	}
	n.Name, n.Text = clip(n.Name, MaxName), clip(n.Text, most)
	return n
}

// clip cuts a text to n bytes at most, at the border of a rune.
func clip(s string, n int) string {
	const sign = "…"
	if len(s) <= n {
		return s
	}
	n -= len(sign)
	for n > 0 && s[n]&0xc0 == 0x80 { // in the middle of a rune
		n--
	}
	return strings.Clone(s[:n]) + sign
}

// SourceKind is the part a source plays in the run.
type SourceKind uint8

// The kinds of sources.
const (
	KindOther SourceKind = iota
	KindLoad
	KindServerLog
	KindMetrics
	KindGPU
	KindHost
	KindClock // the heartbeat
)

var sourceKindNames = [...]string{"other", "load", "log", "metrics", "gpu", "host", "clock"}

// String is the word shown to users and written to summaries.
func (k SourceKind) String() string {
	if int(k) < len(sourceKindNames) {
		return sourceKindNames[k]
	}
	return "other"
}

// SourceState is what a source is doing.
type SourceState uint8

// The states of a source.
const (
	Starting SourceState = iota
	Running
	Quiet    // open, but nothing has arrived for a while, or nothing that is understood
	Retrying // it failed and will be tried again
	Ended    // its input is over
	Failed   // it failed and will not be tried again
)

var sourceStateNames = [...]string{"starting", "running", "quiet", "retrying", "ended", "failed"}

// String is the word shown to users and written to summaries.
func (s SourceState) String() string {
	if int(s) < len(sourceStateNames) {
		return sourceStateNames[s]
	}
	return "unknown"
}
