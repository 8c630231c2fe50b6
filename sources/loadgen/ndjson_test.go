package loadgen_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// lines joins records that stand at T+n milliseconds into a stream.
func lines(l ...string) []byte { return []byte(strings.Join(l, "\n") + "\n") }

const run0 = `{"v":1,"ev":"run","t":1796046000.000000,"tool":"t","concurrency":2,"timeout_ms":1000}`

func TestNDJSONExactness(t *testing.T) {
	tests := []struct {
		name  string
		text  []byte
		peak  float64
		last  float64
		ends  int
		noise bool
		bad   float64
	}{
		{
			"start and end", lines(run0,
				`{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"start","t":1796046000.2,"id":2}`,
				`{"ev":"end","t":1796046000.3,"id":1,"dur_ms":200,"outcome":"ok"}`,
				`{"ev":"end","t":1796046000.4,"id":2,"dur_ms":200,"outcome":"ok"}`),
			2, 0, 2, false, 0,
		},
		{
			"end twice", lines(run0,
				`{"ev":"start","t":1796046000.1,"id":"a"}`, `{"ev":"end","t":1796046000.3,"id":"a","dur_ms":200}`,
				`{"ev":"end","t":1796046000.3,"id":"a","dur_ms":200}`),
			1, 0, 1, true, 0,
		},
		{
			"start twice", lines(run0,
				`{"ev":"start","t":1796046000.1,"id":"a"}`, `{"ev":"start","t":1796046000.2,"id":"a"}`,
				`{"ev":"end","t":1796046000.3,"id":"a","dur_ms":200}`, `{"ev":"start","t":1796046000.4,"id":"a"}`),
			1, 0, 1, true, 0,
		},
		{
			"ids compare as text", lines(run0,
				`{"ev":"start","t":1796046000.1,"id":"7"}`, `{"ev":"end","t":1796046000.3,"id":7,"dur_ms":200}`),
			1, 0, 1, false, 0,
		},
		{
			"end without start changes no count", lines(run0,
				`{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"end","t":1796046000.3,"id":9,"dur_ms":250}`,
				`{"ev":"end","t":1796046000.4,"id":1,"dur_ms":300}`),
			1, 0, 2, false, 0,
		},
		{
			"end-only client is rebuilt", lines(run0,
				`{"ev":"end","t":1796046000.3,"id":1,"dur_ms":200}`, `{"ev":"end","t":1796046000.4,"id":2,"dur_ms":200}`),
			2, 0, 2, false, 0,
		},
		{
			"unfinished at summary", lines(run0,
				`{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"start","t":1796046000.2,"id":2}`,
				`{"ev":"end","t":1796046000.3,"id":1,"dur_ms":200}`, `{"ev":"summary","t":1796046000.5}`),
			2, 0, 1, false, 0,
		},
		{
			"last line without a line end", append(lines(run0, `{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"gauge","t":1796046000.2}`),
				`{"ev":"end","t":1796046000.3,"id":1,"dur_ms":200}`...),
			1, 0, 0, false, 0,
		},
		{
			"noise is counted and skipped", lines(run0, ``, `hello`, `[1]`, `{"ev":"pause","t":1}`, `{"a":1}`,
				`{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"end","t":1796046000.2,"id":1}`+"\r"),
			1, 0, 1, false, 4,
		},
		{
			"clock stepped back inside a request", lines(run0,
				`{"ev":"start","t":1796046005.1,"id":1}`, `{"ev":"end","t":1796046000.2,"id":1,"dur_ms":100}`),
			1, 0, 1, false, 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{Format: "benchtop_ndjson"}, tt.text)
			c := inFlight(s.events)
			if c.peak() != tt.peak || c.last() != tt.last || c.lowest() < 0 {
				t.Errorf("in flight: want peak %v, last %v, none negative, got %v, %v, %v", tt.peak, tt.last, c.peak(), c.last(), c.lowest())
			}
			if got := len(s.ends()); got != tt.ends {
				t.Errorf("ends: want %d, got %d", tt.ends, got)
			}
			if _, got := s.note(model.NoteRun, "records told twice"); got != tt.noise {
				t.Errorf("noise: want %v, got %v", tt.noise, got)
			}
			bad := 0.0
			for _, e := range s.of(model.Add, model.SourceErrors) {
				bad += e.Value
			}
			if bad != tt.bad {
				t.Errorf("bad lines: want %v, got %v", tt.bad, bad)
			}
		})
	}
}

func TestNDJSONOutcomes(t *testing.T) {
	tests := []struct {
		fields string
		want   model.SeriesID
	}{
		{`"outcome":"ok","status":200`, model.ClientOK},
		{`"status":200`, model.ClientOK},
		{`"status":302`, model.ClientOK},
		{`"status":429`, model.ClientRejected},
		{`"status":503`, model.ClientRejected},
		{`"status":500`, model.ClientHTTPError},
		{`"outcome":"timeout"`, model.ClientTimeout},
		{`"outcome":"reset","status":200`, model.ClientReset},
		{`"outcome":"refused"`, model.ClientOther},
		{`"outcome":"cancelled"`, model.ClientCancelled},
		{`"outcome":"new word"`, model.ClientOther},
		{`"error":"boom"`, model.ClientOther},
		{`"dur_ms":1`, model.ClientOK},
	}
	for _, tt := range tests {
		t.Run(tt.fields, func(t *testing.T) {
			_, s := decode(t, loadgen.Options{}, lines(run0,
				`{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"end","t":1796046000.2,"id":1,`+tt.fields+`}`))
			if e := s.ends(); len(e) != 1 || e[0].Series != tt.want {
				t.Errorf("want %v, got %v", tt.want, e)
			}
		})
	}
}

