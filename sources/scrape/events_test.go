package scrape_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/scrape"
)

// outlet makes an outlet and what reads it: all events and notes so far.
func outlet(t testing.TB) (*sources.Outlet, func() ([]model.Event, []model.Note)) {
	t.Helper()
	ch := make(chan *model.Batch, 10000)
	out := sources.NewOutlet(context.Background(), ch, 3, sources.Block, nil)
	return out, func() ([]model.Event, []model.Note) {
		out.FlushAt(1)
		var evs []model.Event
		var notes []model.Note
		for {
			select {
			case b := <-ch:
				evs = append(evs, b.Events...)
				notes = append(notes, b.Notes...)
			default:
				return evs, notes
			}
		}
	}
}

const sec = model.Instant(1e9)

// apply parses text and applies it at second n.
func apply(t *testing.T, m *scrape.Meter, out *sources.Outlet, n int, text string) {
	t.Helper()
	x, err := scrape.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("scrape %d: %v", n, err)
	}
	m.Apply(x, model.Instant(n)*sec, model.Instant(n)*sec+5e6, out)
}

var keyNames = map[uint64]string{0: "", fnv1a("0"): "0", fnv1a("1"): "1", fnv1a("3"): "3"}

func fnv1a(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// show writes events as short lines: `2 server_running[0] level 24`.
func show(evs []model.Event) string {
	kinds := map[model.Kind]string{model.Level: "level", model.Add: "add", model.Observe: "observe", model.Gap: "gap", model.Reset: "reset", model.State: "state"}
	var b strings.Builder
	for _, e := range evs {
		if e.Series >= model.SourceLines && e.Series <= model.SourceErrors {
			continue
		}
		key := ""
		if e.Key != 0 {
			key = "[" + keyNames[e.Key] + "]"
		}
		v := fmt.Sprintf(" %.6g", e.Value)
		if e.Kind == model.Gap || e.Kind == model.Reset {
			v = ""
		}
		name := e.Series.String()
		if e.Kind == model.Reset || e.Kind == model.State {
			name = "source"
		}
		fmt.Fprintf(&b, "%d %s%s %s%s\n", e.At/sec, name, key, kinds[e.Kind], v)
	}
	return b.String()
}

func wantEvents(t *testing.T, got []model.Event, want string) {
	t.Helper()
	var lines []string
	for l := range strings.Lines(want) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	w, g := strings.Join(lines, "\n"), strings.TrimSpace(show(got))
	if w != g {
		t.Errorf("want events\n%s\n\ngot\n%s", w, g)
	}
}

// v1 composes an exposition of a vLLM with two engines.
func v1(run, wait, gen, ttftSum, ttftN, abort float64) string {
	return fmt.Sprintf(`# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} %g
vllm:num_requests_running{engine="1",model_name="m"} 0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} %g
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.5
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="m"} %g
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="m"} %g
vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} %g
vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} %g
# TYPE vllm:request_success_total counter
vllm:request_success_total{engine="0",finished_reason="stop",model_name="m"} 5
vllm:request_success_total{engine="0",finished_reason="abort",model_name="m"} %g
`, run, wait, gen, ttftN, ttftSum, ttftN, abort)
}

func TestEventsVLLM(t *testing.T) {
	const levels = `
		%[1]d server_running[0] level %[2]d
		%[1]d server_waiting[0] level %[3]d
		%[1]d server_kv_usage[0] level 0.5
		%[1]d server_batch[0] observe %[2]d
	`
	const other = "%[1]d server_running[1] level 0\n"
	at := func(n, run, wait int) string { return fmt.Sprintf(levels, n, run, wait) + fmt.Sprintf(other, n) }
	// Kinds of trouble that are told are known to be none from the start on.
	const none = "\n%[1]d server_aborted[0] add 0\n%[1]d server_error[0] add 0\n"
	first := fmt.Sprintf(levels+none+other, 1, 4, 2)
	tests := []struct {
		name    string
		scrapes []string
		want    string
	}{
		{
			"the first scrape is a baseline, of trouble a zero",
			[]string{v1(4, 2, 1000, 10, 5, 1)},
			first,
		},
		{
			"counters and histograms give what they grew",
			[]string{v1(4, 2, 1000, 10, 5, 1), v1(6, 0, 1300, 13, 11, 3)},
			first + fmt.Sprintf(levels, 2, 6, 0) +
				"2 server_gen_tokens[0] add 300\n2 server_aborted[0] add 2\n2 server_ttft[0] observe 0.5\n" + fmt.Sprintf(other, 2),
		},
		{
			"nothing grew: no amount, no observation, no zero",
			[]string{v1(4, 2, 1000, 10, 5, 1), v1(4, 2, 1000, 10, 5, 1)},
			first + at(2, 4, 2),
		},
		{
			"a counter that fell is a restart: a new baseline and no amount",
			[]string{v1(4, 2, 1000, 10, 5, 1), v1(1, 0, 50, 12, 9, 0), v1(1, 0, 80, 14, 10, 0)},
			first + "2 source reset\n" + fmt.Sprintf(levels+none+other, 2, 1, 0) +
				fmt.Sprintf(levels, 3, 1, 0) + "3 server_gen_tokens[0] add 30\n3 server_ttft[0] observe 2\n" + fmt.Sprintf(other, 3),
		},
		{
			"what is no longer offered becomes unknown, not zero",
			[]string{v1(4, 2, 1000, 10, 5, 1), "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\"} 3\n"},
			first + `
				2 server_running[0] level 3
				2 server_batch[0] observe 3
				2 server_running[1] gap
				2 server_waiting[0] gap
				2 server_kv_usage[0] gap`,
		},
		{
			"not a number is not a value",
			[]string{"# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running NaN\n# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting 2\n"},
			"1 server_waiting level 2",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, read := outlet(t)
			m := scrape.NewMeter()
			for i, s := range tt.scrapes {
				apply(t, m, out, i+1, s)
			}
			evs, _ := read()
			wantEvents(t, evs, tt.want)
		})
	}
}

