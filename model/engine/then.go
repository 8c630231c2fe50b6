package engine

import (
	"math"

	"benchtop/model"
)

// contrastAfter is how long today's verdict must differ from the recorded one
// before that is told: changes may lie a second apart.
const contrastAfter = 5e9

// contrast marks, in a replay, where today's rules say something else than was
// said then.
func (e *Engine) contrast(sec model.Instant) {
	said := e.store.Said()
	v := &e.result.Verdict
	if len(said) == 0 || v.ID == "" {
		return
	}
	last := &said[len(said)-1]
	key := last.ID + " " + last.Reason + " " + v.ID + " " + v.Reason
	if last.ID == v.ID && last.Reason == v.Reason {
		e.differ = ""
		return
	}
	changed := e.judge.History() // a verdict leads for some seconds before it stands: Since is too early
	if key == e.differ || sec-last.At < contrastAfter || len(changed) > 0 && sec-changed[len(changed)-1].At < contrastAfter {
		return
	}
	e.differ = key
	e.store.Mark(model.Mark{At: sec, Class: "then", Text: "said then: " + last.Title + "; today's rules say: " + v.Title})
}

// thinnedFor is how long after a thinned stretch the recorded verdict stands
// for the rules' own: they look back over so much.
const thinnedFor = 30e9

// noteThinned remembers up to when a recording has requests as counts.
func (e *Engine) noteThinned(n *model.Note) {
	if n.Kind == model.NoteRun && n.Name == model.FactThinned {
		if e.thinned == 0 || n.At-e.thinned > thinnedFor {
			e.store.Mark(model.Mark{At: n.At, Class: "source", Text: n.Text})
		}
		e.thinned = max(e.thinned, n.At)
	}
}

// inThinned says that the recorded verdict stands for the rules' own now.
func (e *Engine) inThinned() bool {
	return e.thinned != 0 && e.judged <= e.thinned+thinnedFor && len(e.store.Said()) > 0
}

// maxHistory bounds the changes of the verdict that are kept.
const maxHistory = 512

// retell puts the changes that a recording tells within a thinned stretch into
// the history in place of the rules' own.
func (e *Engine) retell() {
	said := e.store.Said()
	from := e.told
	e.told = len(said)
	if !e.inThinned() {
		return
	}
	for i := from; i < len(said); i++ {
		e.stand(&said[i])
	}
}

// crossThinned brings the history to what is shown where a thinned stretch
// begins or ends, if the verdicts of then and today differ there.
func (e *Engine) crossThinned() {
	switch {
	case e.inThinned():
		e.retell()
		said := e.store.Said()
		c := said[len(said)-1]
		c.At, c.TS = e.judged, e.judged.Seconds(e.store.Start())
		e.stand(&c)
	case e.thinned != 0 && e.result.Change == nil:
		c := e.judge.History()
		if n := len(c); n > 0 {
			now := c[n-1]
			now.At, now.TS = e.judged, e.judged.Seconds(e.store.Start())
			e.stand(&now)
		}
	}
}

// stand makes c the verdict that stands, unless it does already.
func (e *Engine) stand(c *model.VerdictChange) {
	if n := len(e.history); n > 0 && e.history[n-1].ID == c.ID && e.history[n-1].Reason == c.Reason {
		return
	}
	e.change(c)
}

// verdict is what is shown: that of the rules, or in a thinned stretch of a
// recording what was said then, and that it is so.
func (e *Engine) verdict() model.Verdict {
	v := e.result.Verdict
	said := e.store.Said()
	if !e.inThinned() {
		return v
	}
	c := said[len(said)-1]
	if c.ID != v.ID || c.Reason != v.Reason {
		v = model.Verdict{
			Finding: model.Finding{ID: c.ID, Severity: c.Severity, State: model.Raised, Title: c.Title, RaisedAt: c.At},
			Reason:  c.Reason, Confidence: c.Confidence, Since: c.At, WaitS: math.NaN(), Failures: v.Failures,
		}
	}
	if v.Text != "" {
		v.Text += " "
	}
	v.Text += "This is the verdict as recorded: here the recording has requests as counts only."
	return v
}
