package diagnose

import (
	"fmt"
	"strings"

	"benchtop/model"
)

// off says which findings a source's silence leaves open.
func off(k model.SourceKind) string {
	switch k {
	case model.KindGPU:
		return "findings on the GPU"
	case model.KindHost:
		return "host causes, and what tells pool, client CPU and path apart"
	case model.KindServerLog, model.KindMetrics:
		return "findings on the server"
	default:
		return "what it told"
	}
}

func sourceStale() Rule {
	return Rule{
		ID: "source_stale", Group: GroupTrust, Severity: model.SevNote, Raise: 3, Clear: 3,
		Title: "a source has fallen silent", Needs: "a source",
		Help: "nothing for five of its own intervals",
		When: func(c *Case) Answer {
			if len(c.S.Stale) > 0 {
				return Yes
			}
			if !c.S.Client.Known && !c.S.Server.Known && !c.S.Host.Known && len(c.S.GPUs) == 0 {
				return Missing
			}
			return No
		},
		Say: func(c *Case) (string, []model.Evidence) {
			var text []string
			var ev []model.Evidence
			for _, s := range c.S.Stale {
				t := fmt.Sprintf("%s: nothing for %s s, usually every %s s, so %s can't be judged", s.Name, whole(s.Silence), num(s.Interval), off(s.Kind))
				text = append(text, t)
				ev = append(ev, evidence("source_lines", s.Silence, s.Silence, "s", c.T.StaleIntervals*s.Interval, t))
			}
			return strings.Join(text, "; ") + ".", ev
		},
		DoesNotProve: "anything about the run: only that nobody looked there.",
		NextChange:   "none: see why the source is silent",
		SettledBy:    "the source's own state",
	}
}
