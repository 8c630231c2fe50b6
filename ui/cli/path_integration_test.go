//go:build integration && linux

package cli_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The two ends of a path whose sockets have a fault, as processes.
var (
	faultyServer = part("faulty server", playFaultyServer)
	faultyClient = part("faulty client", playFaultyClient)
)

// sluggish is a listener that takes its time over each connection but the first
// ones.
type sluggish struct {
	net.Listener
	wait  time.Duration
	first int
}

func (l *sluggish) Accept() (net.Conn, error) {
	if l.first--; l.first < 0 {
		time.Sleep(l.wait)
	}
	return l.Listener.Accept()
}

// part adds one to what the test binary can play.
func part(name string, play func(args []string)) string {
	parts[name] = play
	return name
}

func playFaultyServer(args []string) {
	f := flag.NewFlagSet("vllm serve", flag.ExitOnError)
	wait := f.Duration("accept", 0, "")
	first := f.Int("at-once", 0, "")
	_ = f.Parse(args[1:])
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var running, waiting atomic.Int64
	slots := make(chan struct{}, 32)
	mux := http.NewServeMux()
	metrics := func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\"} %d\n"+
			"# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{engine=\"0\"} %d\n", running.Load(), waiting.Load())
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		waiting.Add(1)
		slots <- struct{}{}
		waiting.Add(-1)
		running.Add(1)
		time.Sleep(400 * time.Millisecond)
		running.Add(-1)
		<-slots
		fmt.Fprint(w, "ok")
	})
	m, err := net.Listen("tcp", "127.0.0.1:0") // metrics of their own: the fault is on the requests' path
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { _ = http.Serve(m, http.HandlerFunc(metrics)) }()
	go func() { _ = http.Serve(&sluggish{l, *wait, *first}, mux) }()
	go func() {
		for {
			fmt.Printf("INFO %s [loggers.py:118] Engine 000: Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 200.0 tokens/s, Running: %d reqs, Waiting: %d reqs, GPU KV cache usage: 10.0%%, Prefix cache hit rate: 0.0%%\n",
				time.Now().Format("01-02 15:04:05"), running.Load(), waiting.Load())
			time.Sleep(2 * time.Second)
		}
	}()
	fmt.Fprintln(os.Stderr, l.Addr().(*net.TCPAddr).Port, m.Addr().(*net.TCPAddr).Port)
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
}

func playFaultyClient(args []string) {
	f := flag.NewFlagSet("client", flag.ExitOnError)
	url := f.String("url", "", "")
	pool := f.Int("pool", 0, "")
	keep := f.Bool("keep", true, "")
	inside := f.Duration("sleep-inside", 0, "") // of what it counts
	after := f.Duration("sleep-after", 0, "")
	_ = f.Parse(args)
	var mu sync.Mutex
	now := func() float64 { return float64(time.Now().UnixMicro()) / 1e6 }
	emit := func(v map[string]any) {
		b, _ := json.Marshal(v)
		mu.Lock()
		defer mu.Unlock()
		_, _ = os.Stdout.Write(append(b, '\n'))
	}
	const workers = 48
	emit(map[string]any{"v": 1, "ev": "run", "t": now(), "concurrency": workers, "tool": "oddload"})
	c := &http.Client{Timeout: time.Hour, Transport: &http.Transport{MaxConnsPerHost: *pool, MaxIdleConnsPerHost: workers, DisableKeepAlives: !*keep}}
	fmt.Fprintln(os.Stderr, "ready")
	var id atomic.Int64
	for i := range workers {
		go func() {
			time.Sleep(time.Duration(i) * 20 * time.Millisecond)
			for {
				k, began := id.Add(1), time.Now()
				emit(map[string]any{"ev": "start", "t": now(), "id": k})
				time.Sleep(*inside)
				outcome := "other"
				if r, err := c.Get(*url); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					_ = r.Body.Close()
					outcome = "ok"
				}
				emit(map[string]any{"ev": "end", "t": now(), "id": k, "dur_ms": float64(time.Since(began).Microseconds()) / 1e3, "outcome": outcome})
				time.Sleep(*after)
			}
		}()
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
}

