package e2e_test

import (
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
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// observed is a server that answers as fast as it can: what it can be asked,
// where it logs, and which process it is (0 if it is this one).
type observed struct {
	url, log string
	pid      int
}

// ownServer answers from within the test, and prints a statistics line each
// hundred requests.
func ownServer(b *testing.B) observed {
	b.Helper()
	name := filepath.Join(b.TempDir(), "server.log")
	log, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	var served atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			_, _ = fmt.Fprintf(w, "vllm:num_requests_running 8\nvllm:num_requests_waiting 1\nvllm:generation_tokens_total %d\n", served.Load())
			return
		}
		if served.Add(1)%100 == 0 {
			_, _ = io.WriteString(log, "INFO 11-30 12:00:01 [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: 8 reqs, Waiting: 1 reqs, GPU KV cache usage: 50.0%, Prefix cache hit rate: 0.0%\n")
		}
		_, _ = io.WriteString(w, "ok")
	}))
	b.Cleanup(func() {
		srv.Close()
		_ = log.Close()
	})
	return observed{url: srv.URL, log: name}
}

// nginxServer is nginx, one process that prints a line for each request: what is
// read of it is far more than any inference server prints.
func nginxServer(b *testing.B) observed {
	b.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		b.Skip("no nginx here; install one to measure what it costs to watch it")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()
	dir := b.TempDir()
	put(b, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(`daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr;
events { worker_connections 256; }
http {
	access_log %[1]s/access.log;
	client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
	keepalive_requests 1000000000;
	server {
		listen %[2]s;
		location / { return 200 "ok\n"; }
		location = /metrics { default_type text/plain; return 200 "vllm:num_requests_running 8\nvllm:num_requests_waiting 1\n"; }
	}
}
`, dir, addr))
	cmd := exec.CommandContext(b.Context(), path, "-e", "stderr", "-c", filepath.Join(dir, "nginx.conf"))
	said := &lockedBuffer{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	for end := time.Now().Add(patience); ; {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(end) {
			b.Fatalf("nginx does not answer: %v; it said %s", err, said)
		}
	}
	return observed{url: "http://" + addr, log: filepath.Join(dir, "access.log"), pid: cmd.Process.Pid}
}

// ask asks a server as fast as eight clients can for two seconds: requests a
// second, and the server's processor time a request where it is another process.
func (o observed) ask(b *testing.B) (rate, each float64) {
	b.Helper()
	used := 0.0
	if o.pid != 0 {
		used = processorTime(b, o.pid)
	}
	var done atomic.Int64
	began := time.Now()
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for time.Since(began) < 2*time.Second {
				resp, err := http.Get(o.url)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				done.Add(1)
			}
		})
	}
	clients.Wait()
	n := float64(done.Load())
	rate = n / time.Since(began).Seconds()
	if o.pid != 0 {
		each = (processorTime(b, o.pid) - used) / n
	}
	return rate, each
}

// BenchmarkObserver asks a server as fast as it answers, in pairs of two
// seconds: alone, and with the program on a terminal reading its log and its
// endpoint; which comes first changes from pair to pair. Its figures are the
// median of with ÷ alone, and the 95 % interval of that median, which says what
// the pairs prove on this machine; of another process also its processor time a
// request, which what else runs here moves far less. Ask for twenty pairs
// (-benchtime 20x): fewer than six have no such interval.
func BenchmarkObserver(b *testing.B) {
	for _, tt := range []struct {
		name  string
		start func(b *testing.B) observed
	}{{"own", ownServer}, {"nginx", nginxServer}} {
		b.Run(tt.name, func(b *testing.B) {
			o := tt.start(b)
			bench.binary(b)
			o.ask(b) // warm
			var rates, eaches, own []float64
			for i := 0; b.Loop(); i++ {
				var rate, each [2]float64
				for _, watched := range []bool{i%2 == 1, i%2 == 0} {
					if !watched {
						rate[0], each[0] = o.ask(b)
						continue
					}
					pid, stop := onTerminal(b, func([]byte) {}, "watch", "--log", o.log, "--metrics", o.url+"/metrics", "--gpu", "off", "--no-record")
					o.ask(b) // it has started, and read fast what grows fast, by its end
					used, began := processorTime(b, pid), time.Now()
					rate[1], each[1] = o.ask(b)
					own = append(own, 100*(processorTime(b, pid)-used)/time.Since(began).Seconds())
					stop()
				}
				rates, eaches = append(rates, rate[1]/rate[0]), append(eaches, each[1]/each[0])
			}
			reportMedian(b, rates, "throughput")
			if o.pid != 0 {
				reportMedian(b, eaches, "cpu-a-request")
			}
			slices.Sort(own)
			b.ReportMetric(own[len(own)/2], "%-of-a-core")
		})
	}
}

// reportMedian reports the median of ratios and its 95 % interval by order
// statistics.
func reportMedian(b *testing.B, v []float64, name string) {
	b.Helper()
	slices.Sort(v)
	n := len(v)
	b.ReportMetric((v[(n-1)/2]+v[n/2])/2, name)
	if n < 6 {
		return
	}
	k := max(0, int(math.Floor(float64(n)/2-0.98*math.Sqrt(float64(n))))-1)
	b.ReportMetric(v[k], name+"-from")
	b.ReportMetric(v[n-1-k], name+"-to")
}
