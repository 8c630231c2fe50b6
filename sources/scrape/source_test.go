package scrape_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/scrape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const tgiText = "# TYPE tgi_queue_size gauge\ntgi_queue_size 3\n"

func ok(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

// TestEndpoints asks real HTTP servers once each.
func TestEndpoints(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("want no request to the host redirected to")
		ok(w, tgiText)
	}))
	defer elsewhere.Close()
	bomb := packed(t, strings.Repeat("# nothing at all here\n", 500_000))
	tests := []struct {
		name   string
		serve  http.HandlerFunc
		want   float64 // waiting
		errHas string
	}{
		{"plain", func(w http.ResponseWriter, r *http.Request) {
			if e := r.Header.Get("Accept-Encoding"); e != "" {
				t.Errorf("want no compression asked for, got %q", e)
			}
			ok(w, tgiText)
		}, 3, ""},
		{"packed unasked", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(packed(t, tgiText))
		}, 3, ""},
		{"packed bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}, 0, "8 MiB"},
		{"huge", func(w http.ResponseWriter, _ *http.Request) {
			ok(w, strings.Repeat("# nothing at all here\n", 500_000))
		}, 0, "8 MiB"},
		{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 0, "no answer within"},
		{"slow body", func(w http.ResponseWriter, r *http.Request) {
			ok(w, tgiText)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, 0, "no answer within"},
		{"JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "[]")
		}, 0, "/prometheus/metrics"},
		{"picture", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
		}, 0, "image/png"},
		{"redirect on the host", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/metrics" {
				http.Redirect(w, r, "/metrics/", http.StatusTemporaryRedirect)
				return
			}
			ok(w, tgiText)
		}, 3, ""},
		{"redirect elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/metrics?token=hush", http.StatusFound)
		}, 0, "not followed"},
		{"redirect in circles", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/metrics", http.StatusFound)
		}, 0, "in circles"},
		{"no such path", http.NotFound, 0, "--enable-metrics"},
		{"locked", func(w http.ResponseWriter, r *http.Request) {
			if u, p, _ := r.BasicAuth(); u != "me" || p != "hush" {
				t.Errorf("want the credentials sent, got %q %q", u, p)
			}
			w.WriteHeader(http.StatusForbidden)
		}, 0, "user and password"},
		{"loading", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, 0, "not ready"},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			ok(w, tgiText)
			panic(http.ErrAbortHandler)
		}, 0, "closed the connection"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(tt.serve)
			defer srv.Close()
			url := strings.Replace(srv.URL, "http://", "http://me:hush@", 1)
			timeout := time.Minute // of a loaded test machine
			if strings.HasPrefix(tt.name, "slow") {
				timeout = 30 * time.Millisecond
			}
			s, err := scrape.ProbeURL(context.Background(), scrape.Options{URL: url, Timeout: timeout})
			switch {
			case tt.errHas == "":
				if err != nil || s.Series["server_waiting"] != tt.want {
					t.Errorf("want %g waiting, got %v, %v", tt.want, s.Series, err)
				}
			case err == nil || !strings.Contains(err.Error(), tt.errHas):
				t.Errorf("want an error with %q, got %v", tt.errHas, err)
			case strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "\n"):
				t.Errorf("want one line without secrets, got %q", err)
			}
		})
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTLS asks servers whose certificate nobody vouches for, and with the wrong
// scheme. Neither is a reason to look away, nor to trust.
func TestTLS(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { ok(w, tgiText) })
	locked, open := httptest.NewUnstartedServer(page), httptest.NewServer(page)
	defer open.Close()
	locked.Config.ErrorLog = log.New(io.Discard, "", 0)
	locked.StartTLS()
	defer locked.Close()
	for _, tt := range []struct{ name, url, errHas string }{
		{"bad certificate", locked.URL, "certificate of 127.0.0.1"},
		{"https where there is none", strings.Replace(open.URL, "http:", "https:", 1), "answers without TLS"},
		{"http where there is TLS", strings.Replace(locked.URL, "https:", "http:", 1), "HTTP 400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scrape.ProbeURL(context.Background(), scrape.Options{URL: tt.url, Timeout: time.Minute})
			if err == nil || !strings.Contains(err.Error(), tt.errHas) || strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line with %q, got %v", tt.errHas, err)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	url := srv.URL
	srv.Close()
	_, err := scrape.ProbeURL(context.Background(), scrape.Options{URL: url})
	if err == nil || !strings.Contains(err.Error(), "connection refused: nothing listens at 127.0.0.1") {
		t.Errorf("want a refused connection told as such, got %v", err)
	}
}

func TestNew(t *testing.T) {
	tests := []struct {
		o            scrape.Options
		name, errHas string
	}{
		{scrape.Options{URL: "localhost:8000"}, "http://localhost:8000/metrics", ""},
		{scrape.Options{URL: "http://h:1/"}, "http://h:1/metrics", ""},
		{scrape.Options{URL: "https://h/prometheus/metrics?model=a"}, "https://h/prometheus/metrics?model=a", ""},
		{scrape.Options{URL: "http://me:hush@h/metrics"}, "http://***@h/metrics", ""},
		{scrape.Options{URL: "http://h/metrics?api_key=hush&model=a"}, "http://h/metrics?api_key=***&model=a", ""},
		{scrape.Options{URL: "ftp://h/metrics"}, "", "scheme"},
		{scrape.Options{URL: "http:///metrics"}, "", "without a host"},
		{scrape.Options{URL: "h:99999"}, "", "port 99999"},
		{scrape.Options{URL: "http://me:hush@h:a b/"}, "", "can't be read"},
		{scrape.Options{URL: "h:1", Interval: 500 * time.Millisecond}, "", "disturb the server"},
	}
	for _, tt := range tests {
		s, err := scrape.New(tt.o)
		if tt.errHas != "" {
			if err == nil || !strings.Contains(err.Error(), tt.errHas) || strings.Contains(err.Error(), "hush") {
				t.Errorf("%s: want an error with %q and no password, got %v", tt.o.URL, tt.errHas, err)
			}
			continue
		}
		if err != nil || s.Name() != tt.name {
			t.Errorf("%s: want %s, got %v, %v", tt.o.URL, tt.name, s, err)
		}
	}
}

// script answers the polls of one run, in memory: each entry is one answer.
type script struct {
	answers []answer
	at      []time.Duration // when each was asked
	paths   []string        // and where
	began   time.Time
	busy    bool
	t       *testing.T
}

type answer struct {
	status int
	text   string
	takes  time.Duration
	err    error
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.busy {
		s.t.Error("want one request in flight at most")
	}
	s.busy = true
	defer func() { s.busy = false }()
	s.at, s.paths = append(s.at, time.Since(s.began)), append(s.paths, req.URL.Path)
	a := s.answers[min(len(s.at), len(s.answers))-1]
	select {
	case <-time.After(a.takes):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{
		StatusCode: a.status, Header: http.Header{"Content-Type": {"text/plain"}},
		Body: io.NopCloser(strings.NewReader(a.text)), Request: req,
	}, nil
}

// runFor polls the script for d and returns what came out.
func runFor(t *testing.T, s *script, d, interval time.Duration) (evs []model.Event, notes []model.Note) {
	t.Helper()
	s.t, s.began = t, time.Now()
	src, err := scrape.New(scrape.Options{URL: "http://srv:8000/metrics", Label: "a", Interval: interval, Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	g := sources.NewGroup()
	g.Start(ctx, src, sources.Latest, false)
	if !g.Wait(d + time.Minute) {
		t.Fatal("want the source to end with its context")
	}
	for b := range g.Batches() {
		evs, notes = append(evs, b.Events...), append(notes, b.Notes...)
	}
	return evs, notes
}

// states writes the sequence of states with their reasons.
func states(evs []model.Event, notes []model.Note) string {
	var b strings.Builder
	for _, e := range evs {
		if e.Kind != model.State {
			continue
		}
		why := ""
		for _, n := range notes {
			if n.Kind == model.NoteError && n.At == e.At {
				why = " " + n.Text
			}
		}
		fmt.Fprintf(&b, "%s%s\n", model.SourceState(e.Value), why)
	}
	return b.String()
}

func TestPace(t *testing.T) {
	tests := []struct {
		name string
		a    []answer
		d    time.Duration
		want []time.Duration
	}{
		{
			"each 2 s",
			[]answer{{status: 200, text: tgiText, takes: 10 * time.Millisecond}},
			7 * time.Second,
			[]time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second},
		},
		{
			"a slow server is asked less often",
			[]answer{{status: 200, text: tgiText, takes: time.Second}},
			25 * time.Second,
			[]time.Duration{0, 10 * time.Second, 20 * time.Second},
		},
		{
			"a refusing server is asked less often, yet each 10 s",
			[]answer{{err: syscall.ECONNREFUSED}},
			35 * time.Second,
			[]time.Duration{0, 2 * time.Second, 6 * time.Second, 14 * time.Second, 24 * time.Second, 34 * time.Second},
		},
		{
			"a loading server is asked as ever",
			[]answer{{status: 503}},
			5 * time.Second,
			[]time.Duration{0, 2 * time.Second, 4 * time.Second},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: tt.a}
				runFor(t, s, tt.d, 0)
				if len(s.at) != len(tt.want) {
					t.Fatalf("want polls at %v, got %v", tt.want, s.at)
				}
				for i := range s.at {
					if d := s.at[i] - tt.want[i]; d < 0 || d > 50*time.Millisecond {
						t.Errorf("want polls at %v, got %v", tt.want, s.at)
						break
					}
				}
			})
		})
	}
}

