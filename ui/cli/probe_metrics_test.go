package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Saved expositions are known as such whatever their first lines are, also
// where they are a server's JSON.
func TestProbeKnowsMetrics(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"without comments", "vllm:num_requests_running{engine=\"0\"} 4\nvllm:num_requests_waiting{engine=\"0\"} 2\n", `"server_running":4`},
		{"Windows line ends", "# TYPE vllm:num_requests_running gauge\r\nvllm:num_requests_running{engine=\"0\"} 4\r\n", `"server_running":4`},
		{"infinity's models", `{"data":[{"id":"m","stats":{"queue_absolute":7}}]}`, `"server_waiting":7`},
		{"a log is none", "INFO 05-12 07:41:29 [x.py:1] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 2.0 tokens/s, Running: 4 reqs, Waiting: 2 reqs, GPU KV cache usage: 5.0%, Prefix cache hit rate: 0.0%\n", `"kind":"server"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := bench(t, "probe", "--json", path)
			if code != 0 || !strings.Contains(out, tt.want) {
				t.Errorf("want %s, got %d, %s%s", tt.want, code, out, errs)
			}
		})
	}
}

// What goes wrong with a source is one line with the place and the next step,
// and without what the place hides.
func TestProbeErrors(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer srv.Close()
	secret := strings.Replace(srv.URL, "http://", "http://me:hush@", 1)
	tests := []struct {
		place string
		want  []string
	}{
		{secret, []string{strings.TrimPrefix(srv.URL, "http://"), "401", "token"}},
		{strings.Replace(secret, "http", "HTTP", 1), []string{"401"}},
		{"localhost:8000", []string{"localhost:8000", "write http://localhost:8000"}},
		{"nowhere.log", []string{"nowhere.log", "a URL"}},
	}
	for _, tt := range tests {
		code, out, errs := bench(t, "probe", tt.place)
		for _, want := range tt.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: want %q, got %q", tt.place, want, errs)
			}
		}
		if code != 1 || out != "" || strings.Count(strings.TrimSpace(errs), "\n") > 0 || strings.Contains(errs, "hush") {
			t.Errorf("%s: want one line on stderr, 1 and no secret; got %d, %q, %q", tt.place, code, out, errs)
		}
	}
}
