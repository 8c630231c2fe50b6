package engine_test

import (
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
