package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"benchtop/model"
	"benchtop/model/compare"
)

// Run lays out the report of one run: the verdict and the row first, then the
// nine parts that a result must come with, each filled from what was measured
// or declared, with what is missing named as missing.
func Run(s *model.Snapshot) *Page {
	row := compare.RowOf(s)
	row.Round = 1
	p := &Page{Title: runName(s)}
	p.heading(1, "verdict: "+s.Verdict.Title)
	verdictText(p, s)
	p.heading(2, "the round's row")
	p.table(Rounds([]compare.Row{row}))
	if figs := charts(s); len(figs) > 0 {
		p.heading(2, "the run over time")
		for _, f := range figs {
			p.figure(f)
		}
	}
	askedSection(p, s)
	ledgerSection(p, s)
	verdictHistory(p, s)
	findingsPart(p, s)
	p.heading(2, "1. hardware")
	p.table(hardware(s))
	p.heading(2, "2. software")
	p.table(software(s))
	p.heading(2, "3. model")
	p.table(modelPart(s))
	p.heading(2, "4. configuration")
	p.table(configuration(s))
	p.list(implicit(s))
	p.heading(2, "5. load")
	p.table(loadPart(s))
	p.list(loadLimits(s))
	p.heading(2, "6. core metrics")
	p.table(metricsPart(s, &row))
	p.table(latencyTable(s))
	p.heading(2, "clean time")
	cleanSection(p, s)
	p.heading(2, "7. environment")
	p.table(environment(s))
	p.list(samplingPart(s))
	p.heading(2, "8. anomalies")
	anomalies(p, s)
	p.heading(2, "9. conclusions and limits")
	p.table(conclusions(s, &row))
	p.list(limits(s, &row))
	p.heading(2, "sources")
	p.table(sourcesTable(s))
	return p
}

// RunHead is the top of the run's HTML page.
func RunHead(s *model.Snapshot) Head {
	row := compare.RowOf(s)
	v := &s.Verdict
	b := Badge{Class: v.Severity.String(), Title: v.Title, Aside: strings.Trim(v.Confidence+", "+v.Severity.String(), ", ")}
	if v.ID == model.VerdictNotEnough {
		b.Class = "minor"
	}
	if v.Text != "" {
		b.Lines = append(b.Lines, v.Text)
	}
	if v.Failures != "" {
		b.Lines = append(b.Lines, v.Failures)
	}
	if v.NextChange != "" {
		b.Lines = append(b.Lines, "Next change to try: "+v.NextChange)
	}
	h := Head{Sub: runSub(s), Badges: []Badge{b}}
	card := func(id string) {
		m, _ := compare.Find(id)
		if x := row.Value(id); !math.IsNaN(x) {
			h.Cards = append(h.Cards, Card{strings.TrimSpace(short(x*m.Scale) + " " + m.Unit), m.Title})
		}
	}
	for _, id := range []string{compare.OutputTPS, compare.Goodput, compare.LatencyP50, compare.LatencyP99, compare.TTFTP50, compare.Concurrency} {
		card(id)
	}
	if !math.IsNaN(row.Batch) {
		h.Cards = append(h.Cards, Card{short(row.Batch), "server mean batch"})
	}
	if !math.IsNaN(row.OK) {
		h.Cards = append(h.Cards, Card{short(row.OK) + " / " + short(row.Failed), "success / failure"})
	}
	card(compare.Clock)
	card("gpu_power")
	return h
}

func runName(s *model.Snapshot) string {
	switch {
	case s.Run.Label != "" && s.Run.ID != "":
		return s.Run.Label + " (" + s.Run.ID + ")"
	case s.Run.Label != "":
		return s.Run.Label
	case s.Run.ID != "":
		return s.Run.ID
	}
	return "run"
}

func runSub(s *model.Snapshot) string {
	var parts []string
	if s.Start != 0 {
		parts = append(parts, s.Start.Time().UTC().Format("2006-01-02 15:04:05 UTC"), clockSpan(s.Now.Sub(s.Start)))
	}
	if s.Run.Change != "" {
		parts = append(parts, "change: "+s.Run.Change)
	}
	if m := s.Run.Facts["model"]; m != "" {
		parts = append(parts, m)
	}
	return strings.Join(parts, " · ")
}

func clockSpan(d time.Duration) string { return d.Round(time.Second).String() }

