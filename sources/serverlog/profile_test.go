package serverlog_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

const mine = `name: mine
patterns:
  - literal: "batch of "
    match: 'batch of (?P<batch>\d+) after (?P<batch_wait>[0-9.]+)ms, (?P<running>\d+) running'
    per: execution
    units: {batch_wait: ms}
    example: '[info] batch of 4 after 1.5ms, 9 running'
  - literal: "took "
    match: 'took (?P<latency>\S+) in a batch with (?P<batch>\d+)'
    per: request
    units: {latency: duration}
    event: finished
`

func writeProfile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProfileEvents(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: writeProfile(t, mine)})
	b.live("2026-11-30T12:00:01Z INFO batch of 4 after 1.5ms, 9 running", "batch of some", "2026-11-30T12:00:02Z ERROR no memory")
	for range 8 {
		b.live("id 7 took 1.25s in a batch with 4")
	}
	b.want(model.ServerRunning, 9)
	b.want(model.ServerBatch, 4, 4, 4) // the eight requests were two batches
	b.want(model.ServerBatchWait, .0015)
	b.want(model.ServerLatency, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25)
	b.want(model.ServerFinished, 1, 1, 1, 1, 1, 1, 1, 1)
	b.want(model.ServerError, 1)
	if b.note(model.NoteBadLine, "batch of some") == nil {
		t.Error("want the line that nearly matched as a sample")
	}
	if name, score := b.d.Format(); name != "mine" || score != 1 {
		t.Errorf("want mine, got %q %v", name, score)
	}
}

func TestProfileErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"broken yaml":     {"patterns: [", "my.yaml:1:"},
		"unknown key":     {strings.Replace(mine, "units", "unit", 1), "my.yaml:6:5: unknown field"},
		"double quotes":   {"patterns:\n  - literal: abc\n    match: \"abc\\d\"\n", "single quotes"},
		"tab":             {"patterns:\n  - literal: abc\n\tmatch: x\n", "blanks, not tabs"},
		"a list":          {"- a\n", "my.yaml:1:1: sequence was used"},
		"no patterns":     {"name: x\n", "1 to 100 patterns"},
		"bad expression":  {strings.Replace(mine, `(?P<running>\d+)`, `(?P<running>\d+`, 1), "my.yaml:4:12: `match:` is no regular expression"},
		"unknown group":   {strings.Replace(mine, "<running>", "<runing>", 1), `my.yaml:4:12: group "runing" is none of ours`},
		"no literal":      {strings.Replace(mine, `"batch of "`, `""`, 1), "`literal:` must be"},
		"no unit":         {strings.Replace(mine, "{batch_wait: ms}", "{}", 1), "say the unit of batch_wait"},
		"unit of nothing": {strings.Replace(mine, "batch_wait: ms", "batch_wait: ms, exec: s", 1), `"exec", which is no group`},
		"unit of a count": {strings.Replace(mine, "batch_wait: ms", "batch_wait: ms, batch: s", 1), "batch has no unit"},
		"no per":          {strings.Replace(mine, "    per: request\n", "", 1), "say `per: execution`"},
		"bad per":         {strings.Replace(mine, "per: request", "per: line", 1), `got "line"`},
		"bad event":       {strings.Replace(mine, "event: finished", "event: done", 1), `my.yaml:12:12: no event "done"`},
		"too large":       {strings.Replace(mine, `(?P<running>\d+)`, `(?P<running>\d+)(?:ab ){900}`, 1), "my.yaml:4:12: `match:` takes"},
		"says nothing":    {"patterns:\n  - literal: abc\n    match: abc\n", "says nothing"},
		"example":         {strings.Replace(mine, "example: '[info] batch of 4", "example: '[info] batch of x", 1), "my.yaml:7:14: the example does not match"},
		"name":            {strings.Replace(mine, "name: mine", "name: My own", 1), "my.yaml:1:7: a name is"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serverlog.ParseProfile("my.yaml", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "my.yaml") {
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
	if _, err := serverlog.Load("/nowhere/my.yaml"); err == nil {
		t.Error("want an error for a missing file, got none")
	}
}

func TestProfileTallies(t *testing.T) {
	f := writeProfile(t, mine)
	text := "batch of 4 after 1.5ms, 9 running\nbatch of none\nother\nx took 2ms in a batch with 1\n"
	s, err := serverlog.Probe(strings.NewReader(text), serverlog.Options{Format: f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Patterns) != 2 || s.Matched != 2 || s.Format != "mine" {
		t.Fatalf("want two patterns and two lines, got %+v", s)
	}
	p := s.Patterns[0]
	if p.Matched != 1 || p.Missed != 1 || len(p.Hits) != 1 || len(p.Misses) != 1 || p.Misses[0] != "batch of none" {
		t.Errorf("want one match and one miss with examples, got %+v", p)
	}
}

// TestProfileValues: what the text of a group says by its unit, and that one
// that is no number is told with its text.
func TestProfileValues(t *testing.T) {
	for _, tt := range []struct {
		unit, text string
		want       float64 // -1: nothing
	}{
		{"percent", "25", .25},
		{"ratio", "0.25", .25},
		{"used/all", "1024/4096", .25},
		{"used/all", "1024/0", -1},
		{"used/all", "1024", -1},
		{"used/all", "/4", -1},
		{"used/all", "1/4/8", -1},
		{"percent", "2,5", -1},
	} {
		f := writeProfile(t, "patterns:\n  - literal: kv=\n    match: 'kv=(?P<kv_usage>\\S+)'\n    units: {kv_usage: "+tt.unit+"}\n")
		b := newBench(t, serverlog.Options{Format: f})
		b.live("kv=" + tt.text)
		s, err := serverlog.Probe(strings.NewReader("kv="+tt.text+"\n"), serverlog.Options{Format: f}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.want >= 0 {
			b.want(model.ServerKV, tt.want)
			if len(s.Patterns[0].Unread) != 0 {
				t.Errorf("%s as %s: want it read, got %q", tt.text, tt.unit, s.Patterns[0].Unread)
			}
			continue
		}
		b.want(model.ServerKV)
		if u := s.Patterns[0].Unread; len(u) != 1 || u[0] != "kv_usage: "+tt.text {
			t.Errorf("%s as %s: want it told as no number, got %q", tt.text, tt.unit, u)
		}
	}
}

// TestProfileIsLinear feeds an expression that others backtrack in for ever.
func TestProfileIsLinear(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: writeProfile(t, "patterns:\n  - literal: aaa\n    match: '(?:a|aa)+(?:a+)+b(?P<running>\\d+)'\n")})
	at := time.Now()
	b.live(strings.Repeat("a", 200_000))
	if took := time.Since(at); took > 2*time.Second {
		t.Errorf("want a line bounded and linear, took %v", took)
	}
}
