package diagnose

import (
	"fmt"

	"benchtop/model"
)

// uneven finds an engine that queues while another, at half its load or less,
// has nobody waiting. Sums over engines hide this.
func uneven(c *Case) (hot, cool *model.EngineSignals) {
	e := c.S.Server.Engines
	for i := range e {
		if !known(e[i].Running, e[i].WaitingMedian) || e[i].WaitingMedian < max(c.T.SaturatedWait, c.T.SaturatedWaitShare*e[i].Running) {
			continue
		}
		for k := range e {
			if e[k].WaitingMedian == 0 && e[k].Running <= e[i].Running/2 {
				if hot == nil || e[i].WaitingMedian > hot.WaitingMedian || hot == &e[i] && e[k].Running < cool.Running {
					hot, cool = &e[i], &e[k]
				}
			}
		}
	}
	return hot, cool
}

// imbalanced reports that sums over engines are no evidence of saturation.
func imbalanced(c *Case) bool {
	hot, _ := uneven(c)
	return hot != nil || c.Raised("engine_imbalance")
}

func engineImbalance() Rule {
	return Rule{
		ID: "engine_imbalance", Group: GroupBatching, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "one engine queues while another has room", Needs: "running and waiting of each engine",
		Help: "requests are spread unevenly over the server's engines",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if !s.Known {
				return Missing
			}
			if len(s.Engines) == 1 || len(s.Engines) == 0 && known(s.Running) {
				return No
			}
			hot, _ := uneven(c)
			if hot != nil {
				return Yes
			}
			for i := range s.Engines {
				if e := &s.Engines[i]; !known(e.Running, e.WaitingMedian) {
					return Missing
				}
			}
			return No
		},
		Say: func(c *Case) (string, []model.Evidence) {
			hot, cool := uneven(c)
			if hot == nil {
				return "", nil
			}
			t := fmt.Sprintf("Engine %s queues %s while engine %s runs %s of %s.", hot.Label, whole(hot.WaitingMedian), cool.Label, num(cool.Running), whole(or(c.S.Server.EngineB, hot.Running)))
			return t, []model.Evidence{
				evidence("server_waiting", 65, hot.WaitingMedian, "requests", max(c.T.SaturatedWait, c.T.SaturatedWaitShare*hot.Running), fmt.Sprintf("engine %s: %s waiting, %s running", hot.Label, whole(hot.WaitingMedian), num(hot.Running))),
				evidence("server_running", 65, cool.Running, "requests", hot.Running/2, fmt.Sprintf("engine %s: none waiting, %s running", cool.Label, num(cool.Running))),
			}
		},
		DoesNotProve: "that the router is at fault: prompts may be unequal.",
		NextChange:   "the router's balancing policy",
		SettledBy:    "arrivals of each engine",
	}
}