func TestEventsNames(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"V0: no engine label, swapped requests wait", "vllm:num_requests_running{model_name=\"m\"} 5\nvllm:num_requests_waiting 2\nvllm:num_requests_swapped 1\nvllm:gpu_cache_usage_perc 0.25\n", `
			1 server_running level 5
			1 server_waiting level 3
			1 server_kv_usage level 0.25
			1 server_batch observe 5`},
		{"both KV names: the new one", "vllm:kv_cache_usage_perc 0.5\nvllm:gpu_cache_usage_perc 0.75\n", "1 server_kv_usage level 0.5"},
		{"colons as underscores", "vllm_num_requests_running{engine=\"03\"} 2\n", "1 server_running[3] level 2\n1 server_batch[3] observe 2"},
		{"of several ranks only one counts", "sglang:num_running_reqs{tp_rank=\"0\"} 7\nsglang:num_running_reqs{tp_rank=\"1\"} 7\n", "1 server_running level 7\n1 server_batch observe 7"},
		{"of several pids all count", "vllm:num_requests_running{pid=\"1\"} 7\nvllm:num_requests_running{pid=\"2\"} 1\n", "1 server_running level 8\n1 server_batch observe 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, read := outlet(t)
			apply(t, scrape.NewMeter(), out, 1, tt.text)
			evs, _ := read()
			wantEvents(t, evs, tt.want)
		})
	}
}

// TestCounterFromFirstEvent: some exporters print a counter only once it is 1.
func TestCounterFromFirstEvent(t *testing.T) {
	out, read := outlet(t)
	m := scrape.NewMeter()
	apply(t, m, out, 1, "tgi_queue_size 0\n")
	apply(t, m, out, 2, "tgi_queue_size 0\n# TYPE tgi_request_failure counter\ntgi_request_failure{err=\"overloaded\"} 2\n")
	evs, _ := read()
	wantEvents(t, evs, "1 server_waiting level 0\n2 server_waiting level 0\n2 server_queue_full add 2")
}

func TestRestartByProcessStart(t *testing.T) {
	text := func(start, gen float64) string {
		return fmt.Sprintf("process_start_time_seconds %g\nvllm:generation_tokens_total %g\n", start, gen)
	}
	out, read := outlet(t)
	m := scrape.NewMeter()
	apply(t, m, out, 1, text(1000, 10))
	apply(t, m, out, 2, text(2000, 50)) // more than before, and yet a new server
	apply(t, m, out, 3, text(2000, 55))
	evs, _ := read()
	wantEvents(t, evs, "2 source reset\n3 server_gen_tokens add 5")

	// A second process answers in turn: its counters mean nothing together.
	apply(t, m, out, 4, text(1000, 20))
	apply(t, m, out, 5, text(2000, 70))
	evs, notes := read()
	wantEvents(t, evs, "")
	said := 0
	for _, n := range notes {
		if n.Kind == model.NoteError {
			said++
		}
	}
	if said != 1 {
		t.Errorf("want one note about several processes, got %d", said)
	}
}

