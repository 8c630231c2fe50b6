package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/loadgen"
	"benchtop/sources/recording"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

const pathRequests = 100_000

// requestLines are a start and an end line a request, 1,000 requests a second.
func requestLines(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		at := 1_796_046_687 + float64(i)/1000
		fmt.Fprintf(&b, `{"v":1,"ev":"start","t":%.6f,"id":"r%d"}`+"\n", at, i)
		fmt.Fprintf(&b, `{"v":1,"ev":"end","t":%.6f,"id":"r%d","dur_ms":900.5,"outcome":"ok","out_tokens":64}`+"\n", at+0.9, i)
	}
	return b.Bytes()
}

// serverLines are what a busy server prints, one statistics line among access
// lines that say nothing.
func serverLines(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		if i%20 == 0 {
			fmt.Fprintf(&b, "INFO 11-30 12:%02d:%02d [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: %d reqs, Waiting: 3 reqs, GPU KV cache usage: 50.0%%, Prefix cache hit rate: 0.0%%\n", i/60000%60, i/1000%60, i%64)
			continue
		}
		fmt.Fprintf(&b, "INFO:     10.0.0.1:%d - \"POST /v1/completions HTTP/1.1\" 200 OK\n", 1024+i%60000)
	}
	return b.Bytes()
}

// through runs sources to their ends with an engine behind them, and returns
// what it published last.
func through(b testing.TB, record func(*model.Batch), list ...sources.Source) *model.Snapshot {
	b.Helper()
	g := sources.NewGroup()
	for _, s := range list {
		g.Start(b.Context(), s, sources.Block, true)
	}
	g.WhenFinite(func() { g.Wait(0) })
	e := engine.New(engine.Options{Recycle: sources.Recycle, Record: record})
	e.Run(g.Batches())
	return e.Latest()
}

