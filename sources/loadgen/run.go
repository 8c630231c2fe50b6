package loadgen

import (
	"fmt"
	"math"

	"benchtop/model"
)

// close takes back what is still in flight: those requests have no end and
// will get none.
func (t *tracker) close(at model.Instant) {
	lines := len(t.ids.open) // told by start lines
	if t.opened > t.nameless {
		lines += int(t.opened - t.nameless)
		t.nameless = t.opened
	}
	open := lines + t.seqs.missing
	if open == 0 {
		return
	}
	if lines > 0 {
		t.correct(at, -float64(lines))
		clear(t.ids.open)
	}
	t.lost += t.seqs.giveUp(&t.emitter, at, t.seqs.next)
	t.note(model.NoteRun, at, "unfinished", fmt.Sprint(open), float64(open))
}

// gap forgets what is open: too much to remember, or records were lost and
// nobody can tell which of it has ended. From here it is as if we had joined in
// mid-run.
func (t *tracker) gap() {
	at := max(t.latest, t.edge)
	if at == 0 {
		return // nothing was told yet
	}
	t.event(model.Gap, model.ClientInFlight, 0, at, math.NaN())
	if n := len(t.ids.open); n > 0 {
		t.correct(at, -float64(n))
		t.lost += n
		t.ids.reset()
	}
	if n := int(t.opened - t.nameless); t.opened > t.nameless {
		t.correct(at, -float64(n))
		t.lost += n
		t.nameless = t.opened
	}
	if t.seqs.begun {
		t.lost += t.seqs.giveUp(&t.emitter, at, t.seqs.next)
		t.seqs.reset()
	}
	t.attached, t.first, t.edge, t.holed = true, at, 0, true
}

// progress tells how far the run is, as a bar or a count says.
func (t *tracker) progress(r *Record) {
	t.level(model.ClientBarDone, r.At, r.Finished)
	if r.Expected > 0 && r.Expected != t.expected {
		t.expected = r.Expected
		t.note(model.NoteConfig, r.At, "expected_requests", t.name, r.Expected)
	}
}

// reported tells what the tool itself says of the run.
func (t *tracker) reported(r *Record) {
	if r.Report == nil || !r.Report.tells() {
		return
	}
	if t.told == 0 { // no request was told: the tool's own count is all there is
		t.level(model.ClientBarDone, max(r.At, t.latest), float64(r.Report.Requests))
	}
	said := *r.Report
	if said.Format == "" {
		said.Format = t.format
	}
	text, err := said.Line()
	if err == nil {
		n := 0.0
		if r.Report.Requests.known() {
			n = float64(r.Report.Requests)
		}
		name := "reported"
		if r.Report.Part != "" {
			name += "_" + r.Report.Part
		}
		t.note(model.NoteRun, r.At, name, string(text), n)
	}
}

// startOver closes this run and begins another one.
func (t *tracker) startOver(at model.Instant) {
	t.close(max(at, t.latest))
	if at == 0 {
		at = t.seen
	}
	t.event(model.Reset, model.ClientInFlight, 0, at, 0)
	t.ids.reset()
	t.seqs.reset()
	keep := *t
	*t = tracker{
		emitter: keep.emitter, name: keep.name, format: keep.format, declared: keep.declared, run: keep.run + 1,
		ids: keep.ids, seqs: keep.seqs, timeout: keep.declared, noise: keep.noise, lost: keep.lost,
	}
}

// facts tells what a run record declares.
func (t *tracker) facts(r *Record) {
	f := r.Run
	for _, s := range [...]struct{ name, text string }{{"tool", f.Tool}, {"target", f.Target}, {"run", f.Name}} {
		if s.text != "" {
			t.note(model.NoteRun, r.At, s.name, s.text, 0)
		}
	}
	for _, s := range [...]struct {
		name  string
		value float64
	}{
		{"target_concurrency", f.Concurrency},
		{"client_connections", f.Connections},
		{"keep_alive", f.KeepAlive},
		{"client_timeout_s", f.TimeoutSeconds},
		{"duration_s", f.DurationSeconds},
		{"rate_rps", f.RatePerS},
	} {
		if !math.IsNaN(s.value) {
			t.note(model.NoteConfig, r.At, s.name, t.name, s.value)
		}
	}
	t.level(model.ClientTarget, r.At, f.Concurrency)
	if f.TimeoutSeconds > 0 {
		t.timeout = f.TimeoutSeconds
	}
}
