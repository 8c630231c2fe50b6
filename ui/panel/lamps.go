package panel

import (
	"fmt"
	"slices"
	"strings"

	"benchtop/model"
	"benchtop/themes"
)

// lamp is one of the questions that are always asked, in the order in which
// they are to be answered.
type lamp struct {
	name  string
	ids   []string // findings that light it
	blind string   // why nobody knows, where the question can't be answered
}

var lamps = []lamp{
	{"client", []string{"client_pool", "client_cpu", "before_server", "path_stuck", "network", "client_below_target"}, "no load stream tells requests"},
	{"batch", []string{"batching_off", "batch_wait_ceiling", "concurrency_lt_maxbatch", "kv_pressure", "engine_imbalance"}, "no log or endpoint of a server"},
	{"loss", []string{"client_timeout", "server_rejects", "server_down", "zombie_work", "qps_counts_failures"}, "no load stream tells requests"},
	{"clock", []string{"thermal", "power_cap", "power_brake", "clock_drift", "hw_slowdown_other", "sync_boost", "app_clocks", "board_limit", "reliability"}, "no GPU figures"},
}

// lampState is what a lamp shows.
type lampState uint8

const (
	lampUnknown lampState = iota
	lampWaiting           // an earlier question is open
	lampClear
	lampWas // lit earlier in this run
	lampOn
)

// lit is the state of a lamp by the findings.
func lit(s *model.Snapshot, l lamp) lampState {
	state, seen := lampUnknown, false
	for i := range s.Findings {
		fd := &s.Findings[i]
		if !slices.Contains(l.ids, fd.ID) {
			continue
		}
		switch {
		case fd.State == model.Raised && fd.Severity > model.SevNote:
			return lampOn
		case fd.RaisedAt > 0 && fd.Severity > model.SevNote:
			state = lampWas
		case fd.State == model.Clear:
			seen = true
		}
	}
	switch {
	case state == lampWas:
		return lampWas
	case s.Signals == nil || !observed(s, l.name):
		return lampUnknown
	case s.Verdict.ID == model.VerdictNotEnough && s.Verdict.Reason != "unsteady":
		return lampWaiting
	case seen || len(s.Findings) > 0 || s.Verdict.ID != "":
		return lampClear
	}
	return lampUnknown
}

// observed reports whether there is anything to answer the question from.
func observed(s *model.Snapshot, name string) bool {
	switch name {
	case "client", "loss":
		return s.Signals.Client.Known
	case "batch":
		return s.Signals.Server.Known
	case "clock":
		return len(s.Signals.GPUs) > 0
	}
	return true
}

// span words a lamp: sign and role together, so that neither is needed alone.
func (l lamp) span(st lampState) Span {
	switch st {
	case lampOn:
		return Span{"▲ " + l.name, themes.Bad, true}
	case lampWas:
		return Span{"△ " + l.name, themes.Warn, false}
	case lampClear:
		return Span{"✓ " + l.name, themes.Good, false}
	case lampWaiting:
		return Span{"… " + l.name, themes.Dim, false}
	case lampUnknown:
	}
	return Span{"? " + l.name, themes.Dim, false}
}

// lampSpans are all lamps in their order.
func lampSpans(s *model.Snapshot) []Span {
	out := make([]Span, len(lamps))
	for i, l := range lamps {
		out[i] = l.span(lit(s, l))
	}
	return out
}

// lampsWait says which lamps wait for the client's: it is the first to be
// decided. Nothing where none does.
func lampsWait(s *model.Snapshot, w int) []line {
	var names []string
	for i, l := range lamps {
		st := lit(s, l)
		if i == 0 && st != lampWaiting {
			return nil
		}
		if i > 0 && st == lampWaiting {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return labelled("waiting", strings.Join(names, ", ")+" for the client lamp", w)
}

// lampReport is every lamp with its state in words and what it rests on.
func lampReport(s *model.Snapshot, w int) []line {
	out := []line{nil}
	for i, l := range lamps {
		out = append(out, labelled(l.name, l.words(s, i == 0), w)...)
	}
	return out
}

// words are a lamp's state and evidence.
func (l lamp) words(s *model.Snapshot, first bool) string {
	var on, was []string
	blind := 0 // findings whose inputs are missing
	for i := range s.Findings {
		fd := &s.Findings[i]
		switch {
		case slices.Contains(l.ids, fd.ID) && fd.State == model.Unknown:
			blind++
		case !slices.Contains(l.ids, fd.ID) || fd.Severity <= model.SevNote:
		case fd.State == model.Raised:
			on = append(on, fd.Title+": "+fd.Text)
		case fd.RaisedAt > 0:
			was = append(was, fd.Title)
		}
	}
	switch lit(s, l) {
	case lampOn:
		return "lit: " + strings.Join(on, " ")
	case lampWas:
		return "was lit earlier in this run: " + strings.Join(was, "; ")
	case lampClear:
		if blind > 0 {
			return fmt.Sprintf("clear: %d findings looked for, none seen; %d could not be looked for", len(l.ids)-blind, blind)
		}
		return fmt.Sprintf("clear: %d findings looked for, none seen", len(l.ids))
	case lampWaiting:
		if first {
			return "being judged"
		}
		return "waiting for the client lamp"
	case lampUnknown:
	}
	return "unknown: " + l.blind
}
