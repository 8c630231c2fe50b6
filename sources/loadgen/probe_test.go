package loadgen_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// asNDJSON is a run as starts and ends in the order of time.
func asNDJSON(all []request) []byte {
	type line struct {
		at   model.Instant
		text string
	}
	var ls []line
	stamp := func(t model.Instant) string { return fmt.Sprintf("%d.%09d", t/1e9, t%1e9) }
	for _, r := range all {
		ls = append(ls, line{r.start, fmt.Sprintf(`{"ev":"start","t":%s,"id":%d}`, stamp(r.start), r.seq)},
			line{r.end, fmt.Sprintf(`{"ev":"end","t":%s,"id":%d,"dur_ms":%g,"outcome":"ok"}`, stamp(r.end), r.seq, float64(r.end-r.start)/1e6)})
	}
	slices.SortFunc(ls, func(a, b line) int { return int(min(max(a.at-b.at, -1), 1)) })
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(l.text + "\n")
	}
	return []byte(b.String())
}

// TestOneRunInTwoFormats: starts and ends, and ends with a sequence number, say
// the same of one run, and both say the truth.
func TestOneRunInTwoFormats(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			all := randomRun(rand.New(rand.NewPCG(seed, 11)), 1+int(seed)*5, 300, -1)
			var events [2][]model.Event
			var sums [2]*loadgen.Summary
			for i, text := range [][]byte{asNDJSON(all), join(all)} {
				_, s := decode(t, loadgen.Options{}, text)
				events[i] = s.events
				var err error
				if sums[i], err = loadgen.Probe(newChunks(text, 1000), loadgen.Options{}, nil); err != nil {
					t.Fatal(err)
				}
			}
			lines, ends := inFlight(events[0]), inFlight(events[1])
			for _, r := range all {
				for _, at := range []model.Instant{r.start, r.end} {
					want, a, b := truth(all, at), lines.value(at), ends.value(at)
					if a != want || b != want {
						t.Fatalf("at %v: want %v in flight, got %v and %v", at-seenAt, want, a, b)
					}
				}
			}
			a, b := sums[0], sums[1]
			near := func(x, y loadgen.Num) bool { return x-y < 1e-4 && y-x < 1e-4 }
			if a.Requests != b.Requests || a.PeakConcurrency != b.PeakConcurrency || !near(a.LatencyMS.P99, b.LatencyMS.P99) ||
				!near(a.AverageConcurrency, b.AverageConcurrency) || !near(a.DurationS, b.DurationS) || a.Unfinished != 0 || b.Unfinished != 0 {
				t.Errorf("want the same summary, got\n%+v\n%+v", a, b)
			}
		})
	}
}

func TestSummaryOfASecondRun(t *testing.T) {
	first := randomRun(rand.New(rand.NewPCG(5, 5)), 4, 40, -1)
	second := slices.Clone(first[:20])
	slices.SortFunc(second, func(a, b request) int { return a.seq - b.seq })
	for i := range second {
		second[i] = request{i, second[i].start + 60e9, second[i].start + 60e9 + 1e6}
	}
	sum, err := loadgen.Probe(newChunks(join(append(first, second...)), 777), loadgen.Options{}, nil)
	if err != nil || sum.Requests != 20 {
		t.Errorf("want the 20 requests of the last run, got %v (%v)", sum.Requests, err)
	}
}

func TestSummaryLine(t *testing.T) {
	sum, err := loadgen.Probe(strings.NewReader(string(lines(run0, `{"ev":"start","t":1796046000.1,"id":1}`, ``, `x`))), loadgen.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	line, err := sum.Line()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"summary":{"kind":"load","format":"benchtop_ndjson","requests":0,"ok":0,"failed":0,` +
		`"by_kind":{"timeout":0,"rejected":0,"reset":0,"http_error":0,"other":0},` +
		`"latency_ms":{"mean":null,"p50":null,"p90":null,"p95":null,"p99":null,"p999":null,"max":null,"n":0},` +
		`"latency_ok_ms":{"mean":null,"p50":null,"p90":null,"p95":null,"p99":null,"p999":null,"max":null,"n":0},` +
		`"ttft_ms":null,"output_tokens":null,"peak_concurrency":1,"average_concurrency":0,"unfinished":1,` +
		`"duration_s":0.1,"rate_rps":0,"malformed":2}}`
	if string(line) != want {
		t.Errorf("want %s\ngot  %s", want, line)
	}
}

func TestRecordsAsJSON(t *testing.T) {
	text := lines(run0, `{"ev":"start","t":1796046000.1,"id":"a\"b"}`,
		`{"ev":"end","t":1796046000.2,"id":"a\"b","dur_ms":100,"outcome":"ok","status":200,"conn_reused":false}`)
	var got []string
	_, err := loadgen.Probe(newChunks(text, 3), loadgen.Options{}, func(r *loadgen.Record) {
		b, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(b))
	})
	want := []string{
		`{"ev":"run","t":"2026-11-30T13:40:00Z","run":null,"tool":"t","target":null,"concurrency":2,"connections":null,"timeout_ms":1000,"duration_s":null,"rate_rps":null}`,
		`{"ev":"start","t":"2026-11-30T13:40:00.1Z","id":"a\"b"}`,
		`{"ev":"end","t":"2026-11-30T13:40:00.2Z","id":"a\"b","start":"2026-11-30T13:40:00.1Z","outcome":"ok","status":200,"latency_ms":100,"ttft_ms":null,"prompt_tokens":null,"output_tokens":null,"conn_reused":false}`,
	}
	if err != nil || !slices.Equal(want, got) {
		t.Errorf("want\n%s\ngot\n%s\n%v", strings.Join(want, "\n"), strings.Join(got, "\n"), err)
	}
}
