package serverlog_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// BenchmarkCost sets the cost of parsing a line against that of finding it:
// match/floor for lines that say something, miss/floor for those that do not.
// All three are the best of many short passes of the same run, so that a busy
// machine does not decide.
func BenchmarkCost(b *testing.B) {
	for _, path := range corpusFiles(b) {
		b.Run(strings.TrimSuffix(filepath.Base(path), ".log"), func(b *testing.B) {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			hit, miss := split(b, data, corpusFormat(path))
			c := newCoster(corpusFormat(path))
			floor, hits, misses := scanCost(b, hit, miss), bests(len(hit)), bests(len(miss))
			for b.Loop() {
				c.cost(hit, hits)
				c.cost(miss, misses)
			}
			match, none := perLine(hits), perLine(misses)
			if os.Getenv("COST_LINES") != "" {
				for i, t := range append(hits, misses...) {
					b.Logf("%4d ns %s", int(t)/alike, append(hit, miss...)[i])
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(floor, "floor-ns/line")
			b.ReportMetric(match, "match-ns/line")
			b.ReportMetric(none, "miss-ns/line")
			b.ReportMetric(match/floor, "match/floor")
			b.ReportMetric(none/floor, "miss/floor")
		})
	}
}

// split parts a corpus into lines that say something and others.
func split(b *testing.B, data []byte, format string) (hit, miss [][]byte) {
	b.Helper()
	for _, l := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		s, err := serverlog.Probe(bytes.NewReader(l), serverlog.Options{Format: format, Year: 2026}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if s.Matched > 0 {
			hit = append(hit, l)
		} else if len(l) > 0 {
			miss = append(miss, l)
		}
	}
	return hit, miss
}

const (
	costRounds = 4
	alike      = 20
)

// scanCost is the time that bufio takes to read one line of a file.
func scanCost(b *testing.B, parts ...[][]byte) float64 {
	b.Helper()
	path := filepath.Join(b.TempDir(), "log")
	var lines [][]byte
	for _, p := range parts {
		lines = append(lines, p...)
	}
	one := append(bytes.Join(lines, []byte("\n")), '\n')
	if err := os.WriteFile(path, bytes.Repeat(one, 16<<20/len(one)), 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	best := math.Inf(1)
	buf := make([]byte, 64<<10)
	for range 5 {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			b.Fatal(err)
		}
		n := 0
		at := time.Now()
		sc := bufio.NewScanner(f)
		for sc.Buffer(buf, len(buf)); sc.Scan(); n++ {
		}
		best = min(best, float64(time.Since(at))/float64(n))
	}
	return best
}

type coster struct {
	d   *serverlog.Decoder
	ch  chan *model.Batch
	out *sources.Outlet
	now model.Instant
}

func newCoster(format string) *coster {
	ch := make(chan *model.Batch, 64)
	return &coster{
		d:  serverlog.NewDecoder(serverlog.Options{Format: format, Year: 2026}),
		ch: ch, out: sources.NewOutlet(context.Background(), ch, 1, sources.Drain, nil), now: t0,
	}
}

// cost brings best, the shortest time to parse each of lines, up to date. Each
// is met in a run of alike ones, as servers print them.
func (c *coster) cost(lines [][]byte, best []time.Duration) {
	for range costRounds {
		for i, l := range lines {
			at := time.Now()
			for range alike {
				c.now += 1000
				c.d.Line(l, c.now, false, c.out)
			}
			best[i] = min(best[i], time.Since(at))
			c.out.FlushAt(c.now)
			for len(c.ch) > 0 {
				sources.Recycle(<-c.ch)
			}
		}
	}
}

// bests makes the times that any measured one is shorter than.
func bests(n int) []time.Duration {
	t := make([]time.Duration, n)
	for i := range t {
		t[i] = time.Hour
	}
	return t
}

// perLine is the mean over lines, in nanoseconds.
func perLine(best []time.Duration) float64 {
	sum := time.Duration(0)
	for _, t := range best {
		sum += t
	}
	return float64(sum) / float64(alike*max(1, len(best)))
}

// mixed is an endless log of every server's lines in turn, cut at size bytes.
type mixed struct {
	block []byte
	at    int
	left  int64
}

// newMixed makes it of one file, or of all.
func newMixed(tb testing.TB, size int64, path string) *mixed {
	tb.Helper()
	m := &mixed{left: size}
	files := []string{path}
	if path == "" {
		files = corpusFiles(tb)
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		m.block = append(m.block, b...)
	}
	return m
}

func (m *mixed) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), m.left)], m.block[m.at:])
	m.at = (m.at + n) % len(m.block)
	m.left -= int64(n)
	return n, nil
}

