package report

import (
	"fmt"
	"math"

	"benchtop/model"
)

// GoalPart is the question that the run was asked and what it says to it.
type GoalPart struct {
	Goal    string     `json:"goal"`
	State   string     `json:"state"`
	Text    string     `json:"text"`
	Goodput Num        `json:"goodput_rps"`
	Steps   []StepPart `json:"steps"`
	Knee    *int       `json:"knee"`
	Passing *int       `json:"last_passing"`
	Notes   []string   `json:"notes"`
}

// StepPart is one load step.
type StepPart struct {
	FromS     Num    `json:"from_s"`
	ToS       Num    `json:"to_s"`
	Load      Num    `json:"load"`
	Unit      string `json:"unit"`
	Seconds   Num    `json:"seconds"`
	RateRPS   Num    `json:"rate_rps"`
	OKRPS     Num    `json:"ok_rps"`
	OKRPSSE   Num    `json:"ok_rps_se"`
	LatencyMS Num    `json:"mean_latency_ms"`
	Lost      Num    `json:"lost_share"`
	Kept      Num    `json:"kept_share"`
	Clean     Num    `json:"clean_share"`
}

// LedgerPart says what moved with throughput inside the run.
type LedgerPart struct {
	Text       string      `json:"text"`
	BeforeRPS  Num         `json:"before_rps"`
	AfterRPS   Num         `json:"after_rps"`
	BeforeS    Num         `json:"before_s"`
	AfterS     Num         `json:"after_s"`
	Change     Num         `json:"change"`
	Entries    []EntryPart `json:"entries"`
	Rest       Num         `json:"unexplained"`
	NotKnown   []string    `json:"not_measured"`
	Elasticity Num         `json:"clock_elasticity"`
	Lo         Num         `json:"clock_elasticity_lo"`
	Hi         Num         `json:"clock_elasticity_hi"`
	ClockShare Num         `json:"clock_share"`
	ClockText  string      `json:"clock_text"`
	Chain      []ChainPart `json:"chain"`
}

// EntryPart is one cause of the ledger.
type EntryPart struct {
	ID     string `json:"id"`
	From   Num    `json:"from"`
	To     Num    `json:"to"`
	Unit   string `json:"unit"`
	Share  Num    `json:"share"`
	AtMost bool   `json:"at_most"`
}

// ChainPart is one step of the chain; Arrow leads to it.
type ChainPart struct {
	Title string `json:"title"`
	From  Num    `json:"from"`
	To    Num    `json:"to"`
	Unit  string `json:"unit"`
	Arrow string `json:"arrow"`
}

func index(i int) *int {
	if i < 0 {
		return nil
	}
	return &i
}

func goalPart(s *model.Snapshot) *GoalPart {
	g := &s.Goal
	if g.Goal == "" {
		return nil
	}
	p := &GoalPart{
		Goal: g.Goal, State: g.State, Text: g.Line, Goodput: Num(g.Goodput), Steps: []StepPart{},
		Knee: index(g.Knee), Passing: index(g.Passing), Notes: []string{},
	}
	p.Notes = append(p.Notes, g.Notes...)
	for i := range g.Steps {
		st := &g.Steps[i]
		p.Steps = append(p.Steps, StepPart{
			Num(st.From.Seconds(s.Start)), Num(st.To.Seconds(s.Start)), Num(st.Level), stepUnit(st), Num(st.Seconds), Num(st.X), Num(st.XOK), Num(st.SE),
			Num(1e3 * st.Latency), Num(st.Lost), Num(st.Kept), Num(st.Clean),
		})
	}
	return p
}

func stepUnit(s *model.LoadStep) string {
	if s.Open {
		return "arrivals/s"
	}
	return "in flight"
}