// BenchmarkPath is the way of a line from a file to a published snapshot, beside
// what any way would cost: reading and splitting (bufio), and counting lines in
// another process (grep -c).
func BenchmarkPath(b *testing.B) {
	dir := b.TempDir()
	files := map[string]struct {
		text  []byte
		lines int
	}{"client.ndjson": {requestLines(pathRequests), 2 * pathRequests}, "server.log": {serverLines(pathRequests), pathRequests}}
	for _, name := range []string{"client.ndjson", "server.log"} {
		path, f := filepath.Join(dir, name), files[name]
		if err := os.WriteFile(path, f.text, 0o600); err != nil {
			b.Fatal(err)
		}
		rate := func(b *testing.B) {
			b.ReportMetric(float64(f.lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
			b.SetBytes(int64(len(f.text)))
		}
		b.Run(name+"/floor-bufio", func(b *testing.B) {
			for b.Loop() {
				in, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				r := bufio.NewReaderSize(in, 256<<10)
				for err == nil {
					_, err = r.ReadSlice('\n')
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				_ = in.Close()
			}
			rate(b)
		})
		b.Run(name+"/floor-grep", func(b *testing.B) {
			if _, err := exec.LookPath("grep"); err != nil {
				b.Skip("no grep here")
			}
			for b.Loop() {
				if err := exec.CommandContext(b.Context(), "grep", "-c", "INFO\\|ev", path).Run(); err != nil {
					b.Fatal(err)
				}
			}
			rate(b)
		})
		b.Run(name+"/published", func(b *testing.B) {
			for b.Loop() {
				in := tail.Options{Spec: tail.Spec{Place: path}, FromStart: true}
				if name == "server.log" {
					if s := through(b, nil, serverlog.NewSource(in, serverlog.Options{Year: 2026})); len(s.Sources) != 1 || s.Sources[0].Lines != float64(f.lines) || s.Sources[0].Dropped != 0 {
						b.Fatalf("want %d lines read and none dropped, got %+v", f.lines, s.Sources)
					}
					continue
				}
				if s := through(b, nil, loadgen.NewSource(in, loadgen.Options{})); s.Client.Done != pathRequests || s.Shed != 0 {
					b.Fatalf("want %d requests and nothing shed, got %d, %d", pathRequests, s.Client.Done, s.Shed)
				}
			}
			rate(b)
			if name == "client.ndjson" { // a begin, an end, tokens, and the two that say how far it is told
				b.ReportMetric(3*pathRequests*float64(b.N)/b.Elapsed().Seconds(), "events/s")
			}
		})
	}
	b.Run("client.ndjson/recorded", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			w, err := recording.Create(filepath.Join(dir, fmt.Sprint(i, ".btr")), recording.Header{ID: "x", Started: 1})
			if err != nil {
				b.Fatal(err)
			}
			through(b, w.Write, loadgen.NewSource(tail.Options{Spec: tail.Spec{Place: filepath.Join(dir, "client.ndjson")}, FromStart: true}, loadgen.Options{}))
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(2*pathRequests*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
	})
}

// cellSamples are the latencies that one turn of BenchmarkEventToCell takes: a
// P99 of fewer is the worst of them.
const cellSamples = 400

// BenchmarkEventToCell writes one end line after another to a followed file,
// under a load of 2,000 lines a second, and waits until a screen has drawn the
// count that holds it. A line comes at any moment between two frames. Its
// figures are the latencies' quantiles; the floor is how late the machine wakes
// a sleeper, which each of the three on the way is.
func BenchmarkEventToCell(b *testing.B) {
	path := filepath.Join(b.TempDir(), "client.ndjson")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	all, err := themes.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	g := sources.NewGroup()
	g.Start(b.Context(), sources.Heartbeat{}, sources.Block, false)
	g.Start(b.Context(), loadgen.NewSource(tail.Options{Spec: tail.Spec{Place: path}, FromStart: true, Follow: true, Direct: true}, loadgen.Options{Format: "benchtop_ndjson"}), sources.Block, false)
	e := engine.New(engine.Options{Recycle: sources.Recycle})
	sources.Spawn("engine", func() { e.Run(g.Batches()) }, func(error) {})
	grid, buf := draw.NewGrid(120, 40), []byte(nil)
	var took, late []float64
	sent := uint64(0)
	phase := rand.New(rand.NewPCG(1, 2))
	sample := func() {
		due := time.Now().Add(time.Duration(phase.IntN(100)) * time.Millisecond)
		time.Sleep(time.Until(due))
		began := time.Now()
		late = append(late, began.Sub(due).Seconds()*1e3)
		now := float64(began.UnixMicro()) / 1e6
		var text []byte
		for range 100 { // each 50 ms or so
			text = fmt.Appendf(text, `{"v":1,"ev":"start","t":%.6f,"id":"r%d"}`+"\n"+`{"v":1,"ev":"end","t":%.6f,"id":"r%d","dur_ms":5,"outcome":"ok"}`+"\n", now-0.005, sent, now, sent)
			sent++
		}
		if _, err := f.Write(text); err != nil {
			b.Fatal(err)
		}
		for e.Latest().Client.Done < sent {
			<-e.Changed()
		}
		ui.Draw(grid, e.Latest(), ui.ViewState{Window: time.Minute, Zone: time.UTC}, themes.TrueColor)
		buf = grid.Encode(buf[:0], all[0], themes.TrueColor)
		took = append(took, time.Since(began).Seconds()*1e3)
	}
	for b.Loop() {
		for range cellSamples {
			sample()
		}
	}
	slices.Sort(took)
	slices.Sort(late)
	at := func(v []float64, q float64) float64 { return v[min(len(v)-1, int(math.Ceil(q*float64(len(v))))-1)] }
	for _, q := range []float64{0.5, 0.99} {
		b.ReportMetric(at(took, q), fmt.Sprintf("ms-p%.0f", q*100))
	}
	b.ReportMetric(at(late, 0.99), "ms-floor-p99")
}
