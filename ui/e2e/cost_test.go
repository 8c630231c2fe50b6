package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onTerminal starts the program on a terminal that nobody emulates; what it
// draws is given to look.
func onTerminal(b *testing.B, look func(text []byte), args ...string) (pid int, stop func() *os.ProcessState) {
	b.Helper()
	cmd := command(b, args...)
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		b.Skipf("no pseudo terminal here: %v", err)
	}
	var pump sync.WaitGroup
	pump.Go(func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			look(buf[:n])
			if err != nil {
				return
			}
		}
	})
	return cmd.Process.Pid, func() *os.ProcessState {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if code := finish(b, cmd); code != 0 {
			b.Errorf("want exit code 0, got %d", code)
		}
		_ = master.Close()
		pump.Wait()
		return cmd.ProcessState
	}
}

// BenchmarkFirstFrame is the time from the start of the process to its first
// whole frame, beside the floor of any: a process that only tells its version.
func BenchmarkFirstFrame(b *testing.B) {
	dir := b.TempDir()
	put(b, filepath.Join(dir, "server.log"), "")
	bench.binary(b)
	var took, floor []float64
	for b.Loop() {
		b.StopTimer()
		began := time.Now()
		if err := command(b, "version").Run(); err != nil {
			b.Fatal(err)
		}
		floor = append(floor, float64(time.Since(began).Microseconds())/1e3)
		b.StartTimer()
		seen := make(chan struct{}, 1)
		var text bytes.Buffer
		began = time.Now()
		_, stop := onTerminal(b, func(p []byte) {
			if text.Write(p); bytes.Contains(text.Bytes(), []byte("concurrency")) {
				select {
				case seen <- struct{}{}:
				default:
				}
			}
		}, "watch", "--log", filepath.Join(dir, "server.log"), "--gpu", "off", "--no-record")
		<-seen
		took = append(took, float64(time.Since(began).Microseconds())/1e3)
		b.StopTimer()
		stop()
		b.StartTimer()
	}
	slices.Sort(took)
	slices.Sort(floor)
	b.ReportMetric(took[len(took)/2], "ms-median")
	b.ReportMetric(floor[len(floor)/2], "ms-floor")
}

// BenchmarkLiveWatch is what the whole program costs beside a run: a screen of
// 120×40, a log, a stream of 20 requests a second, an endpoint and the machine,
// for twenty seconds after the start's first three. Charts move as often as they do
// where nobody asks for more, and at ten times a second.
func BenchmarkLiveWatch(b *testing.B) {
	b.Run("default", func(b *testing.B) { liveWatch(b) })
	b.Run("10fps", func(b *testing.B) { liveWatch(b, "--fps", "10", "--window", "10s") })
}

func liveWatch(b *testing.B, more ...string) {
	b.Helper()
	metrics := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "vllm:num_requests_running 3\nvllm:num_requests_waiting 1\n")
	}))
	defer metrics.Close()
	for b.Loop() {
		dir := b.TempDir()
		log, stream := filepath.Join(dir, "server.log"), filepath.Join(dir, "client.ndjson")
		put(b, log, "")
		put(b, stream, "")
		pid, stop := onTerminal(b, func([]byte) {}, append([]string{"watch", "--log", log, "--load", stream, "--metrics", metrics.URL, "--gpu", "off"}, more...)...)
		tick := time.NewTicker(50 * time.Millisecond)
		began := time.Now()
		var since time.Time
		used := 0.0
		for i := 0; time.Since(began) < 23*time.Second; i++ {
			if since.IsZero() && time.Since(began) > 3*time.Second {
				since, used = time.Now(), processorTime(b, pid)
			}
			<-tick.C
			put(b, stream, load(i, 1))
			if i%20 == 0 {
				put(b, log, "INFO 11-30 12:00:01 [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: 5 reqs, Waiting: 1 reqs, GPU KV cache usage: 50.0%, Prefix cache hit rate: 0.0%\n")
			}
		}
		tick.Stop()
		used = processorTime(b, pid) - used
		b.ReportMetric(100*used/time.Since(since).Seconds(), "%-of-a-core")
		st := stop()
		b.ReportMetric((st.UserTime()+st.SystemTime()).Seconds()-used, "s-to-start-and-stop")
		if u, ok := st.SysUsage().(*syscall.Rusage); ok {
			b.ReportMetric(float64(u.Maxrss)/1e3, "MB-resident")
		}
	}
}

// processorTime is the seconds that a running process has used so far.
func processorTime(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skipf("no time of running processes here: %v", err)
	}
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // a name may hold anything
	user, uerr := strconv.ParseFloat(f[11], 64)
	system, serr := strconv.ParseFloat(f[12], 64)
	if uerr != nil || serr != nil {
		b.Fatalf("time of process %d: %v, %v", pid, uerr, serr)
	}
	return (user + system) / 100 // Linux tells hundredths whatever its own clock is
}