// TestServerRestart follows a llama-server that loads, works, dies, loads
// again and starts over.
func TestServerRestart(t *testing.T) {
	text := func(run, tokens int) answer {
		return answer{status: 200, text: fmt.Sprintf("llamacpp:requests_processing %d\nllamacpp:tokens_predicted_total %d\n", run, tokens)}
	}
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{
			{status: 503},
			text(1, 100), text(2, 160),
			{err: fmt.Errorf("dial: %w", syscall.ECONNREFUSED)},
			{err: fmt.Errorf("dial: %w", syscall.ECONNREFUSED)},
			{status: 503},
			text(0, 10), text(1, 40),
		}}
		began := model.InstantOf(time.Now())
		evs, notes := runFor(t, s, 19*time.Second, 0)
		wantStates := `starting
running
retrying connection refused: nothing listens at srv:8000 (is the server up?)
starting
running
`
		if got := states(evs, notes); got != wantStates {
			t.Errorf("want states\n%s\ngot\n%s", wantStates, got)
		}
		var rest []model.Event
		polls, errored, times := 0.0, 0.0, 0
		for _, e := range evs {
			e.At -= began
			switch {
			case e.Series == model.SourceLines && e.Kind == model.Add:
				polls += e.Value
			case e.Series == model.SourceErrors && e.Kind == model.Add:
				errored += e.Value
			case e.Series == model.ScrapeTime:
				times++
			case e.Kind != model.State:
				rest = append(rest, e)
			}
		}
		wantEvents(t, rest, `
			2 server_running level 1
			4 server_running level 2
			4 server_gen_tokens add 60
			6 server_running gap
			14 source reset
			14 server_running level 0
			16 server_running level 1
			16 server_gen_tokens add 30
			18 server_running level 1`)
		if polls != 9 || errored != 2 || times != 5 {
			t.Errorf("want 9 polls, 2 failed, 5 scrape times, got %g, %g, %d", polls, errored, times)
		}
		described := 0
		for _, n := range notes {
			if n.Kind == model.NoteSource && n.Name == "http://srv:8000/metrics" {
				described++
				if n.Text != "|a" && n.Text != "llamacpp|a" {
					t.Errorf("want the format and label told, got %q", n.Text)
				}
			}
		}
		if described != 2 {
			t.Errorf("want the source described before and after its engine is known, got %d", described)
		}
	})
}

func TestUnavailableInMidRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{status: 200, text: tgiText}, {status: 503}, {status: 200, text: tgiText}}}
		evs, notes := runFor(t, s, 5*time.Second, 0)
		want := "starting\nrunning\nretrying HTTP 503 Service Unavailable: the server is not ready\nrunning\n"
		if got := states(evs, notes); got != want {
			t.Errorf("want states\n%s\ngot\n%s", want, got)
		}
	})
}

func TestErrorToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{err: errors.New("one")}, {err: errors.New("one")}, {err: errors.New("two")}, {err: errors.New("two")}}}
		_, notes := runFor(t, s, time.Minute, 0)
		var got []string
		for _, n := range notes {
			if n.Kind == model.NoteError {
				got = append(got, n.Text)
			}
		}
		if strings.Join(got, ",") != "one,two" {
			t.Errorf("want each error once, got %q", got)
		}
	})
}

func TestUnknownServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{status: 200, text: "node_load1 0.5\nnode_load5 0.4\n"}}}
		evs, notes := runFor(t, s, 5*time.Second, 0)
		if got := states(evs, notes); !strings.Contains(got, "running metrics of an unknown server: 2 names") {
			t.Errorf("want the user told that none of it is used, got %s", got)
		}
	})
}

func TestMiddleOfTheScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{status: 200, text: tgiText, takes: 400 * time.Millisecond}}}
		began := model.InstantOf(time.Now())
		evs, _ := runFor(t, s, time.Second, 0)
		for _, e := range evs {
			if e.Series == model.ServerWaiting && (e.At != began+2e8 || e.Seen != began+4e8) {
				t.Errorf("want it at 0.2 s and seen at 0.4 s, got %d and %d", e.At-began, e.Seen-began)
			}
			if e.Series == model.ScrapeTime && e.Value != 0.4 {
				t.Errorf("want a scrape of 0.4 s, got %g", e.Value)
			}
		}
		if len(evs) < 3 {
			t.Errorf("want events, got %s", show(evs))
		}
	})
}

