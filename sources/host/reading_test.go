package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/host"
)

// verify runs the tests and wants no goroutine left.
func verify(m *testing.M) { goleak.VerifyTestMain(m) }

// outlet makes an outlet and what reads it: all events and notes so far.
func outlet(t testing.TB) (*sources.Outlet, func() ([]model.Event, []model.Note)) {
	t.Helper()
	ch := make(chan *model.Batch, 1000)
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

// contractKeys are the keys of one line, in their order (contract, section 6).
const contractKeys = "ts client_busiest_thread_cores client_cpu_cores server_busiest_thread_cores server_cpu_cores other_cpu_share " +
	"per_core_busy cpu_mhz_mean governor ctx_switches_total steal_share sockets_established sockets_connecting accept_queue " +
	"connections_opened_total tcp_out_segs_total tcp_retrans_total cgroup_nr_periods cgroup_nr_throttled client_cgroup_nr_periods " +
	"client_cgroup_nr_throttled psi_cpu_some psi_memory_some psi_io_some mem_available_mib oom_kills_total disk_read_bps net_rx_bps " +
	"net_tx_bps self_cpu_cores self_rss_mib cpu_power_w client_rss_mib server_rss_mib client_open_files server_open_files sockets_idle sockets_closing"

func firstLine(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/readings.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	l, _, _ := strings.Cut(string(b), "\n")
	return []byte(l)
}

func TestEveryKeyRoundTrips(t *testing.T) {
	in := firstLine(t)
	var r host.Reading
	if err := r.ParseJSON(in); err != nil {
		t.Fatal(err)
	}
	if r.Count() != host.NumFields {
		t.Errorf("want all %d fields, got %d", host.NumFields, r.Count())
	}
	got := r.AppendJSON(nil)
	var keys []string
	dec := json.NewDecoder(strings.NewReader(string(got)))
	for depth, isKey := 0, true; ; {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch d, isDelim := tok.(json.Delim); {
		case isDelim && (d == '{' || d == '['):
			depth++
			isKey = depth == 1
		case isDelim:
			depth--
			isKey = true
		case depth == 1 && isKey:
			keys = append(keys, tok.(string))
			isKey = false
		case depth == 1:
			isKey = true
		}
	}
	if g := strings.Join(keys, " "); g != contractKeys {
		t.Errorf("want keys\n%s\ngot\n%s", contractKeys, g)
	}
	var again host.Reading
	if err := again.ParseJSON(got); err != nil {
		t.Fatal(err)
	}
	if w, g := fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", again); w != g {
		t.Errorf("want it back as it was\n%s\ngot\n%s", w, g)
	}
}

func TestApplyInBaseUnits(t *testing.T) {
	var r host.Reading
	if err := r.ParseJSON(firstLine(t)); err != nil {
		t.Fatal(err)
	}
	want := map[model.SeriesID]float64{
		model.HostClientThread: 0.5, model.HostClientCPU: 0.75, model.HostServerThread: 0.9, model.HostServerCPU: 2.5,
		model.HostOtherCPU: 0.125, model.HostCPUClock: 2.5e9, model.HostSteal: 0.0625, model.HostEstablished: 16,
		model.HostConnecting: 2, model.HostAcceptQueue: 1, model.HostConnsOpened: 40, model.HostSegsOut: 5000,
		model.HostSegsRetrans: 5, model.HostQuotaPeriods: 100, model.HostQuotaThrottled: 10, model.HostPSICPU: 0.25,
		model.HostPSIMemory: 0, model.HostPSIIO: 0.125, model.HostMemAvailable: 2 << 30, model.HostOOMKills: 0,
		model.SelfCPU: 0.015625, model.SelfRSS: 32 << 20, model.HostIdle: 3, model.HostClosing: 2,
		model.HostClientQuotaPeriods: 50, model.HostClientQuotaThrottled: 0, model.HostClientRSS: 64 << 20, model.HostServerRSS: 4 << 30,
		model.HostClientFiles: 70, model.HostServerFiles: 120, model.HostBusiestCore: 1, model.HostSwitches: 1000,
		model.HostDiskRead: 1000, model.HostNetRx: 2000, model.HostNetTx: 3000, model.HostCPUPower: 181.5,
	}
	out, read := outlet(t)
	var st host.State
	host.Apply(&r, 10, 20, out, &st)
	evs, notes := read()
	got := make(map[model.SeriesID]float64)
	for _, e := range evs {
		if e.Kind != model.Level || e.At != 10 || e.Seen != 20 {
			t.Errorf("want levels at 10 seen at 20, got %+v", e)
		}
		got[e.Series] = e.Value
	}
	for id, w := range want {
		if g, ok := got[id]; !ok || g != w {
			t.Errorf("%s: want %v, got %v (there: %v)", id, w, g, ok)
		}
	}
	if len(got) != len(want) {
		t.Errorf("want %d series, got %d", len(want), len(got))
	}
	for i := model.HostClientThread; i <= model.SelfRSS; i++ {
		if _, ok := want[i]; !ok {
			t.Errorf("want every host series given, %s is not", i)
		}
	}
	if len(notes) != 1 || notes[0].Name != "cpu_governor" || notes[0].Text != "performance" {
		t.Errorf("want the governor told, got %+v", notes)
	}

	// Once more: no governor, and what is absent gives nothing.
	var less host.Reading
	less.Set(host.ServerCPU, 0)
	host.Apply(&less, 30, 40, out, &st)
	host.Gap(50, out, &st, host.ClientCPU, host.ClientCPU, host.ConnsOpened)
	evs, notes = read()
	if len(notes) != 0 || len(evs) != 2 || evs[0].Series != model.HostServerCPU || evs[0].Value != 0 ||
		evs[1].Kind != model.Gap || evs[1].Series != model.HostClientCPU {
		t.Errorf("want a measured zero and one gap of a gauge, got %+v %+v", evs, notes)
	}
}

