package diagnose

import (
	"fmt"

	"benchtop/model"
)

func debugLog() Rule {
	return Rule{
		ID: "debug_log", Group: GroupHost, Severity: model.SevMajor,
		Title: "the server logs at DEBUG", Needs: "server log",
		Help: "twenty or more DEBUG lines a second",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if !s.Known {
				return Missing
			}
			if !known(s.DebugLines) {
				return given(s.LogSilence, false) // a log that never had such a line
			}
			if s.LogSilence > 30 {
				return Missing
			}
			return answer(s.DebugLines >= c.T.DebugRate)
		},
		Grade: majorIfStarved,
		Say: func(c *Case) (string, []model.Evidence) {
			v, share := c.S.Server.DebugLines, ""
			if all := c.S.Server.LogLines; known(all) && all >= v {
				share = fmt.Sprintf(", %s %% of its log", whole(100*v/all))
			}
			t := fmt.Sprintf("The server writes %s DEBUG lines a second%s.%s", whole(v), share, waiting(c))
			return t, []model.Evidence{evidence("server_debug_lines", 30, v, "1/s", c.T.DebugRate, fmt.Sprintf("%s DEBUG lines a second", whole(v)))}
		},
		DoesNotProve: notHost,
		NextChange:   "the log level, as a run of its own: it may change code paths",
		SettledBy:    "one run at each level",
	}
}
