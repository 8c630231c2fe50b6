package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// load writes n finished requests as a client of one's own would, numbered from
// first.
func load(first, n int) string {
	var b strings.Builder
	now := float64(time.Now().UnixMicro()) / 1e6
	for i := range n {
		fmt.Fprintf(&b, `{"v":1,"ev":"start","t":%.6f,"id":"r%d"}`+"\n", now, first+i)
		fmt.Fprintf(&b, `{"v":1,"ev":"end","t":%.6f,"id":"r%d","dur_ms":5,"outcome":"ok"}`+"\n", now+0.005, first+i)
	}
	return b.String()
}

// put writes a file that may be there.
func put(t testing.TB, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// follower is a program that runs without a screen, and what it says.
type follower struct {
	t    *testing.T
	out  bytes.Buffer
	errs lockedBuffer
	wait func() int
	kill func(sig syscall.Signal)
}

// follow starts the program without a screen.
func follow(t *testing.T, stdin *os.File, args ...string) *follower {
	t.Helper()
	f := &follower{t: t}
	cmd := command(t, append(args, "--headless", "--every", "200ms", "--summary", "-")...)
	cmd.Stdout, cmd.Stderr = &f.out, &f.errs
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	f.wait = func() int { return finish(t, cmd) }
	f.kill = func(sig syscall.Signal) {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Error(err)
		}
	}
	return f
}

// counted waits until so many requests are done, by the lines it prints.
func (f *follower) said(what string) {
	f.t.Helper()
	f.t.Cleanup(func() {
		if f.t.Failed() {
			f.t.Logf("it said:\n%s", f.errs.String())
		}
	})
	eventually(f.t, "a line with "+what, func() bool { return strings.Contains(f.errs.String(), what) })
}

// end stops it and reads its summary.
func (f *follower) end() (summary, client) {
	f.t.Helper()
	f.kill(syscall.SIGINT)
	if code := f.wait(); code != 0 {
		f.t.Fatalf("want exit code 0, got %d: %s", code, f.errs.String())
	}
	return parse(f.t, f.out.String())
}

