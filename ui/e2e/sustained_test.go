package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSustained has the program, on one core and with a screen, follow a
// load stream and record it, while 200,000 events a second are written to the
// stream: of each request its begin, its tokens and its end. Nothing may be
// missing at the end. Its figures are the share of the core and the memory.
func BenchmarkSustained(b *testing.B) {
	const (
		events  = 200_000
		beats   = 100 // writes a second
		seconds = 15
	)
	b.Setenv("GOMAXPROCS", "1")
	for b.Loop() {
		dir := b.TempDir()
		stream, told := filepath.Join(dir, "client.ndjson"), filepath.Join(dir, "summary.json")
		put(b, stream, "")
		out, err := os.OpenFile(stream, os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		pid, stop := onTerminal(b, func([]byte) {}, "watch", "--load", stream, "--gpu", "off", "--host", "off", "--fps", "10", "--summary", told)
		beat := time.NewTicker(time.Second / beats)
		began, sent, behind := time.Now(), 0, 0.0
		for range beats * seconds {
			now := <-beat.C
			if _, err := out.Write(requestsAt(now, sent, events/3/beats)); err != nil {
				b.Fatal(err)
			}
			sent += events / 3 / beats
			behind = max(behind, time.Since(now).Seconds())
		}
		wall := time.Since(began).Seconds()
		used := processorTime(b, pid)
		beat.Stop()
		_ = out.Close()
		st := stop()
		text, err := os.ReadFile(told)
		if err != nil {
			b.Fatal(err)
		}
		var s struct {
			Client struct{ Requests, OK *float64 }
		}
		if err := json.Unmarshal(text, &s); err != nil {
			b.Fatal(err)
		}
		if got := s.Client.OK; got == nil || *got != float64(sent) {
			b.Fatalf("want all %d requests counted, got %s", sent, number(got))
		}
		b.ReportMetric(float64(3*sent)/wall, "events/s")
		b.ReportMetric(100*used/wall, "%-of-a-core")
		b.ReportMetric(behind*1e3, "ms-writer-behind")
		if u, ok := st.SysUsage().(*syscall.Rusage); ok {
			b.ReportMetric(float64(u.Maxrss)/1e3, "MB-resident")
		}
	}
}

// requestsAt is n requests of three events each that begin and end at now.
func requestsAt(now time.Time, first, n int) []byte {
	at := strconv.FormatFloat(float64(now.UnixMicro())/1e6, 'f', 6, 64)
	var b strings.Builder
	for i := range n {
		id := strconv.Itoa(first + i)
		b.WriteString(`{"v":1,"ev":"start","t":` + at + `,"id":"r` + id + "\"}\n")
		b.WriteString(`{"v":1,"ev":"end","t":` + at + `,"id":"r` + id + `","dur_ms":5,"outcome":"ok","out_tokens":64}` + "\n")
	}
	return []byte(b.String())
}
