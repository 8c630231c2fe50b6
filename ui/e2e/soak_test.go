package e2e_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	soakFor  = flag.Duration("soak", 0, "how long TestSoak runs; 0 leaves it out")
	soakSeed = flag.Uint64("seed", 1, "of TestSoak's faults and keys")
)

// chaos is one soak: a program on a terminal, what it watches, and what was
// done to it.
type chaos struct {
	*terminal
	r       *rand.Rand
	dir     string
	scraped atomic.Int32 // how the endpoint behaves
	sent    int          // requests told so far
	stopped bool
	done    map[string]int
	vitals  []vitals
}

// vitals are what a process holds.
type vitals struct{ kb, files, threads int }

// TestSoak watches a run for a while during which everything goes wrong, at
// random but by a seed, and somebody plays with the keys. At the end nothing
// has leaked, no request is missing and the terminal is as it was. See .ci/soak.
func TestSoak(t *testing.T) {
	if *soakFor <= 0 {
		t.Skip("no -soak DURATION given: see .ci/soak")
	}
	c := &chaos{r: rand.New(rand.NewPCG(*soakSeed, 9)), dir: t.TempDir(), done: map[string]int{}}
	metrics := httptest.NewServer(http.HandlerFunc(c.metrics))
	defer metrics.Close()
	name := func(s string) string { return filepath.Join(c.dir, s) }
	if err := syscall.Mkfifo(name("load.fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, name("client.ndjson"), "")
	file, summary := name("run.btr"), name("summary.json")
	c.terminal = open(t, 120, 40, nil, "watch", "--log", name("server.log"), "--load", name("client.ndjson"), "--load", name("load.fifo"),
		"--metrics", metrics.URL, "--gpu", "exec:"+gpuScript, "--host", "auto", "--record", file, "--summary", summary, "--from", "start")
	c.awaitText("concurrency")
	c.run(*soakFor)
	c.wake()
	c.resize(120, 40)
	c.signal(syscall.SIGTERM)
	if code := c.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d; the screen:\n%s", code, c.screen())
	}
	c.wantRestored()
	c.wantSteady()
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	_, counted := parse(t, string(text))
	wantNumber(t, "requests", float64(c.sent), counted.Requests)
	wantWhole(t, file)
	if strings.Contains(c.raw.String(), "internal error") {
		t.Error("want no panic in any source")
	}
	t.Logf("%s with seed %d: %d requests told and counted, %v", *soakFor, *soakSeed, c.sent, c.done)
	c.mu.Lock()
	t.Logf("sequences that the emulated terminal broke at: %d", c.broken)
	c.mu.Unlock()
	for i := range 11 { // how it went: what leaks grows from each tenth to the next
		n := i * (len(c.vitals) - 1) / 10
		t.Logf("%3d %%: %+v", 10*i, c.vitals[n])
	}
}

// gpuScript prints readings and rubbish for a while, then dies.
const gpuScript = `for i in 1 2 3 4 5 6; do printf '{"ts":"%s","gpu":0,"uuid":"GPU-1","name":"X","sm_mhz":1400,"util_pct":90}\n{broken\n' "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)"; sleep 1; done; exit 3`

func (c *chaos) metrics(w http.ResponseWriter, r *http.Request) {
	switch c.scraped.Load() {
	case 0:
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "vllm:num_requests_running 3\nvllm:num_requests_waiting 1\n")
	case 1:
		w.WriteHeader(http.StatusInternalServerError)
	case 2:
		select {
		case <-r.Context().Done():
		case <-time.After(3 * time.Second): // what is being imitated: a server that hangs
		}
	case 3:
		_, _ = io.WriteString(w, manyLabels)
	default:
		http.Redirect(w, r, "http://127.0.0.1:9/", http.StatusFound)
	}
}

var manyLabels = func() string {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "vllm:num_requests_running{engine=\"%d\"} 1\n", i)
	}
	return b.String()
}()

// run does one thing after another.
func (c *chaos) run(d time.Duration) {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	step := time.NewTicker(40 * time.Millisecond)
	defer step.Stop()
	for i := 0; ; i++ {
		select {
		case <-deadline.C:
			return
		case err := <-c.exited:
			c.exited <- err
			c.t.Fatalf("the program ended: %v after %v; the screen:\n%s", err, c.done, c.screen())
		case <-step.C:
		}
		c.act()
		if i%25 == 0 {
			c.wake()
			c.vitals = append(c.vitals, c.look())
		}
	}
}