// BenchmarkMixedLog reads 64 MiB of a server's mixed lines from the start, as
// history. It tells megabytes a second of processor time too: on a busy machine
// the clock says little.
func BenchmarkMixedLog(b *testing.B) {
	const size = 64 << 20
	logs := map[string]string{"every": "", "llamacpp-real": "testdata/real/c-queue-grows/server.log"}
	for _, name := range []string{"vllm", "sglang", "trtllm", "tgi", "generic"} {
		logs[name] = "testdata/" + name + ".log"
	}
	for name, path := range logs {
		b.Run(name, func(b *testing.B) {
			format, _, _ := strings.Cut(name, "-")
			if format == "every" {
				format = "vllm"
			}
			m := newMixed(b, size, path)
			ch := make(chan *model.Batch, 64)
			out := sources.NewOutlet(context.Background(), ch, 1, sources.Drain, nil)
			buf := make([]byte, 256<<10)
			b.SetBytes(size)
			b.ReportAllocs()
			began := processorTime()
			for b.Loop() {
				d := serverlog.NewDecoder(serverlog.Options{Format: format, Year: 2026})
				now := t0
				m.left = size
				sc := bufio.NewScanner(m)
				sc.Buffer(buf, len(buf))
				for n := 0; sc.Scan(); n++ {
					now += 1000
					d.Line(sc.Bytes(), now, true, out)
					if n%256 == 0 {
						out.FlushAt(now)
						for len(ch) > 0 {
							sources.Recycle(<-ch)
						}
					}
				}
			}
			b.ReportMetric(float64(b.N)*size/1e6/(processorTime()-began).Seconds(), "MB/cpu-s")
		})
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkReadLog reads a file of 256 MiB as a live run from the start does:
// through the tail, the decoder and the outlet. Its lines are what vLLM prints
// under load, a statistics line among forty of requests.
func BenchmarkReadLog(b *testing.B) {
	var block strings.Builder
	for i := range 40 {
		fmt.Fprintf(&block, "(APIServer pid=4107) INFO:     10.20.0.14:%d - \"POST /v1/completions HTTP/1.1\" 200 OK\n", 50000+i)
		if i%4 == 0 {
			fmt.Fprintf(&block, "(APIServer pid=4107) INFO 11-30 12:00:%02d [async_llm.py:402] Added request cmpl-%d.\n", i, i)
		}
	}
	block.WriteString(vllmLine("12:00:59", 31, 7) + "\n")
	path := filepath.Join(b.TempDir(), "v.log")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	const size = 256 << 20
	for n := 0; n < size; n += block.Len() {
		if _, err := f.WriteString(block.String()); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	s, err := tail.ParseSpec(path + ",format=vllm,year=2026")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	began := processorTime()
	for b.Loop() {
		ch := make(chan *model.Batch, 64)
		out := sources.NewOutlet(context.Background(), ch, 1, sources.Block, nil)
		done := make(chan error, 1)
		go func() {
			done <- serverlog.NewSource(tail.Options{Spec: s, FromStart: true}, serverlog.Options{}).Run(context.Background(), out)
			close(ch)
		}()
		for batch := range ch {
			sources.Recycle(batch)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*size/1e6/(processorTime()-began).Seconds(), "MB/cpu-s")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-from-system")
}
