package tail_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"benchtop/sources/tail"
)

const benchLines = 200_000

// benchFile holds lines of 197 bytes, as a server's log does.
func benchFile(b testing.TB, lines int) string {
	b.Helper()
	line := append(bytes.Repeat([]byte("INFO 11-30 14:00:00 running 32 "), 7)[:196], '\n')
	path := filepath.Join(b.TempDir(), "server.log")
	if err := os.WriteFile(path, bytes.Repeat(line, lines), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

func perLine(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchLines, "ns/line")
}

// BenchmarkBufio is the floor to compare with: reading and splitting alone.
func BenchmarkBufio(b *testing.B) {
	path := benchFile(b, benchLines)
	b.ReportAllocs()
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		r := bufio.NewReaderSize(f, 256<<10)
		n := 0
		for {
			if _, err := r.ReadSlice('\n'); errors.Is(err, io.EOF) {
				break
			}
			n++
		}
		_ = f.Close()
		if n != benchLines {
			b.Fatalf("want %d lines, got %d", benchLines, n)
		}
	}
	perLine(b)
}

func BenchmarkDirectOnce(b *testing.B) {
	benchRun(b, tail.Options{})
}

func BenchmarkDirectFollow(b *testing.B) {
	benchRun(b, tail.Options{Follow: true, FromStart: true, Direct: true})
}

func benchRun(b *testing.B, o tail.Options) {
	b.Helper()
	o.Place = benchFile(b, benchLines)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		ctx, cancel := context.WithCancel(b.Context())
		err := tail.Run(ctx, o, tail.Handler{Line: func(tail.Line) {
			if n++; n == benchLines {
				cancel()
			}
		}})
		cancel()
		if err != nil || n != benchLines {
			b.Fatalf("want %d lines, got %d, %v", benchLines, n, err)
		}
	}
	perLine(b)
}

// BenchmarkLibrary is the same file's lines through nxadm/tail; it hands over
// only by its rate, after 2 s.
func BenchmarkLibrary(b *testing.B) {
	path := benchFile(b, 1)
	text, err := os.ReadFile(benchFile(b, benchLines))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		n := 0
		var began time.Time
		err = tail.Run(ctx, tail.Options{Spec: tail.Spec{Place: path}, Follow: true, History: 1}, tail.Handler{
			Line: func(l tail.Line) {
				if l.History {
					return
				}
				if n++; n == 1 {
					b.StartTimer()
				}
				if n == benchLines {
					b.StopTimer()
					cancel()
				}
			},
			Open: func(tail.Kind) { began = time.Now() },
			Stats: func(st tail.Stats) {
				if f != nil && st.Follower == "library" {
					_, _ = f.Write(text)
					_ = f.Close()
					f = nil
				}
			},
			Event: func(kind, what string) { b.Logf("%s after %v: %s", kind, time.Since(began), what) },
		})
		cancel()
		b.StartTimer()
		if err != nil || n != benchLines {
			b.Fatalf("want %d lines, got %d, %v", benchLines, n, err)
		}
	}
	perLine(b)
}

// A line costs no allocation: what there is, is per Run and per look at a path.
func TestAllocations(t *testing.T) {
	path := benchFile(t, 20_000)
	n := 0
	h := tail.Handler{Line: func(tail.Line) { n++ }}
	got := testing.AllocsPerRun(3, func() {
		if err := tail.Run(t.Context(), tail.Options{Spec: tail.Spec{Place: path}}, h); err != nil {
			t.Fatal(err)
		}
	})
	if want := 50.0; got > want || n == 0 {
		t.Errorf("want at most %g allocations for 20,000 lines, got %g (%d lines)", want, got, n)
	}
}

// BenchmarkPipe includes the writer, in the same process.
func BenchmarkPipe(b *testing.B) {
	text, err := os.ReadFile(benchFile(b, benchLines))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		go func() {
			_, _ = w.Write(text)
			_ = w.Close()
		}()
		n := 0
		err = tail.Run(b.Context(), tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: r}, tail.Handler{Line: func(tail.Line) { n++ }})
		_ = r.Close()
		if err != nil || n != benchLines {
			b.Fatalf("want %d lines, got %d, %v", benchLines, n, err)
		}
	}
	perLine(b)
}