func ledgerPart(s *model.Snapshot) *LedgerPart {
	l, c := &s.Ledger, &s.Ledger.Clock
	if !l.Known && !c.Known {
		return nil
	}
	p := &LedgerPart{
		Text: l.Line(), BeforeRPS: absent, AfterRPS: absent, BeforeS: absent, AfterS: absent, Change: Num(l.Change), Entries: []EntryPart{}, Rest: Num(l.Rest),
		NotKnown: []string{}, Elasticity: absent, Lo: absent, Hi: absent, ClockShare: absent, ClockText: c.Line(), Chain: []ChainPart{},
	}
	p.NotKnown = append(p.NotKnown, l.NotKnown...)
	if l.Known {
		p.BeforeRPS, p.AfterRPS = Num(l.Before.XOK), Num(l.After.XOK)
		p.BeforeS, p.AfterS = Num(l.Before.From.Seconds(s.Start)), Num(l.After.From.Seconds(s.Start))
	}
	if c.Known {
		p.Elasticity, p.Lo, p.Hi, p.ClockShare = Num(c.Elasticity), Num(c.Lo), Num(c.Hi), Num(c.Share)
	}
	for _, e := range l.Entries {
		p.Entries = append(p.Entries, EntryPart{e.ID, Num(e.From), Num(e.To), e.Unit, Num(e.Share), e.AtMost})
	}
	for _, k := range c.Chain {
		p.Chain = append(p.Chain, ChainPart{k.Title, Num(k.From), Num(k.To), k.Unit, k.Arrow.String()})
	}
	return p
}

// askedSection is the goal's answer with the load steps behind it.
func askedSection(p *Page, s *model.Snapshot) {
	g := &s.Goal
	if g.Goal == "" && len(g.Steps) < 2 {
		return
	}
	p.heading(2, "the question")
	if g.Goal == "" {
		p.text("No goal was declared (max_throughput, sla or compare in the run file).")
	} else {
		p.text("Goal: " + g.Goal + ". " + g.Line)
		p.list(g.Notes)
	}
	if len(g.Steps) == 0 {
		return
	}
	t := Table{Head: []string{"load", "from", "to", "good requests/s", "±", "mean latency", "failed", "kept the limits", "clean", ""}, Right: []bool{true, true, true, true, true, true, true, true, true, false}}
	for i := range g.Steps {
		st := &g.Steps[i]
		mark := ""
		switch i {
		case g.Knee:
			mark = "knee"
		case g.Passing:
			mark = "last that passes"
		}
		t.Rows = append(t.Rows, []string{
			short(st.Level) + " " + stepUnit(st), fmt.Sprintf("%.0f s", st.From.Seconds(s.Start)), fmt.Sprintf("%.0f s", st.To.Seconds(s.Start)),
			short(st.XOK), short(2 * st.SE), seconds(st.Latency), ofAll(st.Lost), ofAll(st.Kept), ofAll(st.Clean), mark,
		})
	}
	p.table(t)
}

// ofAll prints a share of 1 in percent.
func ofAll(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

// ledgerSection says what moved with throughput, the rest included.
func ledgerSection(p *Page, s *model.Snapshot) {
	l := &s.Ledger
	if !l.Known && !l.Clock.Known {
		return
	}
	p.heading(2, "what moved with throughput")
	if l.Known {
		p.text(l.Line())
		t := Table{Head: []string{"what", "before", "after", "", "share of the change"}, Right: []bool{false, true, true, false, true}}
		for _, e := range l.Entries {
			share := ofAll(e.Share)
			if e.AtMost {
				share = "at most " + share
			}
			t.Rows = append(t.Rows, []string{e.Title, short(e.From), short(e.To), e.Unit, share})
		}
		for _, n := range l.NotKnown {
			t.Rows = append(t.Rows, []string{n, "–", "–", "", "not measured"})
		}
		t.Rows = append(t.Rows, []string{"unexplained", "", "", "", ofAll(l.Rest)})
		p.table(t)
	}
	if c := l.Clock.Line(); c != "" {
		p.text(c)
	}
	if c := l.Clock.Draw(); c != "" {
		p.text(c)
	}
}