// theFaults are what a path from client to server may suffer from, and how each
// looks: a verdict, and words that are in its text and evidence or never are.
var theFaults = []struct {
	name           string
	server, client []string
	verdict        string
	wants, never   []string
}{
	{"pool cap", nil, []string{"-pool", "8"}, "client_pool", []string{"8 connections open"}, []string{"new connections a second", "accept queue", "idle"}},
	{"keep-alive off", []string{"-accept", "40ms"}, []string{"-keep=false"}, "path_stuck", []string{"new connections a second"}, []string{"connections open", "idle"}},
	{"slow accept", []string{"-accept", "1h", "-at-once", "8"}, nil, "path_stuck", []string{"in the listener's accept queue", "48 connections open"}, []string{"new connections a second", "idle"}},
	{"client that sleeps", nil, []string{"-sleep-inside", "2s"}, "before_server", []string{"connections idle, their answer read"}, []string{"new connections a second", "accept queue"}},
	{"client that sleeps between requests", nil, []string{"-sleep-after", "2s"}, "client_below_target", []string{"asked for 48 in flight"}, []string{"new connections a second", "accept queue"}},
}

// TestIntegrationFaultsOfThePath runs a real server and a real client with one
// fault after the other, and wants of the whole program a verdict, words and
// evidence of its own for each. A run lasts until the verdict is there: a minute
// or so, of which the warm-up is most.
func TestIntegrationFaultsOfThePath(t *testing.T) {
	for _, tt := range theFaults {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var port, metrics int
			said := spawn(t, faultyServer, filepath.Join(dir, "server.log"), append([]string{"vllm", "serve"}, tt.server...)...)
			if _, err := fmt.Sscan(said, &port, &metrics); err != nil {
				t.Fatalf("the server says %q: %v", said, err)
			}
			spawn(t, faultyClient, filepath.Join(dir, "load.ndjson"), append([]string{"oddload", "-url", fmt.Sprintf("http://127.0.0.1:%d/v1", port)}, tt.client...)...)
			v, words, out := watchPath(t, dir, metrics, tt.verdict)
			t.Logf("%s: %s", v, words)
			if v != tt.verdict {
				t.Errorf("want %s, got %s in\n%s", tt.verdict, v, out)
			}
			if lacks := missing(words, tt.wants); len(lacks) > 0 {
				t.Errorf("want %s", strings.Join(lacks, "\nand "))
			}
			for _, w := range tt.never {
				if strings.Contains(words, w) {
					t.Errorf("want nothing of %q, got\n%s", w, words)
				}
			}
		})
	}
}

// spawn starts a part of this binary with its output in a file, and returns the
// line that it says on standard error. The test's end is the part's.
func spawn(t testing.TB, part, out string, argv ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cmd := exec.Command(self)
	cmd.Args, cmd.Stdout = argv, w
	cmd.Env = append(os.Environ(), "CLI_TEST_PART="+part)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it ends with its input
	})
	said, err := bufio.NewReader(errs).ReadString('\n')
	if err != nil {
		t.Fatalf("%s: %v", part, err)
	}
	return said
}

// watchPath runs benchtop over both until it has a verdict that is wanted, and
// for some seconds more, so that what was only passing is not taken for it.
func watchPath(t *testing.T, dir string, metrics int, want string) (verdict, words, out string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	title := map[string]string{
		"client_pool": "connection pool is the limit", "path_stuck": "stuck between client and server",
		"before_server": "the limit is before the server", "client_below_target": "stays below its target",
	}[want]
	summary := filepath.Join(dir, "summary.json")
	me := exec.Command(self, "--log", filepath.Join(dir, "server.log"), "--load", filepath.Join(dir, "load.ndjson"),
		"--metrics", fmt.Sprintf("http://127.0.0.1:%d/metrics", metrics), "--gpu", "off", "--headless", "--no-record", "--for", "150s", "--summary", summary)
	me.Env = append(os.Environ(), "CLI_TEST_PART=benchtop", "HOME="+dir)
	me.Stderr = os.Stderr
	pipe, err := me.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := me.Start(); err != nil {
		t.Fatal(err)
	}
	lines, held := bufio.NewScanner(pipe), 0
	var all strings.Builder
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if held++; !strings.Contains(lines.Text(), title) {
			held = 0
		}
		if held == 10 {
			_ = me.Process.Signal(os.Interrupt) // if it has ended meanwhile, so be it
		}
	}
	if err := me.Wait(); err != nil {
		t.Fatalf("want it to run, got %v: %s", err, all.String())
	}
	b, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	var sum struct {
		Verdict struct {
			ID, Title string
			Evidence  []struct{ Text string }
		}
	}
	if err := json.Unmarshal(b, &sum); err != nil {
		t.Fatal(err)
	}
	words = sum.Verdict.Title
	for _, e := range sum.Verdict.Evidence {
		words += "\n" + e.Text
	}
	return sum.Verdict.ID, words, all.String()
}
