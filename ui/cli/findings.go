package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"benchtop/model"
	"benchtop/model/diagnose"
	"benchtop/ui/draw"
)

// newFindings prints the findings, or the page of one.
func newFindings(stdio Stdio) *cobra.Command {
	return &cobra.Command{
		Use: "findings [NAME]", Short: "List the findings, or tell all about one", Args: cobra.MaximumNArgs(1),
		Example: "  benchtop findings\n  benchtop findings gpu_idle_gaps",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return findingPage(stdio.Out, args[0])
			}
			for _, r := range diagnose.Rules() {
				if _, err := fmt.Fprintf(stdio.Out, "%-24s %-8s %s\n", r.ID, r.Severity, r.Help); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

const pageWidth = 96

// findingPage is the help page of one finding, or of a verdict that is none.
func findingPage(w io.Writer, name string) error {
	var b strings.Builder
	say := func(label, text string) {
		for i, l := range draw.Wrap(text, pageWidth-16) {
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(&b, "%-15s %s\n", label, l)
		}
	}
	guide, known := model.GuideTo(name)
	rule := findRule(name)
	switch {
	case rule != nil:
		fmt.Fprintf(&b, "%s (%s): %s\n\n", rule.ID, rule.Severity, rule.Title)
		say("what", rule.Help+".")
		say("needs", rule.Needs)
		raise, clear := holds(rule)
		say("raised", fmt.Sprintf("once it has held for %g s, cleared after %g s without it", raise, clear))
		say("does not prove", rule.DoesNotProve)
		say("next change", rule.NextChange)
		say("settled by", rule.SettledBy)
	case known && name == model.VerdictNone:
		fmt.Fprintf(&b, "%s (verdict): no bottleneck seen\n\n", name)
		say("what", "Throughput equals the offered load; nothing waits and nothing is full. Capacity is unknown.")
	case known && name == model.VerdictNotEnough:
		fmt.Fprintf(&b, "%s (verdict): nothing can be said yet\n\n", name)
		say("what", "Too few requests, not warm, unsteady, or a side that nobody observes: the reason stands beside it.")
	default:
		return usage("no finding %q%s", name, near(name, ruleIDs()))
	}
	for _, r := range guide.Rows {
		b.WriteByte('\n')
		say("if you see", r.See)
		say("it may be", r.Causes)
		say("look at", r.Look)
		say("do", r.Do)
	}
	b.WriteByte('\n')
	say("next tool", guide.Tool)
	_, err := io.WriteString(w, b.String())
	return err
}

func findRule(id string) *diagnose.Rule {
	for _, r := range diagnose.Rules() {
		if r.ID == id {
			return &r
		}
	}
	return nil
}

func ruleIDs() []string {
	var ids []string
	for _, r := range diagnose.Rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

// holds are the seconds that a rule must hold to be raised and to be cleared.
func holds(r *diagnose.Rule) (raise, clear float64) {
	t := model.DefaultThresholds()
	raise, clear = t.RaiseS, t.ClearS
	if r.Raise > 0 {
		raise = r.Raise
	}
	if r.Clear > 0 {
		clear = r.Clear
	}
	return math.Round(raise), math.Round(clear)
}
