package host_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"benchtop/sources/host"
)

// child is this test binary again, in a part that it plays until its input
// ends. argv is what the kernel shows of it.
type child struct {
	cmd   *exec.Cmd
	pid   int
	first string // the first line that it printed
}

func start(t *testing.T, part string, argv []string, stdout *os.File) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self)}
	c.cmd.Args = argv
	c.cmd.Env = append(os.Environ(), "HOST_TEST_PART="+part, "CUDA_VISIBLE_DEVICES=1,0")
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdout = stdout
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = c.cmd.Wait() // it ends when its input does
	})
	c.pid = c.cmd.Process.Pid
	if c.first, err = bufio.NewReader(report).ReadString('\n'); err != nil {
		t.Fatalf("%s: %v", part, err)
	}
	c.first = strings.TrimSpace(c.first)
	return c
}

// play is what a child does.
func play(part string) {
	name, rest, _ := strings.Cut(part, " ")
	switch name {
	case "server":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if rest == "metrics apart" {
			m, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			go serveSlowly(m, "")
			fmt.Fprint(os.Stderr, m.Addr().(*net.TCPAddr).Port, " ")
		}
		go serveSlowly(l, rest)
		fmt.Fprintln(os.Stderr, l.Addr().(*net.TCPAddr).Port)
	case "client":
		ask(rest)
	case "idle":
		fmt.Fprintln(os.Stderr, "idle")
	case "burn":
		go func() {
			var n atomic.Int64
			for n.Add(1) != 0 {
			}
		}()
		fmt.Fprintln(os.Stderr, "burning")
	}
	_, _ = bufio.NewReader(os.Stdin).ReadString(0) // until the test is over
	os.Exit(0)
}

// stingy accepts only so many connections.
type stingy struct {
	net.Listener
	left int
}

func (s *stingy) Accept() (net.Conn, error) {
	if s.left == 0 {
		select {}
	}
	s.left--
	return s.Listener.Accept()
}

func serveSlowly(l net.Listener, how string) {
	if how == "accepts two" {
		l = &stingy{l, 2}
	}
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond)
		fmt.Fprintln(w, "ok")
	}))
}

// ask sends requests with 12 workers until the end.
func ask(how string) {
	how, port, _ := strings.Cut(how, ":")
	t := &http.Transport{MaxIdleConnsPerHost: 64}
	pause := time.Duration(0)
	switch how {
	case "pool":
		t.MaxConnsPerHost = 2
	case "no keep-alive":
		t.DisableKeepAlives = true
	case "sleeps":
		pause = time.Second
	}
	c := &http.Client{Transport: t}
	said := sync.OnceFunc(func() { fmt.Fprintln(os.Stderr, "asking") })
	for range 12 {
		go func() {
			for ; ; said() {
				resp, err := c.Get("http://127.0.0.1:" + port + "/")
				if err == nil {
					_, _ = bufio.NewReader(resp.Body).ReadString('\n')
					_ = resp.Body.Close()
				}
				time.Sleep(pause)
			}
		}()
	}
}

func TestMain(m *testing.M) {
	if part := os.Getenv("HOST_TEST_PART"); part != "" {
		play(part)
	}
	verify(m)
}

