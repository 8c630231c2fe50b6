package scrape_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/scrape"
)

const savedTwo = `# scrape 2026-11-30T12:00:00Z status=200 took_ms=10
tgi_queue_size 1
tgi_request_count 10
# scrape 2026-11-30T12:00:02Z status=200 took_ms=10
tgi_queue_size 2
tgi_request_count 14
`

// follow runs a saved source over lines to their end; an empty line stands for
// a second in which nothing came.
func follow(t *testing.T, text string, whole bool) ([]model.Event, error) {
	t.Helper()
	ch := make(chan *model.Batch, 256)
	out := sources.NewOutlet(context.Background(), ch, 1, sources.Block, nil)
	s := &scrape.SavedSource{Place: "file:m.prom", Label: "a", Whole: whole}
	s.Read = func(ctx context.Context, h scrape.LineHandler) error {
		for l := range strings.Lines(text) {
			switch l = strings.TrimSuffix(l, "\n"); {
			case ctx.Err() != nil:
				return nil
			case l == "":
				h.Quiet()
			case l == "ROTATED":
				h.Anew("another file")
			default:
				h.Line([]byte(l), 1)
			}
		}
		h.Flush()
		return nil
	}
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
		{"another file in the middle", strings.Replace(savedTwo, "tgi_request_count 10\n", "tgi_request_count 10\nROTATED\ntgi_queue_size 7\n", 1), false, "0.005=1 2.005=2 gap", ""},
		{"a file cut down as it was written", savedTwo + "ROTATED\ntgi_queue_size 7\n# scrape 2026-11-30T12:00:04Z\ntgi_queue_size 3\n", true, "0.005=1 2.005=2 4.000=3 gap", ""},
		{"a time of no use", "# scrape 0001-01-01T00:00:00Z\n# scrape 9999-01-01T00:00:00Z\n" + savedTwo, true, "0.005=1 2.005=2 gap", ""},
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

// TestSavedSourceCounters: a page that was booked half written is booked again as
// a whole, and what its counters grew by counts once.
func TestSavedSourceCounters(t *testing.T) {
	page := "# scrape 2026-11-30T12:00:00Z\ntgi_request_success 10\n# scrape 2026-11-30T12:00:02Z\ntgi_request_success 17\n\ntgi_queue_size 3\n\n\n# scrape 2026-11-30T12:00:04Z\ntgi_request_success 20\n"
	evs, err := follow(t, page, true)
	if err != nil {
		t.Fatal(err)
	}
	got := 0.0
	for _, e := range evs {
		if e.Series == model.ServerFinished && e.Kind == model.Add {
			got += e.Value
		}
	}
	if got != 10 {
		t.Errorf("want 10 requests finished, got %g", got)
	}
	if w := waitingOf(evs); !strings.HasPrefix(w, "2.000=3") {
		t.Errorf("want the gauge that came late at its page's time, got %q", w)
	}
}

// TestSavedSourceHalf: a writer that keeps back what fills no block leaves pages
// half written for long. No counter grows by what was only not there yet.
func TestSavedSourceHalf(t *testing.T) {
	page := func(second, stop, length int, gap string) string {
		return fmt.Sprintf("# scrape 2026-11-30T12:00:%02dZ took_ms=2\n# TYPE vllm:request_success counter\n"+
			"vllm:request_success_total{engine=\"0\",finished_reason=\"stop\"} %d # {trace_id=\"a\"} 1 1520879607.7\n%s"+
			"vllm:request_success_total{engine=\"0\",finished_reason=\"length\"} %d\n"+
			"# TYPE vllm:num_preemptions counter\nvllm:num_preemptions_total{engine=\"0\"} 7000\n",
			second, stop, gap, length)
	}
	tests := []struct {
		name, text                string
		finished, preempted, took float64
	}{
		{"whole pages", page(0, 500, 900, "") + page(2, 510, 901, ""), 11, 0, 2},
		{"the first in halves", page(0, 500, 900, "\n") + page(2, 510, 901, ""), 11, 0, 2},
		{"the second in halves", page(0, 500, 900, "") + page(2, 510, 901, "\n\n"), 11, 0, 2},
		{"all in halves", page(0, 500, 900, "\n") + page(2, 510, 901, "\n") + page(4, 520, 902, "\n"), 22, 0, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			evs, err := follow(t, tt.text, true)
			if err != nil {
				t.Fatal(err)
			}
			finished, preempted, took := 0.0, 0.0, 0.0
			for _, e := range evs {
				switch {
				case e.Kind == model.Reset:
					t.Error("a restart was told, and there was none")
				case e.Series == model.ServerFinished && e.Kind == model.Add:
					finished += e.Value
				case e.Series == model.ServerPreempted && e.Kind == model.Add:
					preempted += e.Value
				case e.Series == model.ScrapeTime:
					took++
				}
			}
			if finished != tt.finished || preempted != tt.preempted || took != tt.took {
				t.Errorf("want %g finished, %g preempted, %g times taken, got %g, %g, %g", tt.finished, tt.preempted, tt.took, finished, preempted, took)
			}
		})
	}
}
