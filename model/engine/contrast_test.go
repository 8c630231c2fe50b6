package engine_test

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
)

// TestThenAndToday replays a recording whose verdict was another than today's
// rules give: that is marked once, and what was said then is kept.
func TestThenAndToday(t *testing.T) {
	const start = 1_000_000_000_000_000_000
	in := make(chan *model.Batch, 400)
	in <- &model.Batch{Notes: []model.Note{{At: start, Seen: start, Kind: model.NoteVerdict, Name: "thermal", Value: 1, Text: "|major|firm|the GPU slows down from heat"}}}
	for i := range model.Instant(300) {
		at := start + i*100_000_000
		in <- &model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}}
	}
	close(in)
	e := engine.New(engine.Options{})
	e.Run(in)
	s := e.Latest()
	if len(s.Said) != 1 || s.Said[0].ID != "thermal" || !s.Said[0].Recorded {
		t.Errorf("want what was said then, got %+v", s.Said)
	}
	n := 0
	for _, m := range s.Marks {
		if m.Class == "then" {
			n++
			if !strings.Contains(m.Text, "said then: the GPU slows down from heat; today's rules say: ") {
				t.Errorf("want both verdicts in the mark, got %q", m.Text)
			}
		}
	}
	if n != 1 {
		t.Errorf("want the difference marked once, got %d of %+v", n, s.Marks)
	}
}

// TestTheSameRulesDoNotDiffer records a run and replays it: the rules are the
// same, so there is nothing to mark, also in the seconds around a change, where
// the recording's note comes after the tick that it was written at.
func TestTheSameRulesDoNotDiffer(t *testing.T) {
	const start = 1_000_000_000_000_000_000
	var notes []model.Note
	play := func(o engine.Options, told []model.Note) *model.Snapshot {
		in := make(chan *model.Batch, 1000)
		for i := range model.Instant(600) {
			at := start + i*100_000_000
			b := &model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}}
			for len(told) > 0 && told[0].At < at {
				b.Notes, told = append(b.Notes, told[0]), told[1:]
			}
			if i >= 200 {
				b.Events = append(b.Events,
					model.Event{At: at + 1, Seen: at + 1, Kind: model.Begin, Series: model.ClientInFlight, Key: uint64(i), Source: 1},
					model.Event{At: at + 2, Seen: at + 2, Kind: model.End, Series: model.ClientOK, Key: uint64(i), Value: 1e-9, Source: 1})
			}
			in <- b
		}
		close(in)
		e := engine.New(o)
		e.Run(in)
		return e.Latest()
	}
	first := play(engine.Options{Record: func(b *model.Batch) {
		for _, n := range b.Notes {
			if n.Kind == model.NoteVerdict {
				notes = append(notes, n)
			}
		}
	}}, nil)
	if len(notes) < 2 || len(first.Verdicts) < 2 {
		t.Fatalf("want a verdict that changes, got %+v", first.Verdicts)
	}
	for _, v := range first.Verdicts {
		if v.Words == nil || v.Words.ID != v.ID {
			t.Errorf("want the verdict in full with each change, got %+v", v)
		}
	}
	for _, m := range play(engine.Options{}, notes).Marks {
		if m.Class == "then" {
			t.Errorf("want no difference between equal rules, got %q", m.Text)
		}
	}
}
