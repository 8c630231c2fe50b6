package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/recording"
	"benchtop/sources/sim"
)

// keep simulates one run and records it as a live session would, into dir.
func keep(t *testing.T, dir, label, change, params string, seed uint64, at time.Time) string {
	t.Helper()
	start := model.InstantOf(at)
	src, err := sim.Play(sim.Scenario{Name: "round", Changes: params}, seed, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	id, path, err := recording.NewPath(dir, start, label)
	if err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create(path, recording.Header{ID: id, Label: label, Started: start})
	if err != nil {
		t.Fatal(err)
	}
	var preset []model.Note
	for _, n := range [][2]string{{"id", id}, {"label", label}, {"change", change}} {
		if n[1] != "" {
			preset = append(preset, model.Note{At: start, Seen: start, Kind: model.NoteRun, Name: n[0], Text: n[1]})
		}
	}
	g := sources.NewGroup()
	g.Start(t.Context(), src, sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	engine.New(engine.Options{Record: w.Write, Recycle: sources.Recycle, Preset: preset}).Run(g.Batches())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// state points the commands at an empty state folder and gives the one of its
// recordings.
func state(t *testing.T) string {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := recording.Dir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// ask runs one command line.
func ask(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Main(t.Context(), args, Stdio{In: strings.NewReader(""), Out: &o, Err: &e, Env: os.Environ()})
	return code, o.String(), e.String()
}

// The second document's case as the simulator plays it: one card with a limit
// of 310 W; batch 8 draws more power, so its clock is held back, and its
// kernels take longer than the clock explains.
const (
	caseBoth = "duration_s=75, workers=16, output_tokens=128, output_cv=0, warm_amp=0.05, clock_max_mhz=1800, power_limit_w=310, step_noise_cv=0.01, t1_s=0, tp_s=0, host_step_s=0, log_every_s=2"
	batch4   = caseBoth + ", max_batch=4, t0_s=0.00333, power_dynamic_w=230, sm_occupancy=0.85"
	batch8   = caseBoth + ", max_batch=8, t0_s=0.0081, power_dynamic_w=330, sm_occupancy=0.7"
)

// caseRuns are what differs from run to run, so that the six come out at the
// document's 1190, 1210, 1200 and 880, 910, 900 tokens a second, the latter at
// 1.5, 1.7 and 1.6 GHz.
var caseRuns = [3]struct{ four, eight string }{
	{", t0_s=0.003366", ", t0_s=0.007888, power_dynamic_w=358"},
	{", t0_s=0.003310", ", t0_s=0.008432, power_dynamic_w=272"},
	{", t0_s=0.003338", ", t0_s=0.008121, power_dynamic_w=311"},
}

// sixRecordings plays both arms three times, in turn.
func sixRecordings(t *testing.T, dir string) {
	t.Helper()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for pass := range 3 {
		four, eight := batch4+caseRuns[pass].four, batch8+caseRuns[pass].eight
		keep(t, dir, "batch4", "", four, uint64(10+pass), at.Add(time.Duration(2*pass)*10*time.Minute))
		keep(t, dir, "batch8", "max batch 8", eight, uint64(20+pass), at.Add(time.Duration(2*pass+1)*10*time.Minute))
	}
}

// TestCompareSixRecordings runs the documents' case through recordings, replay
// and the command: what can be said, and what can't.
func TestCompareSixRecordings(t *testing.T) {
	dir := state(t)
	sixRecordings(t, dir)
	code, out, errs := ask(t, "compare", "batch4", "batch8", "--json")
	if code != 0 {
		t.Fatalf("compare: want exit code 0, got %d: %s", code, errs)
	}
	if p := os.Getenv("BENCHTOP_KEEP_STATE"); p != "" {
		if err := os.CopyFS(p, os.DirFS(os.Getenv("XDG_STATE_HOME"))); err != nil {
			t.Log(err)
		}
	}
	var r struct {
		Schema string
		Rows   []struct {
			Round  int
			Values struct {
				OutputTPS float64 `json:"output_tps"`
			}
		}
		Order struct {
			Sequence    string
			Interleaved bool
		}
		Pairs []struct {
			Verdict   string
			Reasons   []string
			Explained struct {
				Share    float64
				LeftOver float64 `json:"left_over_pct"`
			}
			Effects []struct {
				Metric string
				Ratio  float64
				UP     float64 `json:"u_p"`
			}
			Chains []struct {
				ID    string
				Holds bool
			}
		}
		Curve struct{ Next string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, out)
	}
	if len(r.Rows) != 6 || r.Order.Sequence != "ABABAB" || !r.Order.Interleaved || len(r.Pairs) != 1 {
		t.Fatalf("want six interleaved rounds of two arms, got %d in order %q", len(r.Rows), r.Order.Sequence)
	}
	p := r.Pairs[0]
	if p.Verdict != "too few runs" || !strings.Contains(strings.Join(p.Reasons, "\n"), "too few for a 5 % test") {
		t.Errorf("want too few runs, got %q: %v", p.Verdict, p.Reasons)
	}
	e := p.Effects[0]
	if e.Metric != "output_tps" || e.Ratio > -0.24 || e.Ratio < -0.26 || fmt.Sprintf("%.4f", e.UP) != "0.1000" {
		t.Errorf("want about a quarter fewer tokens a second at p = 0.1, got %+v", e)
	}
	if x := p.Explained; x.Share < 0.35 || x.Share > 0.45 || x.LeftOver < 7 || x.LeftOver > 10 { // N5: 6 to 17 % of clock for 25 %
		t.Errorf("want the clock to explain about 40 %% and 8 points left over, got %.2f and %.1f", x.Share, x.LeftOver)
	}
	for i, want := range []float64{1190, 880, 1210, 910, 1200, 900} {
		if got := r.Rows[i].Values.OutputTPS; math.Abs(got/want-1) > 0.01 {
			t.Errorf("round %d: want about %.0f tokens a second, got %.0f", i+1, want, got)
		}
	}
	holds := ""
	for _, c := range p.Chains {
		if c.Holds {
			holds += c.ID + " "
		}
	}
	if !strings.Contains(holds, "power") || !strings.Contains(holds, "occupancy") || strings.Contains(holds, "heat") {
		t.Errorf("want the chain over the power limit to hold and not the one over heat, got %q", holds)
	}
	if !strings.Contains(r.Curve.Next, "6") {
		t.Errorf("want batch 6 tried next, got %q", r.Curve.Next)
	}
	for _, format := range []string{"text", "md", "html", "csv"} {
		code, out, errs := ask(t, "compare", "batch4", "batch8", "--format", format)
		if code != 0 || !strings.Contains(out, "max batch 8") || strings.Contains(out, "NaN") {
			t.Errorf("%s: want a page with the change and no NaN, got code %d, %s%.300s", format, code, errs, out)
		}
	}
}

// TestRegressionExits3 sets a baseline and measures the same, and something
// slower, against it.
func TestRegressionExits3(t *testing.T) {
	dir := state(t)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i := range 3 {
		keep(t, dir, "main", "", batch4, uint64(i+1), at.Add(time.Duration(i)*10*time.Minute))
	}
	slow := strings.Replace(batch4, "t0_s=0.00333", "t0_s=0.0040", 1)
	var same, worse []string
	for i := range 2 {
		same = append(same, keep(t, dir, "same", "", batch4, uint64(i+11), at.Add(time.Duration(i+5)*10*time.Minute)))
		worse = append(worse, keep(t, dir, "slow", "", slow, uint64(i+21), at.Add(time.Duration(i+9)*10*time.Minute)))
	}
	if code, _, errs := ask(t, "baseline", "set", "main", "main"); code != 0 {
		t.Fatalf("baseline set: want 0, got %d: %s", code, errs)
	}
	if code, out, _ := ask(t, "baseline", "list"); code != 0 || !strings.Contains(out, "main") || !strings.Contains(out, "3 runs") {
		t.Errorf("baseline list: got %d, %q", code, out)
	}
	if code, out, errs := ask(t, append([]string{"compare", "--baseline", "main"}, same...)...); code != 0 || !strings.Contains(out, "inside noise") {
		t.Errorf("the same again: want 0 and inside noise, got %d: %s\n%.500s", code, errs, out)
	}
	code, out, errs := ask(t, append([]string{"compare", "--baseline", "main"}, worse...)...)
	if code != 3 || !strings.Contains(out, "a regression") || strings.Count(errs, "\n") != 1 {
		t.Errorf("slower: want 3 and one line, got %d: %s\n%.500s", code, errs, out)
	}
	if code, _, errs := ask(t, "compare", "--baseline", "other", same[0]); code != 1 || !strings.Contains(errs, "there is none") {
		t.Errorf("no such baseline: want 1, got %d: %s", code, errs)
	}
	if code, _, errs := ask(t, "baseline", "set", "../x", same[0]); code != 2 || strings.Count(errs, "\n") != 1 {
		t.Errorf("a name with a path: want 2 and one line, got %d: %s", code, errs)
	}
	if code, _, errs := ask(t, "baseline", "set", "two", same[0], same[1]); code != 1 || !strings.Contains(errs, "3 are the least") {
		t.Errorf("a baseline of two: want 1, got %d: %s", code, errs)
	}
}

// TestReportOfARecording writes the report of one run in every format.
func TestReportOfARecording(t *testing.T) {
	dir := state(t)
	path := keep(t, dir, "a <b> & \"c\"", "", batch8, 3, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	for format, want := range map[string]string{
		"md": "## 9. conclusions and limits", "html": "<svg", "json": `"schema": "benchtop/summary/v1"`, "csv": "client_concurrency", "text": "9. conclusions and limits",
	} {
		code, out, errs := ask(t, "report", path, "--format", format)
		if code != 0 || !strings.Contains(out, want) || strings.Contains(out, "NaN") || strings.Contains(out, "<b>") && format != "json" && format != "csv" && format != "text" && strings.Contains(out, "a <b>") {
			t.Errorf("%s: want %q and nothing unescaped, got code %d, %s%.200s", format, want, code, errs, out)
		}
	}
	if _, out, _ := ask(t, "report", path, "--format", "html"); strings.Contains(out, "http://") || strings.Contains(out, "https://") || strings.Contains(out, "<script") {
		if i := strings.Index(out, "http"); i >= 0 && !strings.Contains(out[max(0, i-40):i], "<td>") {
			t.Errorf("the page reaches outside itself: %.80s", out[i:])
		}
	}
	file := filepath.Join(t.TempDir(), "r.html")
	if code, _, _ := ask(t, "report", path, "-o", file); code != 0 {
		t.Errorf("report -o: want 0, got %d", code)
	}
	if data, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(data, []byte("<!doctype html>")) {
		t.Errorf("want the format by the file's ending, got %v, %.40s", err, data)
	}
	for _, bad := range [][]string{
		{"report", "nosuch"},
		{"report", path, "--format", "pdf"},
		{"report", path, "-o", "/nosuch/dir/x.md"},
		{"shot", path, "--size", "0x0"},
		{"shot", path, "--layout", "no"},
		{"shot", path, "--full", "no"},
		{"shot", path, "--hide", "gpu,no"},
		{"shot", path, "--color", "no"},
		{"demo", "--layout", "no"},
		{"demo", "--full", "no"},
		{"demo", "--hide", "no"},
		{"demo", "--window", "-1s"},
	} {
		if code, out, errs := ask(t, bad...); code == 0 || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: want one line and a code, got %d, %q, %q", bad, code, out, errs)
		}
	}
}

// TestShot draws a frame in every format.
func TestShot(t *testing.T) {
	dir := state(t)
	keep(t, dir, "shot", "", batch8, 3, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	for format, want := range map[string]string{"text": "concurrency", "ansi": "\x1b[", "svg": "<svg", "png": "\x89PNG"} {
		code, out, errs := ask(t, "shot", "last", "--at", "42s", "--size", "100x30", "--format", format)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: want %q, got %d, %s%.100s", format, want, code, errs, out)
		}
	}
	_, early, _ := ask(t, "shot", "last", "--at", "42s")
	_, late, _ := ask(t, "shot", "last", "--at", "70s")
	_, again, _ := ask(t, "shot", "last", "--at", "42s")
	if early == late || early != again {
		t.Error("want another picture at another time, and the same one again")
	}
	for _, c := range []struct {
		args []string
		want string
		not  string
	}{
		{[]string{"--layout", "demo"}, "in big numbers", "batch size"},
		{[]string{"--hide", "batch,queue"}, "concurrency", "batch size"},
		{[]string{"--full", "batch"}, "batch size", "queue length"},
		{[]string{"--cursor", "30s"}, "cursor -", "no such"},
		{[]string{"--format", "ansi", "--color", "none"}, "concurrency", "38;"},
		{[]string{"--format", "ansi", "--color", "256"}, "38;5;", "38;2;"},
	} {
		if code, out, errs := ask(t, append([]string{"shot", "last", "--at", "42s"}, c.args...)...); code != 0 || !strings.Contains(out, c.want) || strings.Contains(out, c.not) {
			t.Errorf("%v: want %q and no %q, got %d, %s%s", c.args, c.want, c.not, code, errs, out)
		}
	}
	if !strings.Contains(early, "00:00:42") {
		t.Errorf("want the run's clock at 42 s, got:\n%.200s", early)
	}
	if code, out, _ := ask(t, "runs"); code != 0 || !strings.Contains(out, "closed") || !strings.Contains(out, "1 recordings") {
		t.Errorf("runs: got %d, %q", code, out)
	}
	if code, out, _ := ask(t, "attach", "last", "--headless", "--summary", "-"); code != 0 || !strings.Contains(out, `"benchtop/summary/v1"`) {
		t.Errorf("attach to what is over: got %d, %.100q", code, out)
	}
}
