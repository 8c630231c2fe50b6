package scrape_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources/scrape"
)

const plainPage = `# HELP vllm:num_requests_running Number.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 4
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 2
`

// TestOddPages: however a page is written, it says the same.
func TestOddPages(t *testing.T) {
	bad := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "bad-name-%d 5\n", i)
		}
		return b.String()
	}
	types := ""
	for i := range 40 {
		types += fmt.Sprintf("# TYPE x%d %s\nx%d{a=\"b\"} 1\n", i, [...]string{"unknown", "info", "stateset", "gaugehistogram"}[i%4], i)
	}
	values := strings.Join(strings.Split(plainPage, "\n")[2:3], "\n")
	many := ""
	for i := range 30 {
		many += fmt.Sprintf("# HELP f%d x\n# TYPE f%d gauge\nf%d 1\n", i, i, i)
	}
	tests := []struct{ name, text string }{
		{"line ends of two bytes", strings.ReplaceAll(plainPage, "\n", "\r\n")},
		{"byte order mark", "\ufeff" + plainPage},
		{"written twice", plainPage + plainPage},
		{"many families written twice", plainPage + many + plainPage + many},
		{"more bad lines than are told", bad(40) + plainPage},
		{"bad values among them", "a x\nb y\n" + bad(20) + "c z\n" + plainPage},
		{"types of OpenMetrics", types + plainPage + "# EOF\n"},
		{"times with a fraction", strings.NewReplacer("} 4", "} 4 1760000000.25", "} 2", "} 2 1760000000.25 # {a=\"b\"} 1").Replace(plainPage) + "# EOF\n"},
		{"braces and quotes in a label", strings.ReplaceAll(plainPage, `"m"`, `"a} \" # {b"`) + "# EOF\n"},
		{"a type after its samples", values + "\n" + bad(20) + plainPage},
		{"a bad line in a large page", "bad-name 5\n" + strings.Repeat("# nothing at all here\n", 60_000) + plainPage},
		{"a comma behind the labels", strings.ReplaceAll(plainPage, `"m"}`, `"m",}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := scrape.Probe(strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if got.Engine != "vllm" || got.Series["server_running"] != 4 || got.Series["server_waiting"] != 2 {
				t.Errorf("want 4 running and 2 waiting at vllm, got %+v", got)
			}
		})
	}
}

func TestLooks(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"exposition", plainPage, true},
		{"without types", "vllm:num_requests_running{engine=\"0\"} 4\nup 1\n", true},
		{"some bad lines first", "bad-name 5\nother-bad 6\n" + plainPage, true},
		{"mostly bad lines", strings.Repeat("bad-name 5\n", 100) + plainPage, true},
		{"saved", "# scrape 2026-05-12T07:41:29Z status=200\n", true},
		{"trtllm's statistics", `[{"iter":1,"numActiveRequests":2}]`, true},
		{"infinity's models", `{"data":[{"id":"x","stats":{"queue_absolute":2}}]}`, true},
		{"trtllm's log with its statistics in it", "[06/10/2026-09:57:00] [TRT-LLM] [I] x\n{\"iter\":1,\"numActiveRequests\":2}\n", false},
		{"a log of such records", "{\"iter\":1,\"numActiveRequests\":2}\n{\"iter\":2,\"numActiveRequests\":2}\n", false},
		{"other JSON", `{"latency":2}`, false},
		{"log", "INFO 05-12 07:41:29 [loggers.py:1] Engine 000: Running: 4 reqs\nINFO ready 5 times\n", false},
		{"comments of a shell", "# a\n# b\n", false},
		{"nothing", "", false},
	}
	for _, tt := range tests {
		if got := scrape.Looks([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: want %v, got %v", tt.name, tt.want, got)
		}
	}
}

// TestInfinityQueue: Infinity's metrics have no queue, its list of models has.
func TestInfinityQueue(t *testing.T) {
	const page = "http_requests_total{handler=\"/embeddings\",method=\"POST\",status=\"2xx\"} 4\nhttp_requests_total{handler=\"/metrics\",method=\"GET\",status=\"2xx\"} 99\nhttp_request_duration_highr_seconds_sum 1\nhttp_request_duration_highr_seconds_count 9\n# TYPE http_request_duration_highr_seconds gauge\nhttp_request_duration_highr_seconds 1\n"
	const models = `{"data":[{"id":"a","stats":{"queue_absolute":7,"batch_size":32}},{"id":"b\"c","stats":{"queue_absolute":1,"batch_size":32}}]}`
	tests := []struct {
		name  string
		paths map[string]string
		want  float64 // waiting, -1 for none
		asked string  // all paths asked in 9 s, each once
	}{
		{"at its usual place", map[string]string{"/metrics": page, "/models": models}, 8, "/metrics /models"},
		{"behind a prefix", map[string]string{"/metrics": page, "/v1/models": models}, 8, "/metrics /models /v1/models"},
		{"some other server with FastAPI", map[string]string{"/metrics": page, "/models": `{"data":[]}`, "/v1/models": "<html>"}, -1, "/metrics /models /v1/models"},
		{"another engine is not asked", map[string]string{"/metrics": plainPage + page}, 2, "/metrics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &site{paths: tt.paths}
				evs, notes := runTransport(t, s, 9*time.Second)
				got := -1.0
				for _, e := range evs {
					if e.Series == model.ServerWaiting && e.Kind == model.Level {
						got = e.Value
					}
				}
				if got != tt.want {
					t.Errorf("want %v waiting, got %v", tt.want, got)
				}
				if asked := s.distinct(); asked != tt.asked {
					t.Errorf("want %q asked, got %q", tt.asked, asked)
				}
				for _, e := range evs {
					if e.Series == model.ServerRejected && tt.want != 2 {
						t.Errorf("want nothing told of refusals, which hide in a class of statuses; got %+v", e)
					}
				}
				if tt.want < 0 && s.count("/models") > 1 {
					t.Errorf("want a path without a queue asked once, got %d times", s.count("/models"))
				}
				batch := 0.0
				for _, n := range notes {
					if n.Kind == model.NoteConfig && n.Name == "max_batch" {
						batch = n.Value
					}
				}
				if want := map[bool]float64{true: 32}[tt.want == 8]; batch != want {
					t.Errorf("want a batch of %v at most, got %v", want, batch)
				}
			})
		})
	}
}

// site answers by path, 404 where it has nothing.
type site struct {
	paths map[string]string
	asked []string
}

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.URL.Path)
	body, ok := s.paths[r.URL.Path]
	code := http.StatusOK
	if !ok {
		code = http.StatusNotFound
	}
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
}

func (s *site) count(path string) (n int) {
	for _, p := range s.asked {
		if p == path {
			n++
		}
	}
	return n
}

func (s *site) distinct() string {
	seen := map[string]bool{}
	var list []string
	for _, p := range s.asked {
		if !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	return strings.Join(list, " ")
}

func runTransport(t *testing.T, rt http.RoundTripper, d time.Duration) ([]model.Event, []model.Note) {
	t.Helper()
	src, err := scrape.New(scrape.Options{URL: "http://server/metrics", Interval: 2 * time.Second, Transport: rt})
	if err != nil {
		t.Fatal(err)
	}
	out, read := outlet(t)
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := src.Run(ctx, out); err != nil {
		t.Fatal(err)
	}
	return read()
}

// TestUnknownPacking: what comes packed in a way that is not understood is not
// taken for bad text.
func TestUnknownPacking(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "zstd")
		_, _ = io.WriteString(w, "\x28\xb5\x2f\xfdjunk")
	}))
	defer srv.Close()
	if _, err := scrape.ProbeURL(t.Context(), scrape.Options{URL: srv.URL}); err == nil || !strings.Contains(err.Error(), `packed with "zstd"`) {
		t.Errorf("want the packing named, got %v", err)
	}
}

// TestAuthorization: what the address holds is sent, and is not shown.
func TestAuthorization(t *testing.T) {
	tests := []struct{ name, user, want string }{
		{"token", "bearer:s3cr3t@", "Bearer s3cr3t"},
		{"token without a name", ":s3cr3t@", "Bearer s3cr3t"},
		{"user and password", "ann:s3cr3t@", "Basic YW5uOnMzY3IzdA=="},
		{"none", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := "not asked"
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Header.Get("Authorization")
				w.WriteHeader(http.StatusUnauthorized)
			}))
			defer srv.Close()
			o := scrape.Options{URL: strings.Replace(srv.URL, "http://", "http://"+tt.user, 1)}
			_, err := scrape.ProbeURL(t.Context(), o)
			if got != tt.want {
				t.Errorf("want %q, got %q", tt.want, got)
			}
			if err == nil || !strings.Contains(err.Error(), "bearer, a colon, the token and an @") || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("want how to give a token and not the token, got %v", err)
			}
			s, err := scrape.New(o)
			if err != nil || strings.Contains(s.Name(), "s3cr3t") {
				t.Errorf("want a name without the secret, got %q, %v", s.Name(), err)
			}
		})
	}
}
