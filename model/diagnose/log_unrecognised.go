package diagnose

import (
	"fmt"
	"strings"

	"benchtop/model"
)

func logUnrecognised() Rule {
	return Rule{
		ID: "log_unrecognised", Group: GroupTrust, Severity: model.SevMinor, Raise: 3, Clear: 3,
		Title: "a server log tells nothing", Needs: "a server log",
		Help: "a log grows, but nothing in it is recognised",
		When: func(c *Case) Answer {
			if len(c.S.Unread) > 0 {
				return Yes
			}
			if !known(c.S.Server.LogSilence) {
				return Missing
			}
			return No
		},
		Say: func(c *Case) (string, []model.Evidence) {
			var text []string
			var ev []model.Evidence
			for _, l := range c.S.Unread {
				t := fmt.Sprintf("%s grows, but its last %s lines told nothing%s: %s", l.Name, whole(l.Lines), readAs(l.Format), l.Hint)
				text = append(text, t)
				ev = append(ev, evidence("source_lines", c.S.T, l.Lines, "lines", 0, t))
			}
			return strings.Join(text, "; ") + ".", ev
		},
		DoesNotProve: "anything about the server: only that its log does not say it.",
		NextChange:   "the server's logging, as said above",
		SettledBy:    "the server's metrics endpoint, or benchtop probe on the log",
	}
}

func readAs(format string) string {
	if format == "" {
		return ""
	}
	return " (read as " + format + ")"
}
