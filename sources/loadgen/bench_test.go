package loadgen_test

import (
	"bytes"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/loadgen"
)

// drained is an outlet whose batches are thrown away.
func drained(b *testing.B) (out *sources.Outlet, stop func()) {
	b.Helper()
	ch := make(chan *model.Batch, 64)
	done := make(chan struct{})
	go func() {
		for batch := range ch {
			sources.Recycle(batch)
		}
		close(done)
	}()
	return sources.NewOutlet(b.Context(), ch, 1, sources.Block, nil), func() { close(ch); <-done }
}

// perCore reports the records a second of one core from the time the whole
// process was on one, which other programs on the machine don't change.
func perCore(b *testing.B, n int, before syscall.Rusage) {
	b.Helper()
	var after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	took := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	b.ReportMetric(float64(n)/took.Seconds(), "records/core-s")
}

// numbered is a line with a number of twelve digits in it that can be changed
// in place, so that the lines differ as in a real stream and making them costs
// nothing.
type numbered struct {
	text []byte
	at   int
}

func newNumbered(format string) numbered {
	text := []byte(format)
	return numbered{text, bytes.Index(text, []byte("000000000000"))}
}

func (l *numbered) set(n int) []byte {
	for i := l.at + 11; i >= l.at; i-- {
		l.text[i] = byte('0' + n%10)
		n /= 10
	}
	return l.text
}

// BenchmarkNDJSON is a stream of starts and ends with 32 in flight.
func BenchmarkNDJSON(b *testing.B) {
	start := newNumbered(`{"ev":"start","t":1796046000.123456,"id":"000000000000","worker":3}`)
	end := newNumbered(`{"ev":"end","t":1796046000.234567,"id":"000000000000","dur_ms":32.342,"outcome":"ok","status":200,"ttft_ms":12.5,"output_tokens":100,"conn_reused":true,"bytes_in":33}`)
	out, stop := drained(b)
	d := loadgen.NewDecoder(loadgen.Options{Format: "benchtop_ndjson"})
	n := 0
	step := func() {
		switch {
		case n%2 == 0:
			d.Line(start.set(n/2), seenAt, false, false, out)
		case n >= 64:
			d.Line(end.set(n/2-32), seenAt, false, false, out)
		}
		n++
	}
	for range 1 << 18 { // what it remembers is full
		step()
	}
	var before syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		step()
	}
	perCore(b, b.N, before)
	b.StopTimer()
	stop()
}

// TestNDJSONAllocatesNothing: memory is steady however long the stream is.
func TestNDJSONAllocatesNothing(t *testing.T) {
	r := testing.Benchmark(BenchmarkNDJSON)
	if a := r.AllocsPerOp(); a != 0 {
		t.Errorf("want no allocation a record, got %d (%d B)", a, r.AllocedBytesPerOp())
	}
}

// BenchmarkVegeta is a stream of ends with bodies.
func BenchmarkVegeta(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	all := randomRun(rng, 32, 1<<14, -1)
	body := bytes.Repeat([]byte("eyJ0ZXh0"), 64)
	lines := make([][]byte, len(all))
	for i := range all {
		lines[i] = bytes.Replace([]byte(all[i].line()), []byte("eyJ9"), body, 1)
	}
	out, stop := drained(b)
	d := loadgen.NewDecoder(loadgen.Options{Format: "vegeta_json"})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n == len(lines) {
			b.StopTimer()
			n, d = 0, loadgen.NewDecoder(loadgen.Options{Format: "vegeta_json"})
			b.StartTimer()
		}
		d.Line(lines[n], seenAt, false, false, out)
		n++
	}
	stop()
}
