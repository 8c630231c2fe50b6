package engine_test

import (
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
)

// TestThinnedShowsTheRecordedVerdict plays a stretch in which a recording has
// requests as counts only: what was said then is shown and marked as such, and
// the rules speak again half a minute later.
func TestThinnedShowsTheRecordedVerdict(t *testing.T) {
	const start = model.Instant(1_767_225_600_000_000_000)
	e := engine.New(engine.Options{})
	ch := make(chan *model.Batch)
	seen := make(chan *model.Snapshot)
	go func() {
		defer close(ch)
		for sec := range 60 {
			at := start + model.Instant(sec)*1e9
			b := &model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}}
			if sec == 2 {
				b.Notes = append(b.Notes, model.Note{At: at, Seen: at, Kind: model.NoteVerdict, Name: "server_saturated", Text: "|major|firm|the server is saturated", Value: 2})
			}
			if sec >= 5 && sec < 10 {
				b.Notes = append(b.Notes, model.Note{At: at, Seen: at, Kind: model.NoteRun, Name: model.FactThinned, Text: "counts", Value: 1})
			}
			ch <- b
			ch <- &model.Batch{} // the one before is applied when this is taken
			<-e.Changed()
			seen <- e.Latest()
		}
	}()
	go func() { e.Run(ch); close(seen) }()
	sec := 0
	for s := range seen {
		want := sec >= 5 && sec < 40
		if got := s.Verdict.ID == "server_saturated" && strings.Contains(s.Verdict.Text, "as recorded"); got != want {
			t.Errorf("second %d: want the recorded verdict: %v, got %q %q", sec, want, s.Verdict.ID, s.Verdict.Text)
		}
		sec++
	}
	if sec != 60 {
		t.Errorf("want 60 seconds seen, got %d", sec)
	}
}

// TestThinnedTellsTheRecordedChanges plays a recording that says otherwise than
// the rules: between, the changes it tells stand in the history at their own
// times, and the rules' verdict comes back after them.
func TestThinnedTellsTheRecordedChanges(t *testing.T) {
	const start = model.Instant(1_767_225_600_000_000_000)
	var printed []model.VerdictChange
	e := engine.New(engine.Options{OnVerdict: func(c model.VerdictChange) { printed = append(printed, c) }})
	ch := make(chan *model.Batch)
	go func() {
		defer close(ch)
		for sec := range 60 {
			at := start + model.Instant(sec)*1e9
			b := &model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}}
			note := func(kind model.NoteKind, name, text string, v float64) {
				b.Notes = append(b.Notes, model.Note{At: at, Seen: at, Kind: kind, Name: name, Text: text, Value: v})
			}
			switch sec {
			case 2:
				note(model.NoteVerdict, "server_saturated", "|major|firm|the server is saturated", 2)
			case 8:
				note(model.NoteVerdict, "thermal", "|major|firm|the card is hot", 8)
			case 55: // long after the stretch: the rules' own word counts
				note(model.NoteVerdict, "client_pool", "|major|firm|the pool is too small", 55)
			}
			if sec >= 5 && sec < 10 {
				note(model.NoteRun, model.FactThinned, "counts", 1)
			}
			ch <- b
		}
	}()
	e.Run(ch)
	type change struct {
		at       float64
		id       string
		recorded bool
	}
	want := []change{{1, "not_enough_evidence", false}, {5, "server_saturated", true}, {8, "thermal", true}, {40, "not_enough_evidence", false}}
	for what, list := range map[string][]model.VerdictChange{"history": e.Latest().Verdicts, "told": printed} {
		var got []change
		for _, c := range list {
			got = append(got, change{c.At.Seconds(start), c.ID, c.Recorded})
		}
		if !slices.Equal(want, got) {
			t.Errorf("%s: want %v, got %v", what, want, got)
		}
	}
}
