//go:build integration

package cli_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// These tests run real load generators, those that are installed, for a few
// seconds each against a server of their own on loopback:
//
//	go test -tags integration -run Integration ./ui/cli -v

// truth is what the server itself counted, by what it did to a request.
type truth struct {
	mu  sync.Mutex
	n   int
	did map[string]float64
	url string
}

func (s *truth) of(fates ...string) (n float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range fates {
		n += s.did[f]
	}
	return n
}

func (s *truth) all() (n float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.did {
		n += x
	}
	return n
}

// fates is what happens to the requests in turn; the rest is good.
var fates = map[int]string{3: "503", 11: "429", 17: "500", 23: "rst", 31: "cut", 37: "503", 43: "hang"}

// newTruth starts a server; without are fates that a tool can't stand.
func newTruth(t *testing.T, without ...string) *truth {
	t.Helper()
	s := &truth{did: map[string]float64{}}
	gone := make(chan struct{})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		fate := fates[s.n%50]
		if fate == "" || slices.Contains(without, fate) {
			fate = "ok"
		}
		s.n++
		s.did[fate]++
		s.mu.Unlock()
		wait := time.NewTimer(time.Duration(5+s.n%20) * time.Millisecond)
		defer wait.Stop()
		<-wait.C
		switch fate {
		case "503", "429", "500":
			code, _ := strconv.Atoi(fate)
			w.WriteHeader(code)
		case "rst":
			reset(w)
		case "cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(make([]byte, 100))
			_ = http.NewResponseController(w).Flush()
			reset(w)
		case "hang":
			select {
			case <-r.Context().Done():
			case <-gone:
			}
		default:
			_, _ = w.Write([]byte("fine\n"))
		}
	}))
	s.url = h.URL + "/generate"
	t.Cleanup(func() { close(gone); h.Close() })
	return s
}