// TestJSONIsNotReadAgain: trtllm-serve's statistics are emptied by reading.
func TestJSONIsNotReadAgain(t *testing.T) {
	t.Run("metrics stand elsewhere", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []answer{{status: 200, text: `[{"iter":1}]`}, {status: 200, text: tgiText}}}
			evs, _ := runFor(t, s, 10*time.Second, time.Second)
			n := 0
			for _, e := range evs {
				if e.Series == model.ServerWaiting {
					n++
				}
			}
			if n < 5 || s.paths[0] != "/metrics" || s.paths[1] != "/prometheus/metrics" || s.paths[2] != "/prometheus/metrics" {
				t.Errorf("want one JSON answer and then metrics from the other path, got %d values, %v", n, s.paths)
			}
		})
	})
	t.Run("nowhere", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []answer{{status: 200, text: `{"a":1}`}}}
			evs, notes := runFor(t, s, 10*time.Second, time.Second)
			if len(s.paths) != 2 || !strings.Contains(states(evs, notes), "failed not Prometheus text but JSON") {
				t.Errorf("want two polls and a failure, got %v, %s", s.paths, states(evs, notes))
			}
		})
	})
	t.Run("nothing but its statistics", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			record := answer{status: 200, text: `[{"iter":6,"numActiveRequests":1},{"iter":7,"numActiveRequests":5,"numQueuedRequests":2,"iterLatencyMS":12.5,
				"maxNumActiveRequests":64,"kvCacheStats":{"usedNumBlocks":30,"maxNumBlocks":120},"inflightBatchingStats":{"numScheduledRequests":4}}]`}
			s := &script{answers: []answer{record, {status: 404}, record, {status: 200, text: "[]"}, record}}
			evs, notes := runFor(t, s, 10*time.Second, time.Second)
			got := map[model.SeriesID]float64{}
			gaps := 0
			for _, e := range evs {
				if e.Kind == model.Gap {
					gaps++
				} else {
					got[e.Series] = e.Value
				}
			}
			want := map[model.SeriesID]float64{model.ServerRunning: 5, model.ServerWaiting: 2, model.ServerBatch: 4, model.ServerKV: 0.25, model.ServerExec: 0.0125}
			for id, v := range want {
				if got[id] != v {
					t.Errorf("%s: want %v, got %v", id, v, got[id])
				}
			}
			if len(s.paths) < 4 || s.paths[1] != "/prometheus/metrics" || s.paths[2] != "/metrics" || s.paths[3] != "/metrics" {
				t.Errorf("want the JSON read where there is nothing else, got %v", s.paths)
			}
			if gaps == 0 || !strings.Contains(states(evs, notes), "quiet") {
				t.Errorf("want no iteration to leave the gauges unknown, got %s", states(evs, notes))
			}
		})
	})
}