// TestFewDigits: a mean since the start, printed with six digits, gives the
// window's mean only over a window that is long enough.
func TestFewDigits(t *testing.T) {
	text := func(mean string, n int) string {
		return fmt.Sprintf("llamacpp:n_busy_slots_per_decode %s\nllamacpp:n_decode_total %d\n", mean, n)
	}
	out, read := outlet(t)
	m := scrape.NewMeter()
	apply(t, m, out, 1, text("3.00000", 1_000_000))
	apply(t, m, out, 2, text("3.00003", 1_000_060)) // 60 calls: ±10 in the sum is no mean
	evs, _ := read()
	wantEvents(t, evs, "")
	apply(t, m, out, 3, text("3.00100", 1_001_000)) // 1,000 calls at a mean of 4.0
	evs, _ = read()
	if len(evs) != 1 || math.Abs(evs[0].Value-4.0) > 0.05 || evs[0].Series != model.ServerBatch {
		t.Errorf("want one batch of 4.00 ± 0.05, got %s", show(evs))
	}
}

func TestNotes(t *testing.T) {
	out, read := outlet(t)
	m := scrape.NewMeter()
	x := `vllm:num_requests_running{engine="0",model_name="acme/tiny"} 1
vllm:cache_config_info{block_size="16",num_gpu_blocks="100"} 1
vllm:something_new 1
this is no metric
`
	apply(t, m, out, 1, x)
	apply(t, m, out, 2, x)
	_, notes := read()
	got := make(map[model.NoteKind][]string)
	for _, n := range notes {
		got[n.Kind] = append(got[n.Kind], fmt.Sprintf("%s|%s|%g|%d", n.Name, n.Text, n.Value, n.Key))
	}
	want := map[model.NoteKind]string{
		model.NoteEngine: fmt.Sprintf("0||0|%d", fnv1a("0")),
		model.NoteConfig: "kv_tokens|vllm metrics|1600|0",
		model.NoteRun:    "model|acme/tiny|0|0",
	}
	for kind, w := range want {
		if len(got[kind]) != 1 || got[kind][0] != w {
			t.Errorf("note kind %d: want once %q, got %q", kind, w, got[kind])
		}
	}
	bad := strings.Join(got[model.NoteBadLine], "\n")
	if !strings.Contains(bad, "this is no metric") || !strings.Contains(bad, "unknown metric|vllm:something_new") {
		t.Errorf("want the bad line and the unknown name as samples, got %q", bad)
	}
	if u := m.Unknown(); len(u) != 1 || u[0] != "vllm:something_new" {
		t.Errorf("want the unknown name, got %q", u)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"JSON", ` [{"iter": 1}]`, "/prometheus/metrics"},
		{"web page", "<!doctype html><html></html>", "web page"},
		{"empty", "\n", "no metric in it"},
		{"prose", "hello out there\n", "line 1"},
		{"too large", strings.Repeat("#", scrape.MaxBody+1), "8 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scrape.Parse(strings.NewReader(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want an error with %q, got %v", tt.want, err)
			}
		})
	}
	if _, err := scrape.Parse(io.MultiReader(strings.NewReader("a 1\n"), broken{})); err == nil {
		t.Error("want the reader's error, got none")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestBadLinesAreData(t *testing.T) {
	x, err := scrape.Parse(strings.NewReader("vllm:num_requests_running 1\n???\nvllm:num_requests_waiting{ 2\nvllm:kv_cache_usage_perc 0.5 # {trace_id=\"x\"} 0.5\nvllm:generation_tokens_total 7"))
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Bad) != 2 || x.Bad[0].Line != 2 || x.Bad[0].Text != "???" || x.Bad[1].Line != 3 {
		t.Errorf("want lines 2 and 3 as bad, got %+v", x.Bad)
	}
	out, read := outlet(t)
	scrape.NewMeter().Apply(x, sec, sec, out)
	evs, _ := read()
	wantEvents(t, evs, "1 server_running level 1\n1 server_kv_usage level 0.5\n1 server_batch observe 1")
}
