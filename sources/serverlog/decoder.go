package serverlog

import (
	"fmt"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// Options say how a log is to be read.
type Options struct {
	Format   string         // a format's name; "" finds it out
	Zone     *time.Location // of stamps without one; nil is UTC
	Year     int            // of stamps without one; 0 is the year of arrival
	Start    model.Instant  // time of second 0, for stamps that count from the server's start
	OwnTime  bool           // place events by the log's own stamps: replay of a finished run
	KeepText bool           // samples of bad lines may hold what users sent
	Label    string         // the server's label, "" if the user gave none
	Name     string         // the place, for notes
}

// Limits of finding the format out.
const (
	sniffLines = 64              // lines that are kept until the format is known
	sniffTime  = 2 * time.Second // how long they are kept at most
	giveUp     = 500             // lines without anything known before generic is taken
	credible   = 0.8             // the least sum of votes that decides at the end
)

// skewEvery is how often a live line's stamp is held against its arrival.
const skewEvery = 20 * time.Millisecond

// reconsiderAll is how many lines without anything known are all held against
// the other formats; of later ones only some are.
const reconsiderAll = 4000

// Silence: how many lines and how long without anything known is a warning.
const (
	silentLines = 500
	silentTime  = 30 * time.Second // three intervals of the servers that print statistics every 10 s
)

// badSamples bounds the damaged statistics lines that are shown.
const badSamples = 20

type heldLine struct {
	text    []byte
	seen    model.Instant
	history bool
}

// Decoder turns one stream of lines into events. It belongs to one goroutine.
// It keeps no line, but for the first few while the format is being found out.
type Decoder struct {
	o     Options
	rd    reader
	e     emitter
	fixed bool // the user named the format

	tally  *tally
	held   []heldLine
	heldAt model.Instant
	score  float64
	odd    int // damaged statistics lines so far
	line   int // lines so far
	known  int // lines that said something
	quiet  int // lines since the last that said something
	spoke  model.Instant
	warned bool

	past     history
	skew     float64
	skewAt   model.Instant
	sampled  model.Instant // when a line's stamp was last held against its arrival
	every    bool          // every line's stamp counts, for knowing it again
	newest   model.Instant // newest stamp
	last     model.Instant // newest own time, for records without one
	clock0   model.Instant // where the server's clock since start has its zero
	clockNow time.Duration
	pastTick time.Duration // the newest clock of history, said something or not
	written  model.Instant // when the file was last written before we came; 0 if it is none
	day      model.Instant // for which the year of stamps without one was taken

	matched bool // the line at hand said something
	onRead  func(*record, *Reading)
	timer   stripper // for Time, which may be called between lines
	timerRe record
}

// NewDecoder makes a decoder. A format name that is not known is as none; see
// Load.
func NewDecoder(o Options) *Decoder {
	d := &Decoder{o: o, tally: newTally(), clock0: o.Start}
	d.rd.zone, d.rd.year, d.rd.clocks = o.Zone, o.Year, o.OwnTime
	d.onRead = d.reading
	if f, err := Load(o.Format); err == nil && o.Format != "" {
		d.fixed = true
		d.choose(&f, 1)
	}
	return d
}

// Format is the name of the format in use and how sure that is; "" while it is
// not known.
func (d *Decoder) Format() (name string, score float64) {
	if d.rd.f == nil {
		return "", 0
	}
	return d.rd.f.Name, d.score
}

func (d *Decoder) choose(f *Format, score float64) {
	d.rd.f, d.score = f, score
	d.e.from = f.Name + " log"
}

// Line reads one line. seen is when it arrived; history says that it was
// written before we watched. text is not kept.
func (d *Decoder) Line(text []byte, seen model.Instant, history bool, out *sources.Outlet) {
	d.e.out = out
	out.Count(1, 0, len(text)+1, 0, 0)
	d.line++
	if d.rd.f == nil {
		d.hold(text, seen, history)
		return
	}
	d.decode(text, seen, history)
}

// hold keeps a line until the format is known.
func (d *Decoder) hold(text []byte, seen model.Instant, history bool) {
	if d.heldAt == 0 {
		d.heldAt = seen
	}
	d.timer.strip(text, &d.timerRe)
	d.tally.count(&d.timerRe)
	if len(d.held) >= sniffLines { // nothing known so far: the newest count
		copy(d.held, d.held[1:])
		d.held = d.held[:sniffLines-1]
	}
	d.held = append(d.held, heldLine{append([]byte(nil), text...), seen, history})
	if d.tally.seen >= sniffLines || seen.Sub(d.heldAt) >= sniffTime {
		d.decide(credible)
	} else {
		d.decide(2 * strong)
	}
	if d.rd.f == nil && d.tally.seen >= giveUp {
		d.fallBack(seen)
	}
}

// decide takes the best format if its votes reach least.
func (d *Decoder) decide(least float64) {
	ms := d.tally.matches()
	if len(ms) == 0 {
		return
	}
	f, ok := Lookup(ms[0].Name)
	if !ok {
		return
	}
	votes := 0.0
	for i := range formats {
		if formats[i].Name == f.Name || formats[i].Name == f.wraps {
			votes += d.tally.votes[i]
		}
	}
	early := least > credible
	switch {
	case f.Name == generic.Name && (early || votes < 0.2):
		return
	case f.Name != generic.Name && votes < least:
		return
	case early && (wrapped(f.Name) || ms[0].Score < 0.75):
		return // a log that holds this one may show itself yet
	}
	d.choose(&f, ms[0].Score)
	d.announce()
}

// wrapped reports whether another format's log can hold this one's records.
func wrapped(name string) bool {
	for i := range formats {
		if formats[i].wraps == name {
			return true
		}
	}
	return false
}

// fallBack takes the generic format and says so.
func (d *Decoder) fallBack(seen model.Instant) {
	f := generic
	d.choose(&f, 0)
	n := d.tally.seen
	d.announce()
	d.unrecognised(seen, n, fmt.Sprintf("no format of ours fits; name one with ,format=NAME (%s), or describe it in a profile (benchtop formats deepinfer prints one to start from)",
		strings.Join(Names(), ", ")))
}

// announce tells the run which format it is, then reads what was held.
func (d *Decoder) announce() {
	held := d.held
	d.held = nil
	if len(held) > 0 {
		d.e.out.Describe(held[len(held)-1].seen, d.o.Name, model.KindServerLog, d.rd.f.Name, d.o.Label)
	}
	for _, h := range held {
		d.decode(h.text, h.seen, h.history)
	}
}

// decode reads one line with the format at hand.
func (d *Decoder) decode(text []byte, seen model.Instant, history bool) {
	if d.o.Year == 0 && !d.o.OwnTime && seen.Floor(24*time.Hour) != d.day {
		d.day = seen.Floor(24 * time.Hour)
		d.rd.year = seen.Time().UTC().Year()
	}
	d.matched = false
	d.e.seen, d.e.late = seen, history && !d.o.OwnTime
	odd := d.odd
	sample := !d.e.late && !d.o.OwnTime && seen.Sub(d.sampled) >= skewEvery
	if sample {
		d.sampled = seen
	}
	d.rd.all = sample || d.every || !d.e.late && d.past.waiting()
	if d.e.late {
		d.past.newest = seen
	}
	d.rd.dated = d.o.OwnTime || d.e.late
	d.rd.read(text, d.onRead)
	if d.e.late && d.rd.rec.ticked {
		d.pastTick = d.rd.rec.clock
	}
	if len(d.e.slotted) > 0 && !d.e.late {
		d.e.at, d.e.mute, d.e.past = d.here(), false, nil
		d.e.refresh()
	}
	if d.odd > odd && d.odd <= badSamples {
		d.e.out.Note(model.Note{At: seen, Seen: seen, Kind: model.NoteBadLine, Name: "damaged statistics line", Value: float64(d.line), Text: d.sample(text)})
	}
	if d.odd > odd {
		d.e.out.Count(0, 0, 0, 0, 1)
	}
	if d.matched {
		d.understood(seen)
		return
	}
	d.unmatched(text, seen, history)
}

// understood books a line that said something.
func (d *Decoder) understood(seen model.Instant) {
	if d.warned {
		d.recognised(seen)
	}
	d.known++
	d.e.out.Count(0, 1, 0, 0, 0)
	d.quiet, d.spoke = 0, seen
}

// unmatched looks whether silence has a reason: another format, or statistics
// that the server does not print.
func (d *Decoder) unmatched(text []byte, seen model.Instant, history bool) {
	if !look(text) {
		d.quiet++
	}
	if !d.fixed && (d.tally.seen < reconsiderAll || d.line%256 == 0) {
		d.timer.strip(text, &d.timerRe)
		d.tally.count(&d.timerRe)
		if d.reconsider(seen) { // the line that showed it is the first to read
			d.rd.read(text, d.onRead)
			if d.matched {
				d.understood(seen)
				return
			}
		}
	}
	if d.spoke == 0 {
		d.spoke = seen
	}
	if history || d.warned || d.quiet < silentLines || seen.Sub(d.spoke) < silentTime {
		return
	}
	d.unrecognised(seen, d.quiet, d.rd.f.Hint)
}

// reconsider changes the format where later lines show that the first ones
// misled: an outer log showed itself, or nothing was ever understood. Where no
// format was found at all, one line that only one engine writes is enough. It
// reports whether it did.
func (d *Decoder) reconsider(seen model.Instant) bool {
	now := d.rd.f.Name
	lost := d.score == 0 && d.known == 0
	for i := range formats {
		f := &formats[i]
		v := d.tally.votes[i]
		if f.Name == now || f.Name == generic.Name {
			continue
		}
		if f.wraps == now && v >= 1 || (now == generic.Name || d.known == 0) && v >= 1.5*strong || lost && f.vote(&d.timerRe) >= 1 {
			c := *f
			d.choose(&c, v/(v+1))
			d.e.out.Describe(seen, d.o.Name, model.KindServerLog, f.Name, d.o.Label)
			return true
		}
	}
	return false
}

// Idle tells the decoder that nothing arrived for a while, so that what it
// holds back is not held longer than it helps.
func (d *Decoder) Idle(now model.Instant, out *sources.Outlet) {
	d.e.out = out
	if d.rd.f == nil && d.heldAt != 0 && now.Sub(d.heldAt) >= sniffTime {
		d.decide(credible)
	}
	if d.past.waiting() && now.Sub(d.past.newest) >= pastWait {
		d.pastAlone(now)
	}
	d.nothing(now)
}

// Close reads what is still held back: the input is over.
func (d *Decoder) Close(now model.Instant, out *sources.Outlet) {
	d.e.out = out
	if d.rd.f == nil && len(d.held) > 0 {
		if d.decide(0.2); d.rd.f == nil {
			f := generic
			d.choose(&f, 0)
			d.announce()
		}
	}
	d.pastAlone(now)
	d.nothing(now)
}

// sample is a line to show: without what stands in quotes or behind a word that
// leads to what users sent, unless they said that it may be kept.
func (d *Decoder) sample(line []byte) string {
	if d.o.KeepText {
		return clean(line, sampleMost)
	}
	return clean(discreet(line), sampleMost)
}

// sampleMost bounds a sample, in bytes.
const sampleMost = 200

// clean makes a line fit to show: no control characters, cut to n bytes.
func clean(b []byte, n int) string {
	var sb strings.Builder
	for _, r := range strings.ToValidUTF8(string(b[:min(len(b), 2*n)]), "?") {
		if sb.Len() >= n {
			break
		}
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u202e' {
			r = ' '
		}
		sb.WriteRune(r)
	}
	return sb.String()
}
