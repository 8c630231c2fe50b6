package model

import (
	"fmt"
	"math"
	"strings"
)

// Line is the ledger in one sentence, "" while throughput did not move. The
// unexplained rest always stands in it.
func (l *Ledger) Line() string {
	if !l.Known {
		return ""
	}
	parts := make([]string, 0, len(l.Entries)+1)
	for _, e := range l.Entries {
		if math.Abs(e.Share) < 0.02 {
			continue
		}
		most := ""
		if e.AtMost {
			most = "at most "
		}
		parts = append(parts, fmt.Sprintf("%s %s%.0f %%", e.Title, most, 100*e.Share))
	}
	parts = append(parts, fmt.Sprintf("unexplained %.0f %%", 100*l.Rest))
	return fmt.Sprintf("Good throughput went from %.3g to %.3g/s (%+.0f %%). Of that: %s.", l.Before.XOK, l.After.XOK, 100*l.Change, strings.Join(parts, ", "))
}

// Line says how throughput followed the clock, or what bound is known.
func (c *ClockShare) Line() string {
	switch {
	case c.Known && c.Voided:
		return fmt.Sprintf("Throughput moved with the clock by a power of %.2f, but the chain is broken: no share of it is put down to the clock.", c.Elasticity)
	case c.Known:
		return fmt.Sprintf("Throughput followed the clock by a power of %.2f (95 %%: %.2f to %.2f).", c.Elasticity, c.Lo, c.Hi)
	case c.AtMost >= 0.005:
		return fmt.Sprintf("The clock hardly moved in this run: it costs at most %.1f %% against its best.", 100*c.AtMost)
	}
	return ""
}

// Draw is the chain on one line: solid arrows for steps that moved as the chain
// says, dashed ones for what nobody measured, crossed ones for what did not.
func (c *ClockShare) Draw() string {
	var b strings.Builder
	for i, k := range c.Chain {
		if i > 0 {
			b.WriteString([...]string{" ┄┄▸ ", " ──▸ ", " ─╳▸ "}[k.Arrow])
		}
		b.WriteString(k.Title)
		if !math.IsNaN(k.From) && !math.IsNaN(k.To) {
			fmt.Fprintf(&b, " %.4g→%.4g %s", k.From, k.To, k.Unit)
		} else {
			b.WriteString(" (not measured)")
		}
	}
	return b.String()
}