// TestFaultsLookDifferent runs a real server and a real client and wants each
// fault to give a picture of its own.
func TestFaultsLookDifferent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	type picture struct{ few, churn, queued, idle bool }
	tests := []struct {
		name, server, client string
		want                 picture
	}{
		{"pool cap", "", "pool", picture{few: true}},
		{"slow accept", "accepts two", "plain", picture{queued: true}},
		{"client that sleeps", "", "sleeps", picture{idle: true}},
		{"keep-alive off", "", "no keep-alive", picture{churn: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, "server "+tt.server, []string{"vllm", "serve", "m"}, nil)
			c := start(t, "client "+tt.client+":"+s.first, []string{"oddload"}, nil)
			var port int
			fmt.Sscan(s.first, &port)
			// A finder made anew each time: how long one rests is measured elsewhere.
			o := host.Options{Find: func() host.Parties { return host.NewFinder(host.FinderOptions{Port: port}).Find() }}
			m := sampler(t, o)
			var w window
			var got picture
			for range 20 { // a busy machine may disturb a window: any that shows the fault as it is will do
				w = look(t, m)
				got = picture{few: w.ever[host.Established] <= 4 && w.rate < 5, churn: w.rate > 20}
				// Where connections are made anew all the time, some wait to be accepted
				// or to be closed on a busy machine.
				got.queued = !got.churn && w.ever[host.AcceptQueue] >= 5
				got.idle = !got.churn && w.idle >= 3
				if got == tt.want && !slices.ContainsFunc(measured[:], func(f host.Field) bool { return !w.has(f) }) {
					return
				}
			}
			for _, f := range measured {
				if !w.has(f) {
					t.Errorf("%s of server %d and client %d: want it measured", f, s.pid, c.pid)
				}
			}
			t.Errorf("want %+v, got %+v (%v established, %.1f opened a second, %v not accepted, %v idle)",
				tt.want, got, w.ever[host.Established], w.rate, w.ever[host.AcceptQueue], w.idle)
		})
	}
}

// measured is what every picture of the sockets needs.
var measured = [...]host.Field{host.ServerCPU, host.ServerThread, host.ClientCPU, host.ClientThread, host.Established, host.AcceptQueue, host.ConnsOpened}

// window is what some polls in a row said.
type window struct {
	ever map[host.Field]float64 // the last of each: a costly part may be left out of a poll
	idle float64                // the most: workers may be in step with each other
	rate float64                // connections opened a second, between the first poll that counts them and the last
}

func (w *window) has(f host.Field) bool {
	_, ok := w.ever[f]
	return ok
}

// look polls until connections were counted three times, or often enough to say
// that they are not.
func look(t *testing.T, m *host.Sampler) window {
	t.Helper()
	w := window{ever: make(map[host.Field]float64)}
	var r host.Reading
	var first, last float64
	var began time.Duration
	origin := time.Now()
	counted := 0
	for range 25 {
		m.Read(&r)
		if r.Has(host.Idle) {
			w.idle = max(w.idle, r.Get(host.Idle))
		}
		for f := range host.Field(host.NumFields) {
			if r.Has(f) {
				w.ever[f] = r.Get(f)
			}
		}
		if r.Has(host.ConnsOpened) {
			now := time.Since(origin)
			if last = r.Get(host.ConnsOpened); counted == 0 {
				first, began = last, now
			} else {
				w.rate = (last - first) / (now - began).Seconds()
			}
			if counted++; counted == 3 {
				break
			}
		}
		pause(t, 400*time.Millisecond)
	}
	return w
}