// TestSourcesComeAndGo runs one watch while everything that it watches is
// missing at first, and comes, floods, dies, is replaced and comes back. No
// request may be lost, no source may take another one with it.
func TestSourcesComeAndGo(t *testing.T) {
	slow(t)
	t.Parallel()
	dir := t.TempDir()
	log, fifo, stream := filepath.Join(dir, "server.log"), filepath.Join(dir, "load.fifo"), filepath.Join(dir, "client.ndjson")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	var phase, scrapes atomic.Int32
	metrics := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch phase.Load() {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 1:
			scrapes.Add(1)
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "vllm:num_requests_running 3\nvllm:num_requests_waiting 1\n")
		default:
			w.Header().Set("Content-Type", "image/png")
		}
	}))
	defer metrics.Close()
	f := follow(t, nil, "watch", "--log", log, "--load", fifo, "--load", stream, "--metrics", metrics.URL,
		"--gpu", "exec:echo not a reading; exit 3", "--host", "exec:sleep 600", "--no-record")
	f.said("client ")

	vllm := "INFO 11-30 12:00:01 [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: 5 reqs, Waiting: 1 reqs, GPU KV cache usage: 50.0%, Prefix cache hit rate: 0.0%\n"
	step := func(what string, do func()) {
		t.Helper()
		do()
		if t.Failed() {
			t.Fatalf("after %s", what)
		}
	}
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	write := func(n, from int) { // a writer of the FIFO that comes and goes
		t.Helper()
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(load(from, n)); err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
	}
	step("the first writer of the FIFO", func() { write(10, 0) })
	step("the log appears", func() { put(t, log, strings.Repeat(vllm, 3)) })
	f.said("server 5+1")
	step("the stream appears and floods", func() { put(t, stream, load(1000, 20_000)) })
	step("the endpoint answers", func() { phase.Store(1) })
	eventually(t, "a scrape", func() bool { return scrapes.Load() > 0 })
	step("the log is rotated", func() { rename(log, log+".1"); put(t, log, vllm) })
	step("the stream is replaced", func() { rename(stream, stream+".1"); put(t, stream, load(50_000, 10)) })
	step("the second writer", func() { write(10, 100) })
	step("the log is truncated", func() {
		if err := os.Truncate(log, 0); err != nil {
			t.Fatal(err)
		}
	})
	step("the log is deleted", func() {
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
	})
	step("a directory in its place", func() {
		if err := os.Mkdir(log, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	step("the endpoint shows a picture", func() { phase.Store(2) })
	f.kill(syscall.SIGSTOP)
	step("it is stopped, the stream grows", func() { put(t, stream, load(60_000, 10)) })
	f.kill(syscall.SIGCONT)
	step("the log is back", func() {
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		put(t, log, strings.ReplaceAll(vllm, "Running: 5", "Running: 7"))
	})
	f.said("batch 7")

	s, c := f.end()
	wantNumber(t, "requests", 20_040, c.Requests)
	wantNumber(t, "ok", 20_040, c.OK)
	wantNumber(t, "unfinished", 0, c.Unfinished)
	for _, src := range s.Sources {
		if src.Kind == "log" && (src.Matched == nil || *src.Matched < 4) { // one is truncated away before anybody can look
			t.Errorf("want the log's lines from before, between and after its troubles, got %s", number(src.Matched))
		}
	}
	if text := f.errs.String(); strings.Contains(text, "internal error") || strings.Contains(text, "left behind") {
		t.Errorf("want nobody broken or left behind, got %s", text)
	}
}

// TestWriterIsNotHeldUp stops the program while a load generator prints into
// its pipe: as much as the pipe was made to hold goes in without waiting, and
// all of it is counted after.
func TestWriterIsNotHeldUp(t *testing.T) {
	slow(t)
	t.Parallel()
	const holds = 1 << 20
	for _, kind := range []string{"stdin", "FIFO"} {
		t.Run(kind, func(t *testing.T) {
			var w *os.File
			var f *follower
			var err error
			if kind == "stdin" {
				var r *os.File
				if r, w, err = os.Pipe(); err != nil {
					t.Fatal(err)
				}
				f = follow(t, r, "watch", "--load", "-", "--gpu", "off", "--host", "off", "--no-record")
				_ = r.Close() // the child has it
			} else {
				name := filepath.Join(t.TempDir(), "load.fifo")
				if err := syscall.Mkfifo(name, 0o600); err != nil {
					t.Fatal(err)
				}
				f = follow(t, nil, "watch", "--load", name, "--gpu", "off", "--host", "off", "--no-record")
				if w, err = os.OpenFile(name, os.O_WRONLY, 0); err != nil { // waits for its reader
					t.Fatal(err)
				}
			}
			defer func() { _ = w.Close() }()
			f.said("client ")
			if pipeSize(t, w) < holds {
				limit, _ := os.ReadFile("/proc/sys/fs/pipe-max-size") // absent: unknown
				t.Skipf("this system keeps pipes at %d bytes (pipe-max-size %s)", pipeSize(t, w), bytes.TrimSpace(limit))
			}
			f.kill(syscall.SIGSTOP)
			text := load(0, 6000) // about 900 KB: 5 s of 1,200 requests a second
			if len(text) > holds-4096 || len(text) < holds/2 {
				t.Fatalf("the test's stream has %d bytes", len(text))
			}
			fd := int(w.Fd()) //nolint:gosec // a file descriptor; asking for it makes it block
			if err := syscall.SetNonblock(fd, true); err != nil {
				t.Fatal(err)
			}
			if n, err := syscall.Write(fd, []byte(text)); err != nil || n != len(text) {
				t.Errorf("want %d bytes taken at once, got %d, %v", len(text), n, err)
			}
			for err == nil { // the rest of the pipe
				_, err = syscall.Write(fd, []byte("\n"+strings.Repeat(" ", 4095)))
			}
			if !errors.Is(err, syscall.EAGAIN) {
				t.Errorf("want the pipe full now, or the test proves nothing; got %v", err)
			}
			f.kill(syscall.SIGCONT)
			_, c := f.end()
			wantNumber(t, "requests", 6000, c.Requests)
			wantNumber(t, "ok", 6000, c.OK)
		})
	}
}

// TestStoppedAndContinued stops the program under its screen, as a shell's job
// control does, and wants it to go on where it was.
func TestStoppedAndContinued(t *testing.T) {
	slow(t)
	t.Parallel()
	tm := open(t, 120, 40, nil, demoArgs()...)
	tm.drawn()
	tm.signal(syscall.SIGSTOP)
	tm.keys("?")
	tm.resize(100, 30)
	tm.signal(syscall.SIGCONT)
	tm.awaitText("this help")
	tm.keys("\x1b")
	tm.drawn()
	tm.keys("q")
	if code := tm.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d", code)
	}
	tm.wantRestored()
}

// TestNoSecretsAnywhere gives passwords in every place that takes one and looks
// for them on the screen, in the summary and in all files that the run left.
func TestNoSecretsAnywhere(t *testing.T) {
	slow(t)
	t.Parallel()
	const hush = "hush-9f3a"
	dir := t.TempDir()
	file := filepath.Join(dir, "run.btr")
	summary := filepath.Join(dir, "summary.json")
	tm := open(t, 200, 60, nil, "run", "--log", "exec:printf 'Authorization: Bearer "+hush+"\\n'; exec sleep 600 # -H 'Authorization: Bearer "+hush+"'",
		"--metrics", "http://me:"+hush+"@127.0.0.1:9/metrics?api_key="+hush, "--gpu", "dcgm:http://me:"+hush+"@127.0.0.1:9/metrics",
		"--host", "exec:API_KEY="+hush+" sleep 600", "--record", file, "--summary", summary,
		"--", "sh", "-c", `printf '%s\n' "$1" >&2; sleep 2`, "--api-key", "--token="+hush)
	tm.awaitText("concurrency")
	tm.keys("8")
	tm.keys("\r")
	tm.awaitText("sources")
	tm.awaitText("Authorization: •••", "http://•••@", "API_KEY=•••")
	tm.keys("\r9\r")
	tm.awaitText("ended")
	tm.keys("q")
	if code := tm.wait(); code > 1 {
		t.Errorf("want exit code 0 or 1, got %d", code)
	}
	tm.wantRestored()
	tm.mu.Lock()
	raw := tm.raw.String()
	tm.mu.Unlock()
	if i := strings.Index(raw, hush); i >= 0 {
		t.Errorf("on the screen: %q", raw[max(0, i-60):min(len(raw), i+40)])
	}
	for _, name := range []string{file, summary} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.Index(text, []byte(hush)); i >= 0 {
			t.Errorf("in %s: %q", filepath.Base(name), text[max(0, i-60):min(len(text), i+40)])
		}
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fi.Mode().Perm(); got != 0o600 {
			t.Errorf("%s: want mode 600, got %o", filepath.Base(name), got)
		}
	}
	replay := invoke(t, "report", file, "--format", "json")
	if i := strings.Index(replay.out, hush); i >= 0 {
		t.Errorf("in the report: %q", replay.out[max(0, i-60):min(len(replay.out), i+40)])
	}
}
