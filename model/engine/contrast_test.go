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