// TestOurOwnPollsAreNoClients: what this process opens itself is not counted,
// at neither end.
// TestCallers: who holds connections to a server may be its load, with the files
// it writes; one or two are no load, and the server is none of its callers.
func TestCallers(t *testing.T) {
	s := start(t, "server", []string{"vllm", "serve", "m"}, nil)
	out, err := os.Create(filepath.Join(t.TempDir(), "results.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := start(t, "client plain:"+s.first, []string{"oddload"}, out)
	start(t, "client pool:"+s.first, []string{"monitor"}, nil)
	var got []host.Found
	for range 100 { // connections of a busy machine come when they come
		scene, err := host.Look("")
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(scene.Servers, func(f host.Found) bool { return f.PID == s.pid })
		if i < 0 {
			t.Fatalf("want the server found, got %+v", scene.Servers)
		}
		if got = scene.Servers[i].Callers; len(got) == 1 && got[0].Open >= 10 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if len(got) != 1 || got[0].PID != c.pid || got[0].Open < 10 || !slices.Equal(got[0].Writes, []string{out.Name()}) {
		t.Errorf("want process %d with 12 connections, writing %s, got %+v", c.pid, out.Name(), got)
	}
}

// TestPortOfRequests: the server is known by the port of its metrics and serves
// at another, to which the client comes only after we looked.
func TestPortOfRequests(t *testing.T) {
	for _, argv := range [][]string{{"vllm", "serve", "m"}, {"oddserver"}} {
		t.Run(argv[0], func(t *testing.T) {
			s := start(t, "server metrics apart", argv, nil)
			var metrics, port int
			if _, err := fmt.Sscan(s.first, &metrics, &port); err != nil {
				t.Fatal(err)
			}
			m := sampler(t, host.Options{ServerPort: metrics, Find: func() host.Parties {
				return host.NewFinder(host.FinderOptions{Port: metrics}).Find()
			}})
			var r host.Reading
			m.Read(&r)
			start(t, fmt.Sprintf("client plain:%d", port), []string{"oddload"}, nil)
			for range 100 {
				if m.Read(&r); r.Get(host.Established) >= 10 {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
			t.Errorf("want the 12 connections of the client counted, got %v", r.Get(host.Established))
		})
	}
}

func TestOurOwnPollsAreNoClients(t *testing.T) {
	s := start(t, "server", []string{"vllm", "serve", "m"}, nil)
	for range 3 {
		c, err := net.Dial("tcp", "127.0.0.1:"+s.first)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	start(t, "client plain:"+s.first, []string{"oddload"}, nil)
	var port int
	fmt.Sscan(s.first, &port)
	m := sampler(t, host.Options{ServerPort: port})
	var r host.Reading
	for range 100 { // until all workers are connected
		if m.Read(&r); r.Get(host.Established) >= 12 {
			break
		}
		pause(t, 100*time.Millisecond)
	}
	if got := r.Get(host.Established); got != 12 {
		t.Errorf("want the client's 12 connections without our 3, got %v", got)
	}
}

// pause waits in real time: the processes are real.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// TestLookAtRealProcesses finds real processes by their command lines, their
// sockets and the files they write.
func TestLookAtRealProcesses(t *testing.T) {
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	results, err := os.Create(filepath.Join(dir, "live.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	s := start(t, "server", []string{"/opt/llm/bin/vllm", "serve", "m", "--max-num-seqs", "16"}, log)
	c := start(t, "idle", []string{"vegeta", "attack", "-max-connections=8"}, results)
	var port int
	fmt.Sscan(s.first, &port)

	scene, err := host.Look("")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(scene.Servers, func(f host.Found) bool { return f.PID == s.pid })
	if i < 0 {
		t.Fatalf("want server %d found, got %+v", s.pid, scene.Servers)
	}
	v := scene.Servers[i]
	if v.Tool.Name != "vllm" || v.Port != port || !v.Mine || v.Model != "m" || v.Visible != "1,0" || !slices.Equal(v.Logs, []string{log.Name()}) {
		t.Errorf("want vllm at port %d printing to %s, got %+v", port, log.Name(), v)
	}
	if want := fmt.Sprintf("http://127.0.0.1:%d/metrics", port); v.URL != want {
		t.Errorf("want its endpoint %s, got %q", want, v.URL)
	}
	if len(v.Settings) != 1 || v.Settings[0].Name != "max_batch" || v.Settings[0].Value != 16 {
		t.Errorf("want its batch declared, got %+v", v.Settings)
	}
	i = slices.IndexFunc(scene.Loads, func(f host.Found) bool { return f.PID == c.pid })
	if i < 0 {
		t.Fatalf("want load generator %d found, got %+v", c.pid, scene.Loads)
	}
	if w := scene.Loads[i]; !slices.Equal(w.Writes, []string{results.Name()}) || len(w.Settings) != 1 || w.Settings[0].Value != 8 {
		t.Errorf("want vegeta writing %s over 8 connections, got %+v", results.Name(), w)
	}
}