// act does one thing at random.
func (c *chaos) act() {
	acts := []struct {
		name   string
		weight int
		do     func()
	}{
		{"requests", 30, func() { c.load("client.ndjson", 1+c.r.IntN(40)) }},
		{"flood", 1, func() { c.load("client.ndjson", 3000) }},
		{"fifo", 4, c.fifo},
		{"log", 20, func() { put(c.t, c.path("server.log"), c.line()) }},
		{"rubbish", 6, func() { put(c.t, c.path("server.log"), c.rubbish()) }},
		{"rotate", 1, func() { _ = os.Rename(c.path("server.log"), c.path("server.log.1")) }},
		{"truncate", 1, func() { _ = os.Truncate(c.path("server.log"), 0) }},
		{"delete", 1, func() { _ = os.RemoveAll(c.path("server.log")) }},
		{"endpoint", 2, func() { c.scraped.Store(int32(c.r.IntN(5))) }},
		{"stop", 2, c.pause},
		{"resize", 4, func() {
			sizes := [][2]int{{1, 1}, {500, 200}, {80, 24}, {200, 60}, {20, 5}, {120, 40}, {3, 80}}
			s := sizes[c.r.IntN(len(sizes))]
			c.resize(s[0], s[1])
		}},
		{"keys", 25, func() {
			const keys = "?plevtTmxXwyn0123456789[]/+-roicu \t\r\x1b\x0c"
			i := c.r.IntN(len(keys))
			c.keys(keys[i : i+1])
		}},
		{"arrows", 5, func() {
			c.keys([]string{"\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1b[<0;40;10M"}[c.r.IntN(7)])
		}},
	}
	all := 0
	for _, a := range acts {
		all += a.weight
	}
	n := c.r.IntN(all)
	for _, a := range acts {
		if n -= a.weight; n < 0 {
			c.done[a.name]++
			a.do()
			return
		}
	}
}

func (c *chaos) path(name string) string { return filepath.Join(c.dir, name) }

func (c *chaos) load(name string, n int) {
	put(c.t, c.path(name), load(c.sent, n))
	c.sent += n
}

// fifo is a writer that comes, tells little enough for a stopped reader, and
// goes.
func (c *chaos) fifo() {
	c.wake()
	w, err := os.OpenFile(c.path("load.fifo"), os.O_WRONLY, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	n := 1 + c.r.IntN(20)
	if _, err := w.WriteString(load(c.sent, n)); err != nil {
		c.t.Fatal(err)
	}
	c.sent += n
	_ = w.Close() // what was written is in the pipe
}

func (c *chaos) line() string {
	return fmt.Sprintf("INFO 11-30 12:00:01 [loggers.py:257] Engine %03d: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: %d reqs, Waiting: %d reqs, GPU KV cache usage: 50.0%%, Prefix cache hit rate: 0.0%%\n",
		c.r.IntN(3), c.r.IntN(40), c.r.IntN(20))
}

func (c *chaos) rubbish() string {
	b := make([]byte, 1+c.r.IntN(4000))
	for i := range b {
		b[i] = byte(c.r.UintN(256))
	}
	return "\x1b]0;owned\x07\x1b[2J ERROR " + string(b) + "\n"
}

func (c *chaos) pause() {
	if c.stopped = !c.stopped; c.stopped {
		c.signal(syscall.SIGSTOP)
		return
	}
	c.signal(syscall.SIGCONT)
}

func (c *chaos) wake() {
	if c.stopped {
		c.pause()
	}
}

// look reads what the process holds.
func (c *chaos) look() (v vitals) {
	pid := strconv.Itoa(c.cmd.Process.Pid)
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		c.t.Skipf("no procfs here: %v", err)
	}
	for _, l := range bytes.Split(status, []byte("\n")) {
		key, value, _ := strings.Cut(string(l), ":")
		f := strings.Fields(value)
		switch {
		case len(f) == 0:
		case key == "VmRSS":
			v.kb, _ = strconv.Atoi(f[0])
		case key == "Threads":
			v.threads, _ = strconv.Atoi(f[0])
		}
	}
	files, _ := os.ReadDir("/proc/" + pid + "/fd") // gone with the process
	v.files = len(files)
	return v
}

// wantSteady compares the last third of the time with the middle one: what
// grows without end shows there. The first third is for filling what is filled
// once.
func (c *chaos) wantSteady() {
	c.t.Helper()
	n := len(c.vitals)
	if n < 9 {
		c.t.Logf("too short to tell what grows: %d looks", n)
		return
	}
	most := func(list []vitals) (m vitals) {
		for _, v := range list {
			m = vitals{max(m.kb, v.kb), max(m.files, v.files), max(m.threads, v.threads)}
		}
		return m
	}
	middle, last := most(c.vitals[n/3:2*n/3]), most(c.vitals[2*n/3:])
	if last.files > middle.files+4 {
		c.t.Errorf("open files: %d in the middle, %d at the end", middle.files, last.files)
	}
	if last.threads > middle.threads+8 {
		c.t.Errorf("threads: %d in the middle, %d at the end", middle.threads, last.threads)
	}
	if last.kb > middle.kb*13/10+40<<10 {
		c.t.Errorf("memory: %d KB in the middle, %d KB at the end", middle.kb, last.kb)
	}
}