func TestSetRefuses(t *testing.T) {
	for _, v := range []float64{-1, math.NaN(), math.Inf(1)} {
		var r host.Reading
		r.Set(host.ServerCPU, 1)
		r.Set(host.ServerCPU, v)
		if r.Has(host.ServerCPU) || !math.IsNaN(r.Get(host.ServerCPU)) {
			t.Errorf("want %v to be no value, got %v", v, r.Get(host.ServerCPU))
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"no object", "7", "not a JSON object"},
		{"no time", "{}", `"ts"`},
		{"time in another form", `{"ts":1714557600}`, `"ts"`},
		{"negative", `{"ts":"2026-05-01T10:00:00Z","server_cpu_cores":-1}`, "server_cpu_cores"},
		{"share above one", `{"ts":"2026-05-01T10:00:00Z","per_core_busy":[1.5]}`, "per_core_busy"},
		{"governor no text", `{"ts":"2026-05-01T10:00:00Z","governor":1}`, "governor"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r host.Reading
			err := r.ParseJSON([]byte(tt.line))
			if err == nil || !strings.Contains(err.Error(), tt.want) || r.Count() != 0 {
				t.Errorf("want an error with %q and nothing read, got %v and %d fields", tt.want, err, r.Count())
			}
		})
	}
}

func TestFeed(t *testing.T) {
	r, err := os.Open("testdata/readings.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	f := host.NewFeed(r, "host.ndjson", "server")
	out, read := outlet(t)
	n := 0
	for {
		at, ok, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		n++
		f.Emit(out, at)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	evs, notes := read()
	sums := make(map[model.SeriesID]float64)
	var cpu []float64
	for _, e := range evs {
		switch {
		case e.Kind == model.Add:
			sums[e.Series] += e.Value
		case e.Series == model.HostServerCPU:
			cpu = append(cpu, e.Value)
			if e.At != e.Seen {
				t.Errorf("want it seen when it was measured, got %+v", e)
			}
		}
	}
	if n != 3 || sums[model.SourceLines] != 7 || sums[model.SourceMatched] != 3 || sums[model.SourceErrors] != 3 {
		t.Errorf("want 3 readings of 7 lines, 3 bad, got %d, %v", n, sums)
	}
	if fmt.Sprint(cpu) != "[2.5 3]" {
		t.Errorf("want 2.5 and 3, the null no value, got %v", cpu)
	}
	var bad, governors []string
	for _, n := range notes {
		switch n.Kind {
		case model.NoteBadLine:
			bad = append(bad, fmt.Sprintf("%g", n.Value))
		case model.NoteRun:
			governors = append(governors, n.Text)
		}
	}
	if fmt.Sprint(bad) != "[3 4 5]" || fmt.Sprint(governors) != "[performance powersave]" {
		t.Errorf("want lines 3, 4, 5 as samples and two governors, got %v, %v", bad, governors)
	}
}

func TestFeedOfNothing(t *testing.T) {
	for text, wantErr := range map[string]bool{"": false, "hello\nthere\n": true} {
		_, ok, err := host.NewFeed(io.NopCloser(strings.NewReader(text)), "x", "").Next()
		if ok || (err != nil) != wantErr {
			t.Errorf("%q: want error %v, got %v, %v", text, wantErr, ok, err)
		}
	}
}

func TestProbe(t *testing.T) {
	long := strings.Repeat("x", 300<<10) + "\n" + string(firstLine(t))
	count := 0
	read, good, err := host.Probe(strings.NewReader(long), func(*host.Reading) { count++ })
	if read != 2 || good != 1 || count != 1 || err != nil {
		t.Errorf("want 1 of 2 lines, got %d of %d (%d), %v", good, read, count, err)
	}
}

func TestLineSource(t *testing.T) {
	pr, pw := io.Pipe()
	s := &host.LineSource{Place: "exec:x", Label: "server", Live: true, Open: func(context.Context) (io.ReadCloser, error) { return pr, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	g := sources.NewGroup()
	g.Start(ctx, s, sources.Drain, false)
	if _, err := pw.Write(append(firstLine(t), '\n')); err != nil {
		t.Fatal(err)
	}
	levels := 0
	for levels == 0 {
		for _, e := range (<-g.Batches()).Events {
			if e.Kind == model.Level {
				levels++
			}
		}
	}
	cancel()
	g.Wait(0)
	if levels != 36 {
		t.Errorf("want 36 series in one batch before the source waits, got %d", levels)
	}
}

func FuzzReadings(f *testing.F) {
	f.Add([]byte(`{"ts":"2026-05-01T10:00:00Z","per_core_busy":[0.1],"governor":"a\u0000b","cpu_mhz_mean":1e300}`))
	f.Add([]byte("{}\n[]\nnull\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = host.Probe(strings.NewReader(string(b)), func(r *host.Reading) {
			text := r.AppendJSON(nil)
			var again host.Reading
			if err := again.ParseJSON(text); err != nil {
				t.Fatalf("want %s readable, got %v", text, err)
			}
			if w, g := fmt.Sprintf("%+v", *r), fmt.Sprintf("%+v", again); w != g && len(r.PerCore) > 0 {
				t.Fatalf("want it back as it was\n%s\ngot\n%s", w, g)
			}
		})
	})
}
