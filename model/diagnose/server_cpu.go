package diagnose

import (
	"fmt"

	"benchtop/model"
)

func serverCPU() Rule {
	return Rule{
		ID: "server_cpu", Group: GroupHost, Severity: model.SevMajor,
		Title: "one thread of the server is full", Needs: "host",
		Help:  "the server's busiest thread uses a whole core (API server, tokenizer, scheduler)",
		When:  func(c *Case) Answer { return atLeast(c.S.Host.ServerThread, c.T.ThreadFull) },
		Grade: majorIfStarved,
		Say: func(c *Case) (string, []model.Evidence) {
			v := c.S.Host.ServerThread
			t := fmt.Sprintf("The server's busiest thread used %s of one core.%s", num(v), waiting(c))
			return t, []model.Evidence{evidence("host_server_thread", 20, v, "cores", c.T.ThreadFull, fmt.Sprintf("busiest server thread %s of a core", num(v)))}
		},
		DoesNotProve: notHost + " A thread that polls the GPU is full too.",
		NextChange:   "more processes for the API server or the tokenizer",
		SettledBy:    "a profile of that thread",
	}
}
