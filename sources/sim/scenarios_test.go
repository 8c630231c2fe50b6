package sim

import (
	"regexp"
	"strings"
	"testing"
)

func TestScenarioTable(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		if !snake.MatchString(s.Name) || seen[s.Name] {
			t.Errorf("name %q: want snake_case, once", s.Name)
		}
		seen[s.Name] = true
		if s.Line == "" || len(s.Line) > 90 || len(s.Verdict) == 0 {
			t.Errorf("%s: line %q, verdict %v", s.Name, s.Line, s.Verdict)
		}
		if _, err := s.Params(); err != nil {
			t.Error(err)
		}
		for i, ph := range s.Phases {
			if ph.Mark == "" || len(ph.Verdict) == 0 || i > 0 && ph.At <= s.Phases[i-1].At {
				t.Errorf("%s: phase %+v", s.Name, ph)
			}
		}
	}
	if _, ok := Find(Default); !ok {
		t.Errorf("no scenario %q", Default)
	}
	if _, ok := Find("no_such"); ok {
		t.Error("found a scenario that is not there")
	}
}

func TestChange(t *testing.T) {
	tests := []struct{ list, err string }{
		{"workers=8, pool=4,keep_alive=false", ""},
		{"", ""},
		{"workers", "name=value"},
		{"workers=many", "whole number"},
		{"rtt_s=fast", "not a number"},
		{"keep_alive=maybe", "neither true nor false"},
		{"speed=3", "none of this name"},
	}
	for _, tt := range tests {
		p := Base()
		err := p.Change(tt.list)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: want error with %q, got %v", tt.list, tt.err, err)
		}
	}
	p := Base()
	if err := p.Change("workers=8, pool=4,keep_alive=false, server=static"); err != nil || p.Workers != 8 || p.Pool != 4 || p.KeepAlive || p.Server != engineStatic {
		t.Errorf("%v: %+v", err, p)
	}
}

func TestValidate(t *testing.T) {
	bad := []string{
		"duration_s=0", "mode=half", "workers=0", "mode=open", "server=magic", "max_batch=0", "engines=0",
		"t0_s=0, t1_s=0", "output_tokens=0", "kv_tokens=100", "client_timeout_s=0", "log_every_s=0",
		"power_limit_w=50", "cpu_freq_frac=0", "t0_s=NaN",
	}
	for _, list := range bad {
		p := Base()
		if err := p.Change(list); err != nil {
			t.Fatal(err)
		}
		if p.Validate() == nil {
			t.Errorf("%s: want an error", list)
		}
	}
	p := Base()
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}
