package diagnose

import (
	"fmt"
	"math"

	"benchtop/model"
)

// lengthened reports that the mean length of the window's requests lies further
// from the earlier ones' than the threshold and than chance explains.
func lengthened(c *Case, drift, noise float64) Answer {
	return given(drift, math.Abs(drift) > max(c.T.LengthShare, zero(noise)))
}

func lengthChanged() Rule {
	return Rule{
		ID: "length_changed", Group: GroupTrust, Severity: model.SevNote,
		Title: "requests have another length than before", Needs: "token counts in the client stream",
		Help: "mean input or output tokens a request moved by more than 5 %",
		When: func(c *Case) Answer {
			cl := &c.S.Client
			if !cl.Known {
				return Missing
			}
			in, out := lengthened(c, cl.InputDrift, cl.InputNoise), lengthened(c, cl.OutputDrift, cl.OutputNoise)
			if in == Missing || out != Missing && in == No { // many tools tell one of them only
				return out
			}
			return in
		},
		Grade: func(c *Case) model.Severity {
			if c.S.Goal == model.GoalCompare {
				return model.SevInvalid
			}
			return model.SevNote
		},
		Say: func(c *Case) (string, []model.Evidence) {
			cl := &c.S.Client
			var ev []model.Evidence
			t := ""
			for _, x := range [...]struct {
				series, what string
				drift, noise float64
			}{{"client_input_tokens", "Input", cl.InputDrift, cl.InputNoise}, {"client_output_tokens", "Output", cl.OutputDrift, cl.OutputNoise}} {
				if lengthened(c, x.drift, x.noise) != Yes {
					continue
				}
				s := fmt.Sprintf("%s tokens a request moved by %+.0f %% in the last 30 s.", x.what, 100*x.drift)
				ev = append(ev, evidence(x.series, 30, x.drift, "ratio", max(c.T.LengthShare, zero(x.noise)), s))
				t += s + " "
			}
			return t + "Throughput before and after is not of the same work.", ev
		},
		DoesNotProve: "that anything changed at the server: it was given other work.",
		NextChange:   "none: run again at fixed input and output length",
		SettledBy:    "the payload file, and the token limit that the client sets",
	}
}
