package scrape_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/scrape"
	"benchtop/sources/tail"
)

const savedTwo = `# scrape 2026-11-30T12:00:00Z status=200 took_ms=10
tgi_queue_size 1
tgi_request_count 10
# scrape 2026-11-30T12:00:02Z status=200 took_ms=10
tgi_queue_size 2
tgi_request_count 14
`

// follow runs a saved source over a file to its end.
func follow(t *testing.T, text string, from bool) ([]model.Event, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.prom")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ch := make(chan *model.Batch, 256)
	out := sources.NewOutlet(context.Background(), ch, 1, sources.Block, nil)
	s := &scrape.SavedSource{Place: "file:" + path, Label: "a", In: tail.Options{Spec: tail.Spec{Place: path, Kind: tail.File}, FromStart: from}}
	err := s.Run(context.Background(), out)
	out.Flush()
	close(ch)
	var evs []model.Event
	for b := range ch {
		evs = append(evs, b.Events...)
	}
	return evs, err
}

// waitingOf lists what the queue length was told: its levels with their second,
// its gaps without, since one comes at the end of reading.
func waitingOf(evs []model.Event) string {
	var got []string
	for _, e := range evs {
		switch {
		case e.Series != model.ServerWaiting:
		case e.Kind == model.Gap:
			got = append(got, "gap")
		default:
			at := e.At.Time().UTC()
			got = append(got, fmt.Sprintf("%d.%03d=%g", at.Second(), at.Nanosecond()/1e6, e.Value))
		}
	}
	return strings.Join(got, " ")
}

func TestSavedSource(t *testing.T) {
	failed := strings.Replace(savedTwo, "# scrape 2026-11-30T12:00:02Z", "# scrape 2026-11-30T12:00:01Z error=refused\n# scrape 2026-11-30T12:00:02Z", 1)
	tests := []struct {
		name, text string
		from       bool
		want, err  string
	}{
		{"two scrapes", savedTwo, true, "0.005=1 2.005=2 gap", ""},
		{"the last without a line end", strings.TrimSuffix(savedTwo, "\ntgi_request_count 14\n"), true, "0.005=1 2.005=2 gap", ""},
		{"one that failed between", failed, true, "0.005=1 gap 2.005=2 gap", ""},
		{"no head", "tgi_queue_size 1\n", true, "", "can't be placed in time"},
		{"the rest of one begun before", "tgi_queue_size 9\n" + savedTwo, false, "0.005=1 2.005=2 gap", ""},
		{"a web page", "# scrape 2026-11-30T12:00:00Z\n<html></html>\n", true, "", ""},
		{"empty", "", true, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			evs, err := follow(t, tt.text, tt.from)
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("want error %q, got %v", tt.err, err)
			}
			if got := waitingOf(evs); got != tt.want {
				t.Errorf("want %q, got %q", tt.want, got)
			}
		})
	}
}

// TestSavedSourceFollows: a scrape that is written while it is followed counts
// when nothing more of it comes, and once.
func TestSavedSourceFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.prom")
	if err := os.WriteFile(path, []byte(savedTwo), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ch := make(chan *model.Batch, 256)
	out := sources.NewOutlet(ctx, ch, 1, sources.Block, nil)
	s := &scrape.SavedSource{Place: "file:" + path, In: tail.Options{Spec: tail.Spec{Place: path, Kind: tail.File}, FromStart: true, Follow: true}}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, out) }()
	var evs []model.Event
	want := "0.005=1 2.005=2"
	finished := 0.0
	for done := false; !done; {
		select {
		case b := <-ch:
			evs = append(evs, b.Events...)
		case err := <-ended:
			t.Fatalf("want it to go on, got %v with %q", err, waitingOf(evs))
		}
		switch waitingOf(evs) {
		case want:
			if strings.HasSuffix(want, "=5") {
				done = true
				break
			}
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString("# scrape 2026-11-30T12:00:04Z status=200 took_ms=10\ntgi_queue_size 5\ntgi_request_success 20\n"); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			want += " 4.005=5"
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("want no error of a follower that was stopped, got %v", err)
	}
	for _, e := range evs {
		if e.Series == model.SourceMatched {
			finished += e.Value
		}
	}
	if finished != 3 {
		t.Errorf("want 3 scrapes booked, got %g", finished)
	}
}
