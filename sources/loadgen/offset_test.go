package loadgen_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// The answers' dates bound the server's clock to about one latency; what they
// leave open is not told as an offset.
func TestDateHeaders(t *testing.T) {
	tests := []struct {
		name    string
		ahead   time.Duration // server's clock against the client's
		answers int
		want    float64 // seconds, the skew told last
		within  float64
	}{
		{"ahead", 17 * time.Second, 200, -17, 0.05},
		{"behind", -17 * time.Second, 200, 17, 0.05},
		{"equal", 0, 200, 0, 0},
		{"half a second", 500 * time.Millisecond, 200, -0.5, 0.05},
		{"one answer leaves a second open", 900 * time.Millisecond, 1, 0, 0.9},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var text strings.Builder
			for i := range tt.answers {
				begun := seenAt.Add(time.Duration(i) * 137 * time.Millisecond)
				done := begun.Add(40 * time.Millisecond)
				date := begun.Add(20*time.Millisecond + tt.ahead).Time().UTC().Truncate(time.Second)
				fmt.Fprintf(&text, `{"ev":"start","t":%.6f,"id":%d}`+"\n", float64(begun)/1e9, i)
				fmt.Fprintf(&text, `{"ev":"end","t":%.6f,"id":%d,"dur_ms":40,"status":200,"date":%q}`+"\n", float64(done)/1e9, i, date.Format("Mon, 02 Jan 2006 15:04:05 GMT"))
			}
			_, s := decode(t, loadgen.Options{}, []byte(text.String()))
			got := s.of(model.Level, model.SourceSkew)
			if len(got) == 0 {
				t.Fatal("want a skew told")
			}
			if last := got[len(got)-1].Value; math.Abs(last-tt.want) > tt.within {
				t.Errorf("want %g s, got %g", tt.want, last)
			}
			if span := tt.answers*137/1000 + 1; len(got) > span {
				t.Errorf("want it told once a second at most, got %d in %d s", len(got), span)
			}
		})
	}
}

// A clock that is set in mid-run gives new bounds, no contradiction for ever.
func TestDateHeadersAfterAStep(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		ahead := time.Duration(0)
		if i >= 50 {
			ahead = 10 * time.Second
		}
		done := seenAt.Add(time.Duration(i) * 137 * time.Millisecond)
		fmt.Fprintf(&text, `{"ev":"end","t":%.6f,"id":%d,"dur_ms":40,"status":200,"date":%q}`+"\n", float64(done)/1e9, i,
			done.Add(ahead).Time().UTC().Truncate(time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT"))
	}
	_, s := decode(t, loadgen.Options{}, []byte(text.String()))
	got := s.of(model.Level, model.SourceSkew)
	if last := got[len(got)-1].Value; math.Abs(last+10) > 0.1 {
		t.Errorf("want -10 s at the end, got %g", last)
	}
}

func TestBadDates(t *testing.T) {
	for _, d := range []string{"", "yesterday", "Mon, 30 Xyz 2026 12:00:00 GMT", "Mon, 3a Nov 2026 12:00:00 GMT", "Monday, 30-Nov-26 12:00:00 GMT", "Mon, 30 Nov 2026 12:00:00 CET"} {
		text := fmt.Sprintf(`{"ev":"end","t":1796046000.5,"id":1,"dur_ms":40,"status":200,"date":%q}`+"\n", d)
		_, s := decode(t, loadgen.Options{}, []byte(text))
		if got := s.of(model.Level, model.SourceSkew); len(got) > 0 || len(s.ends()) != 1 {
			t.Errorf("%q: want a request and no skew, got %v", d, got)
		}
	}
}

// How late a request of an open loop goes out is one observation a request.
func TestScheduleDelay(t *testing.T) {
	text := `{"ev":"start","t":1796046000.250000,"id":1,"sched":1796046000.000000}
{"ev":"start","t":1796046000.500000,"id":2,"sched":1796046000.500000}
{"ev":"start","t":1796046000.600000,"id":3}
{"ev":"start","t":1796046000.700000,"id":4,"sched":1796050000}
`
	_, s := decode(t, loadgen.Options{}, []byte(text))
	got := s.of(model.Observe, model.ClientSchedDelay)
	if len(got) != 2 || math.Abs(got[0].Value-0.25) > 1e-9 || got[1].Value != 0 {
		t.Errorf("want 0.25 s and 0 s, got %v", got)
	}
}

// Each stream says how it knows what is in flight.
func TestHowIsTold(t *testing.T) {
	for file, want := range map[string]string{
		"bench_client.ndjson": "exact", "vegeta.ndjson": "reconstructed", "vegeta.csv": "reconstructed", "k6.json": "reconstructed",
		"fortio.access.ndjson": "reconstructed", "wrk-lua.ndjson": "estimated", "siege.txt": "estimated", "ab.gnuplot.tsv": "estimated",
		"aiperf-progress.composed.json": "exact", "tqdm-piped.txt": "", "locust.stats_history.csv": "",
	} {
		_, s := decode(t, loadgen.Options{}, readFile(t, "testdata/"+file))
		got := ""
		for _, n := range s.notes {
			if n.Name == "concurrency_how" {
				got = n.Text
			}
		}
		if got != want {
			t.Errorf("%s: want %q, got %q", file, want, got)
		}
	}
}