func verdictText(p *Page, s *model.Snapshot) {
	v := &s.Verdict
	var lines []string
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, strings.TrimSpace(name+" "+text))
		}
	}
	add("severity:", v.Severity.String()+", "+v.Confidence)
	add("", v.Text)
	add("", v.Failures)
	for _, e := range v.Evidence {
		add("evidence:", e.Text)
	}
	add("next change to try:", v.NextChange)
	add("does not prove:", v.DoesNotProve)
	add("settled by:", v.SettledBy)
	add("runner-up:", s.Runner)
	for _, n := range v.NotSeen {
		add("not observed:", n)
	}
	p.list(lines)
}

func findingsPart(p *Page, s *model.Snapshot) {
	t := Table{Head: []string{"finding", "severity", "from", "to", "what"}, Right: []bool{false, false, true, true, false}}
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.RaisedAt == 0 {
			continue
		}
		to := "the end"
		if f.ClearedAt != 0 {
			to = seconds(f.ClearedAt.Seconds(s.Start))
		}
		t.Rows = append(t.Rows, []string{f.ID, f.Severity.String(), seconds(f.RaisedAt.Seconds(s.Start)), to, f.Text})
	}
	if len(t.Rows) > 0 {
		p.heading(2, "findings")
		p.table(t)
	}
}

// verdictHistory lists how the verdict went; of a replay, also what was said
// when it was recorded, so that another version's rules can be told apart.
func verdictHistory(p *Page, s *model.Snapshot) {
	same := len(s.Said) == 0 || slices.EqualFunc(s.Said, s.Verdicts, func(a, b model.VerdictChange) bool { return a.ID == b.ID && a.Reason == b.Reason })
	t := Table{Head: []string{"at", "verdict", "severity", "confidence"}, Right: []bool{true, false, false, false}}
	if !same {
		t.Head = append(t.Head, "by")
		t.Right = append(t.Right, false)
	}
	rows := slices.Clone(s.Verdicts)
	if !same {
		rows = append(rows, s.Said...)
		slices.SortStableFunc(rows, func(a, b model.VerdictChange) int { return cmp.Compare(a.At, b.At) })
	}
	for _, v := range rows {
		line := []string{seconds(max(0, v.At.Seconds(s.Start))), v.Title, v.Severity.String(), v.Confidence}
		if !same {
			line = append(line, map[bool]string{true: "said then", false: "today's rules"}[v.Recorded])
		}
		t.Rows = append(t.Rows, line)
	}
	if len(t.Rows) == 0 {
		return
	}
	p.heading(2, "verdicts over the run")
	p.table(t)
	if len(s.Said) > 0 && same {
		p.text("Today's rules say the same as was said when it was recorded.")
	}
}

// kv is a table of a name, a value and where it comes from.
func kv() Table { return Table{Head: []string{"item", "value", "from"}} }

func (t *Table) add(name, value, from string) {
	if value == "" || value == "–" {
		value, from = "–", "not told"
	}
	t.Rows = append(t.Rows, []string{name, value, from})
}

// fact adds a fact under a title, and takes it off the rest.
func (t *Table) fact(s *model.Snapshot, name, title string) {
	t.add(title, s.Run.Facts[name], "recorded")
}

func hardware(s *model.Snapshot) Table {
	t := kv()
	t.fact(s, "host", "machine")
	t.fact(s, "cpu", "CPU")
	t.fact(s, "cpu_count", "CPU cores")
	t.fact(s, "mem_total", "memory")
	for _, g := range devices(s) {
		line := g.Name
		if m := s.GPU(model.GPUMemTotal, g.Key); m != nil && m.N > 0 {
			line += fmt.Sprintf(", %s GiB%s", short(math.Round(m.Last/(1<<30))), memoryWords[memoryKind(s, g.Key)])
		}
		if m := s.GPU(model.GPUPowerLimit, g.Key); m != nil && m.N > 0 {
			line += fmt.Sprintf(", limit %s W", short(m.Last))
		}
		if m := s.GPU(model.GPUMaxSMClock, g.Key); m != nil && m.N > 0 {
			line += fmt.Sprintf(", up to %s MHz", short(m.Last*1e-6))
		}
		name := "GPU "
		if g.Instance() != 0 {
			name = "MIG device "
		}
		t.add(name+g.Label(), line, "measured")
	}
	if len(s.GPUs) == 0 {
		t.add("GPU", "", "")
	}
	t.fact(s, "disk", "disk")
	t.fact(s, "network", "network")
	t.fact(s, "virtualisation", "virtual machine")
	return t
}

