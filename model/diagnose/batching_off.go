package diagnose

import (
	"fmt"

	"benchtop/model"
)

func batchingOff() Rule {
	return Rule{
		ID: "batching_off", Group: GroupBatching, Severity: model.SevMajor, Raise: 15, Clear: 15,
		Title: "batching is not in effect", Needs: "batch size and queue length",
		Help: "batches hold one request though others wait",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if !s.Known {
				return Missing
			}
			return all(given(s.Batch, s.Batch <= c.T.BatchOne), atLeast(s.BatchOne, c.T.BatchOneShare),
				c.someWait(), atLeast(c.ratio(), c.T.MissingRatio), atLeast(c.nc(), 3))
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			t := fmt.Sprintf("%s of batches held one request while %s were waiting.", pct(s.BatchOne), whole(s.Waiting))
			return t, []model.Evidence{
				evidence("server_batch", 65, s.Batch, "requests", c.T.BatchOne, fmt.Sprintf("mean batch %s", num(s.Batch))),
				evidence("server_waiting", 65, s.Waiting, "requests", 1, fmt.Sprintf("%s waiting", whole(s.Waiting))),
			}
		},
		DoesNotProve: "that batching is the whole loss: the log shows the batches made, not the bottleneck.",
		NextChange:   "the batching switch, else max batch",
		SettledBy:    "the effective configuration, and one rerun at fixed length",
	}
}

func batchWaitCeiling() Rule {
	return Rule{
		ID: "batch_wait_ceiling", Group: GroupBatching, Severity: model.SevMajor,
		Title: "batches wait their whole limit", Needs: "batch wait",
		Help: "batches leave not full after waiting the full batch wait",
		When: func(c *Case) Answer {
			s := &c.S.Server
			if s.Known && !s.Static && !known(s.BatchWait) {
				return No // continuous batching: a batch waits for nobody
			}
			if !s.Known || !known(s.BatchWaitAtLimit) {
				if s.KnowB && known(s.Batch) && s.Batch >= s.B {
					return No
				}
				return Missing
			}
			mean := c.S.Client.Mean
			if !known(mean) {
				return Missing
			}
			return answer(s.BatchWaitAtLimit >= 0.5 && s.BatchWait >= 0.3*mean)
		},
		Say: func(c *Case) (string, []model.Evidence) {
			s := &c.S.Server
			limit := s.BatchWaitLimit
			if !known(limit) {
				limit = s.BatchWaitP95
			}
			of := ""
			if s.KnowB {
				of = " of " + whole(s.B)
			}
			t := fmt.Sprintf("%s of batches waited the full %s and left with %s%s; waiting is %s of latency.",
				pct(s.BatchWaitAtLimit), span(limit), num(s.Batch), of, pct(s.BatchWait/c.S.Client.Mean))
			return t, []model.Evidence{
				evidence("server_batch_wait", 30, s.BatchWait, "s", 0.3*c.S.Client.Mean, fmt.Sprintf("mean wait %s", span(s.BatchWait))),
				evidence("server_batch", 30, s.Batch, "requests", s.B, fmt.Sprintf("mean batch %s", num(s.Batch))),
			}
		},
		DoesNotProve: "that a shorter wait gives more throughput when arrivals are too few to fill a batch.",
		NextChange:   "the batch wait",
		SettledBy:    "a rerun with half the wait",
	}
}