// reset ends a connection with RST.
func reset(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// generator is one tool and what it can tell of the truth.
type generator struct {
	name    string
	without []string // fates left out
	argv    func(t *testing.T, url, dir string) []string
	stdin   func(url string) string
	want    func(s *truth) map[string]float64
	slack   float64 // requests open at its end, which it doesn't tell
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// siegeRC makes siege print a line an answer.
const siegeRC = "verbose = true\njson_output = false\ncolor = off\nlogging = false\nlimit = 255\nprotocol = HTTP/1.1\nconnection = keep-alive\n"

// locustRun is a run of locust with a user that posts as fast as it can.
func locustRun(t *testing.T, url, dir, users, length string) []string {
	file := write(t, filepath.Join(dir, "file.py"), `from locust import FastHttpUser, HttpUser, task
class U(HttpUser):
    @task
    def go(self):
        self.client.post("/generate", data="{}", timeout=1)
`)
	return []string{"locust", "-f", file, "--headless", "-u", users, "-r", users, "-t", length, "--exit-code-on-error", "0", "--host", strings.TrimSuffix(url, "/generate")}
}

var generators = []generator{
	{
		name: "vegeta", // all, by code and error text
		argv: func(t *testing.T, url, dir string) []string {
			return []string{"vegeta", "attack", "-targets", write(t, filepath.Join(dir, "targets"), "POST "+url+"\n"), "-rate=150", "-duration=4s", "-timeout=1s"}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{
				"requests": s.all(), "ok": s.of("ok"), "rejected": s.of("503", "429"), "http_error": s.of("500"),
				"timeout": s.of("hang"), "reset": s.of("rst", "cut"), "other": 0,
			}
		},
	},
	{
		name: "hey", // a cut body counts as its status
		argv: func(_ *testing.T, url, _ string) []string {
			return []string{"hey", "-n", "400", "-c", "8", "-t", "1", "-m", "POST", "-d", "{}", url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{
				"requests": s.all(), "ok": s.of("ok", "cut"), "rejected": s.of("503", "429"), "http_error": s.of("500"),
				"timeout": s.of("hang"), "reset": s.of("rst"),
			}
		},
	},
	{
		name: "wrk", without: []string{"hang"}, slack: 8, // statuses of 400 and up are one number, lost ones another
		argv: func(_ *testing.T, url, _ string) []string {
			return []string{"wrk", "-t1", "-c8", "-d3s", "--timeout", "1s", url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"ok": s.of("ok"), "failed": s.of("503", "429", "500"), "reset": s.of("rst", "cut")}
		},
	},
	{
		name: "ab", without: []string{"hang", "rst", "cut"}, // the others end its run or are counted twice
		argv: func(t *testing.T, url, dir string) []string {
			return []string{"ab", "-l", "-n", "400", "-c", "8", "-p", write(t, filepath.Join(dir, "body"), "{}"), "-T", "application/json", url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"requests": s.all(), "failed": s.of("503", "429", "500"), "ok": s.of("ok")}
		},
	},
	{
		name: "siege", without: []string{"hang", "rst", "cut"}, // a lost answer leaves no line
		argv: func(t *testing.T, url, dir string) []string {
			rc := write(t, filepath.Join(dir, "rc"), siegeRC)
			return []string{"siege", "-R", rc, "-c", "8", "-r", "40", "-b", url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"requests": s.all(), "ok": s.of("ok"), "rejected": s.of("503", "429"), "http_error": s.of("500")}
		},
	},
	{
		// What fails on a connection used before is tried again unseen, and
		// each thread's first request is a warm-up that is not told.
		name: "fortio", without: []string{"hang", "rst", "cut"}, slack: 8,
		argv: func(_ *testing.T, url, dir string) []string {
			return []string{
				"fortio", "load", "-qps", "0", "-c", "8", "-n", "400", "-timeout", "1s", "-allow-initial-errors", "-payload", "{}",
				"-access-log-file", filepath.Join(dir, "access.ndjson"), "-access-log-format", "json", url,
			}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"requests": s.all(), "ok": s.of("ok"), "rejected": s.of("503", "429"), "http_error": s.of("500")}
		},
	},
	{
		// A connection that is closed before the answer raises no event at all.
		name: "autocannon", without: []string{"rst", "cut", "hang"}, slack: 8,
		argv: func(_ *testing.T, url, _ string) []string {
			return []string{"autocannon", "-j", "-c", "8", "-a", "400", "-m", "POST", "-b", "{}", url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"requests": s.all(), "ok": s.of("ok"), "rejected": s.of("503", "429"), "http_error": s.of("500")}
		},
	},
	{
		// fasthttp tries a reset again unseen; classes of statuses and texts.
		name: "bombardier", without: []string{"rst", "cut", "hang"},
		argv: func(_ *testing.T, url, _ string) []string {
			return []string{"bombardier", "-n", "400", "-c", "8", "-m", "POST", "-b", "{}", "-l", "-p", "r", "-o", "json", url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"requests": s.all(), "ok": s.of("ok"), "failed": s.of("503", "429", "500")}
		},
	},
	{
		name: "h2load", without: []string{"rst", "cut", "hang"}, // it aborts on them
		argv: func(_ *testing.T, url, dir string) []string {
			return []string{"h2load", "--h1", "-n", "400", "-c", "8", "-t", "1", "--log-file=" + filepath.Join(dir, "live.tsv"), url}
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{"requests": s.all(), "ok": s.of("ok"), "rejected": s.of("503", "429"), "http_error": s.of("500")}
		},
	},
	{
		name: "locust", slack: 8, // all by text in its final tables; what is open at its end is killed
		argv: func(t *testing.T, url, dir string) []string {
			return locustRun(t, url, dir, "8", "4s")
		},
		want: func(s *truth) map[string]float64 {
			return map[string]float64{
				"requests": s.all(), "ok": s.of("ok"), "rejected": s.of("503", "429"), "http_error": s.of("500"),
				"timeout": s.of("hang"), "reset": s.of("rst", "cut"),
			}
		},
	},
}

// Each tool's counts, as benchtop reads them, are what that tool can possibly
// tell of what the server counted.
func TestIntegrationCounts(t *testing.T) {
	for _, g := range generators {
		t.Run(g.name, func(t *testing.T) {
			if _, err := exec.LookPath(g.name); err != nil {
				t.Skipf("%s is not installed", g.name)
			}
			s := newTruth(t, g.without...)
			code, out, errs, sum := benchtop(t, append([]string{"run", "--for", "60s", "--"}, g.argv(t, s.url, t.TempDir())...)...)
			if code != 0 {
				t.Fatalf("want 0, got %d: %s", code, errs)
			}
			c := &sum.Client
			got := map[string]*float64{"requests": c.Requests, "ok": c.OK, "failed": c.Failed}
			for k, v := range c.ByKind {
				got[k] = v
			}
			for k, w := range g.want(s) {
				if v := got[k]; v == nil || *v > w || *v < w-g.slack {
					t.Errorf("%s: the server counted %g (%g of them may be untold), benchtop read %v", k, w, g.slack, deref(v))
				}
			}
			t.Logf("server %v; read %s: requests %v, ok %v, failed %v, kinds %v, peak %v (%s)", s.did, c.Format,
				deref(c.Requests), deref(c.OK), deref(c.Failed), kinds(c.ByKind), deref(c.Concurrency.Peak), c.Concurrency.How)
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

func kinds(m map[string]*float64) string {
	var all []string
	for k, v := range m {
		all = append(all, fmt.Sprintf("%s %v", k, deref(v)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Several generators at once are one client.
func TestIntegrationTwoAtOnce(t *testing.T) {
	vegeta, err := exec.LookPath("vegeta")
	if err != nil {
		t.Skip("vegeta is not installed")
	}
	s := newTruth(t, "hang")
	dir := t.TempDir()
	targets := write(t, filepath.Join(dir, "targets"), "POST "+s.url+"\n")
	other := filepath.Join(dir, "other.json")
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf("%s attack -targets %s -rate=60 -duration=3s -timeout=1s | %s encode --to json > %s", vegeta, targets, vegeta, other))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code, _, errs, sum := benchtop(t, "run", "--load", other+",format=vegeta_json", "--from", "start", "--", vegeta, "attack", "-targets", targets, "-rate=60", "-duration=5s", "-timeout=1s")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		t.Fatalf("want 0, got %d: %s", code, errs)
	}
	want(t, "requests of both", s.all(), sum.Client.Requests)
	want(t, "ok of both", s.of("ok"), sum.Client.OK)
	t.Logf("server %g requests, peak read %v", s.all(), deref(sum.Client.Concurrency.Peak))
}

// paced are runs of a fixed time, as fast as the tool can: what the server counts
// is its throughput.
var paced = []struct {
	name string
	argv func(t *testing.T, url, dir string) []string
}{
	{"wrk", func(_ *testing.T, url, _ string) []string { return []string{"wrk", "-t1", "-c16", "-d2s", url} }},
	{"vegeta", func(t *testing.T, url, dir string) []string {
		return []string{"vegeta", "attack", "-targets", write(t, filepath.Join(dir, "targets"), "POST "+url+"\n"), "-rate=0", "-max-workers=16", "-duration=2s"}
	}},
	{"fortio", func(_ *testing.T, url, dir string) []string {
		return []string{
			"fortio", "load", "-qps", "0", "-c", "16", "-t", "2s", "-payload", "{}",
			"-access-log-file", filepath.Join(dir, "access.ndjson"), "-access-log-format", "json", url,
		}
	}},
	{"hey", func(_ *testing.T, url, _ string) []string { return []string{"hey", "-z", "2s", "-c", "16", url} }},
	{"siege", func(t *testing.T, url, dir string) []string {
		return []string{"siege", "-R", write(t, filepath.Join(dir, "rc"), siegeRC), "-c", "16", "-t", "2S", "-b", "-v", url}
	}},
	{"ab", func(_ *testing.T, url, _ string) []string {
		return []string{"ab", "-t", "2", "-n", "1000000", "-c", "16", "-k", url}
	}},
	{"autocannon", func(_ *testing.T, url, _ string) []string { return []string{"autocannon", "-c", "16", "-d", "2", url} }},
	{"bombardier", func(_ *testing.T, url, _ string) []string {
		return []string{"bombardier", "-c", "16", "-d", "2s", url}
	}},
	{"h2load", func(_ *testing.T, url, _ string) []string {
		return []string{"h2load", "--h1", "-D", "2", "-c", "16", "-t", "1", url}
	}},
	{"locust", func(t *testing.T, url, dir string) []string {
		return locustRun(t, url, dir, "16", "4s")
	}},
}

// A generator is as fast with benchtop attached as without: pairs of runs in
// turn, of which the server counts the requests. The two share the machine's
// cores, so what differs is no more than what two runs alone differ by.
func TestIntegrationThroughput(t *testing.T) {
	for _, g := range paced {
		t.Run(g.name, func(t *testing.T) {
			if _, err := exec.LookPath(g.name); err != nil {
				t.Skipf("%s is not installed", g.name)
			}
			s := newTruth(t, "hang", "rst", "cut", "503", "429", "500")
			argv := g.argv(t, s.url, t.TempDir())
			count := func(run func()) float64 {
				before := s.all()
				run()
				return s.all() - before
			}
			alone := func() float64 {
				return count(func() {
					if out, err := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
				})
			}
			attached := func() float64 {
				return count(func() {
					if code, _, errs, _ := benchtop(t, append([]string{"run", "--"}, argv...)...); code != 0 {
						t.Fatal(errs)
					}
				})
			}
			var ratios, plain []float64
			for i := range 6 {
				var a, b float64
				if i%2 == 0 {
					a, b = alone(), attached()
				} else {
					b, a = attached(), alone()
				}
				if a == 0 || b == 0 {
					t.Fatalf("pair %d: want requests in both, got %.0f and %.0f", i, a, b)
				}
				ratios, plain = append(ratios, b/a), append(plain, a)
				t.Logf("pair %d: alone %.0f, attached %.0f, ratio %.3f", i, a, b, b/a)
			}
			slices.Sort(ratios)
			median := (ratios[2] + ratios[3]) / 2
			noise := max(0.1, 2*variation(plain)/math.Sqrt(float64(len(plain))))
			t.Logf("median ratio %.3f, from %.3f to %.3f; runs alone vary by %.3f", median, ratios[0], ratios[5], variation(plain))
			if median < 1-noise {
				t.Errorf("want a ratio of %.3f or more, which noise explains, got %.3f", 1-noise, median)
			}
		})
	}
}

// variation is the standard deviation as a share of the mean.
func variation(v []float64) float64 {
	mean, sq := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sq += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return math.Sqrt(sq) / mean
}