func TestNDJSONFields(t *testing.T) {
	_, s := decode(t, loadgen.Options{Name: "c.ndjson"}, lines(
		`{"v":1,"ev":"run","t":1796046000,"run":"r1","tool":"t","target":"http://h:1/g","concurrency":32,"connections":16,"keep_alive":true,"timeout_ms":60000,"duration_s":120,"rate_rps":10}`,
		`{"ev":"start","t":1796046000.1,"id":1,"prompt_tokens":100}`,
		`{"ev":"first","t":1796046000.3,"id":1}`,
		`{"ev":"gauge","t":1796046000.4,"in_flight":1,"target_concurrency":32,"queued":3,"open_conns":16}`,
		`{"ev":"end","t":1796046001.1,"id":1,"dur_ms":1000,"outcome":"ok","output_tokens":9,"conn_reused":true}`))
	for name, want := range map[string]float64{
		"target_concurrency": 32, "client_connections": 16, "keep_alive": 1, "client_timeout_s": 60, "duration_s": 120, "rate_rps": 10,
	} {
		if n, ok := s.note(model.NoteConfig, name); !ok || n.Value != want {
			t.Errorf("setting %s: want %v, got %v (%v)", name, want, n.Value, ok)
		}
	}
	for name, want := range map[string]string{"run": "r1", "tool": "t", "target": "http://h:1/g"} {
		if n, _ := s.note(model.NoteRun, name); n.Text != want {
			t.Errorf("fact %s: want %q, got %q", name, want, n.Text)
		}
	}
	for _, w := range []struct {
		kind model.Kind
		id   model.SeriesID
		want float64
	}{
		{model.Observe, model.ClientTTFT, 0.2},
		{model.Observe, model.ClientTPOT, 0.1},
		{model.Observe, model.ClientInputTokens, 100},
		{model.Observe, model.ClientOutputTokens, 9},
		{model.Observe, model.ClientReused, 1},
		{model.Level, model.ClientGaugeInFlight, 1},
		{model.Level, model.ClientQueued, 3},
		{model.Level, model.ClientOpenConns, 16},
		{model.End, model.ClientOK, 1},
	} {
		e := s.of(w.kind, w.id)
		if len(e) != 1 || math.Abs(e[0].Value-w.want) > 1e-9 {
			t.Errorf("%v: want one of %v, got %v", w.id, w.want, e)
		}
	}
	if e := s.of(model.End, model.ClientOK); e[0].At != ms(1100) {
		t.Errorf("end at: want %v, got %v", ms(1100), e[0].At)
	}
}

func TestNDJSONAbsentIsNotZero(t *testing.T) {
	_, s := decode(t, loadgen.Options{}, lines(run0,
		`{"ev":"end","t":1796046000.2,"id":5,"outcome":"timeout"}`, `{"ev":"end","t":1796046000.2,"id":6,"dur_ms":-3,"outcome":"ok"}`))
	for _, e := range s.ends() {
		if !math.IsNaN(e.Value) {
			t.Errorf("latency of %v: want none, got %v", e.Series, e.Value)
		}
	}
	for _, id := range []model.SeriesID{model.ClientTTFT, model.ClientTPOT, model.ClientOutputTokens, model.ClientReused} {
		if e := s.of(model.Observe, id); len(e) != 0 {
			t.Errorf("%v: want none, got %v", id, e)
		}
	}
}

func TestNDJSONSecondRunStartsOver(t *testing.T) {
	_, s := decode(t, loadgen.Options{}, lines(run0,
		`{"ev":"start","t":1796046000.1,"id":1}`, `{"ev":"start","t":1796046000.1,"id":2}`,
		`{"ev":"end","t":1796046000.2,"id":1,"dur_ms":100}`,
		`{"v":1,"ev":"run","t":1796046010.0}`, `{"ev":"start","t":1796046010.1,"id":1}`,
		`{"ev":"end","t":1796046010.2,"id":1,"dur_ms":100}`))
	resets := 0
	for i, e := range s.events {
		if e.Kind == model.Reset {
			resets++
			if got := inFlight(s.events[:i]).last(); got != 0 {
				t.Errorf("in flight before the reset: want 0, got %v", got)
			}
		}
	}
	if resets != 1 || len(s.ends()) != 2 {
		t.Errorf("want 1 reset and 2 ends, got %d and %d", resets, len(s.ends()))
	}
	if n, ok := s.note(model.NoteRun, "unfinished"); !ok || n.Value != 1 {
		t.Errorf("unfinished: want 1, got %v", n.Value)
	}
}

func TestNDJSONRefusesNewerVersion(t *testing.T) {
	d, s := decode(t, loadgen.Options{Name: "c"}, lines(strings.Replace(run0, `"v":1`, `"v":2`, 1), `{"ev":"start","t":1796046000.1,"id":1}`))
	if !errors.Is(d.Err(), loadgen.ErrNewer) || !strings.Contains(d.Err().Error(), "version 2") {
		t.Errorf("want a refusal that names version 2, got %v", d.Err())
	}
	if n := len(s.of(model.Begin, model.ClientInFlight)); n != 0 {
		t.Errorf("requests after the refusal: want 0, got %d", n)
	}
	if _, err := loadgen.Probe(strings.NewReader(`{"v":3,"ev":"run","t":1}`+"\n"), loadgen.Options{}, nil); !errors.Is(err, loadgen.ErrNewer) {
		t.Errorf("probe: want a refusal, got %v", err)
	}
}