func software(s *model.Snapshot) Table {
	t := kv()
	for _, f := range [][2]string{
		{"kernel", "kernel"},
		{"gpu_driver", "GPU driver"},
		{"cuda", "CUDA"},
		{"engine", "server"},
		{"engine_version", "server version"},
		{"engine_args", "server start-up"},
		{"tool", "load generator"},
		{"benchtop", "benchtop"},
		{"code_dir", "code"},
		{"code_commit", "commit"},
		{"code_dirty", "uncommitted changes"},
	} {
		t.fact(s, f[0], f[1])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Run.Facts)) {
		if env, ok := strings.CutPrefix(name, "env."); ok {
			t.add("env "+env, s.Run.Facts[name], "allow-listed environment")
		}
	}
	return t
}

func modelPart(s *model.Snapshot) Table {
	t := kv()
	t.add("name", s.Run.Facts["model"], "the server")
	for _, f := range [][2]string{{"model_path", "path"}, {"model_params", "parameters"}, {"precision", "precision"}, {"model_root", "root"}, {"model_max_len", "longest context"}} {
		v, from := s.Run.Facts[f[0]], "recorded"
		if v == "" {
			v, from = s.Run.Meta[f[0]], "declared"
		}
		t.add(f[1], v, from)
	}
	t.add("mean prompt tokens", tokensOf(s, model.ClientInputTokens), "measured")
	t.add("mean output tokens", tokensOf(s, model.ClientOutputTokens), "measured")
	return t
}

func tokensOf(s *model.Snapshot, id model.SeriesID) string {
	if t := s.Whole(id); t != nil && t.N > 0 {
		return fmt.Sprintf("%s (%s to %s)", short(t.Sum/float64(t.N)), short(t.Min), short(t.Max))
	}
	return ""
}

func configuration(s *model.Snapshot) Table {
	t := kv()
	for _, n := range slices.Sorted(maps.Keys(s.Run.Config)) {
		t.add(n, plain(s.Run.Config[n].Value), s.Run.Config[n].From)
	}
	for _, n := range slices.Sorted(maps.Keys(s.Run.Meta)) {
		t.add(n, s.Run.Meta[n], "declared (--meta)")
	}
	for _, n := range []string{"flags", "run_file", "run_file_sha256", "config_file", "config_sha256", "command", "target", "goal", "slo"} {
		if v := s.Run.Facts[n]; v != "" {
			t.add(n, v, "recorded")
		}
	}
	for _, n := range slices.Sorted(maps.Keys(s.Run.Facts)) {
		if strings.HasPrefix(n, "load.") || strings.HasPrefix(n, "config.") {
			t.add(n, s.Run.Facts[n], "declared (run file)")
		}
	}
	return t
}

// implicit names the keys that a result can't be reproduced without and that
// nobody stated.
func implicit(s *model.Snapshot) []string {
	said := func(names ...string) bool {
		for _, n := range names {
			f := s.Run.Facts
			if _, ok := s.Run.Config[n]; ok || f[n] != "" || f["load."+n] != "" || f["config."+n] != "" || s.Run.Meta[n] != "" {
				return true
			}
			for name := range f {
				if n == "env" && (strings.HasPrefix(name, "env.") || strings.HasPrefix(name, "config.env.")) {
					return true
				}
			}
		}
		return false
	}
	var load, config []string
	for _, k := range []struct {
		name string
		any  []string
	}{
		{"target", []string{"target"}},
		{"concurrency", []string{"target_concurrency", "concurrency"}},
		{"connections", []string{"client_connections", "connections"}},
		{"keep_alive", []string{"keep_alive"}},
		{"request_timeout", []string{"client_timeout_s", "request_timeout"}},
		{"duration", []string{"duration_s", "duration"}},
		{"payload", []string{"payload", "payload_sha256"}},
		{"report_json", []string{"report_json"}},
	} {
		if !said(k.any...) {
			load = append(load, k.name)
		}
	}
	for _, k := range []struct {
		name string
		any  []string
	}{
		{"model path", []string{"model_path", "model"}},
		{"batch size", []string{"max_batch", "batch_size", "slots"}},
		{"threads", []string{"threads"}},
		{"warm-up rounds", []string{"warmup_rounds"}},
		{"input data path", []string{"input_data"}},
		{"log level", []string{"log_level"}},
		{"environment variables", []string{"env"}},
	} {
		if !said(k.any...) {
			config = append(config, k.name)
		}
	}
	var out []string
	if len(load) > 0 {
		out = append(out, "implicit in the load (stated by nobody): "+strings.Join(load, ", "))
	}
	if len(config) > 0 {
		out = append(out, "implicit in the configuration: "+strings.Join(config, ", "))
	}
	return out
}
