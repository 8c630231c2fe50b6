package ui_test

import (
	"testing"

	"benchtop/model"
)

// Lamps say in words what they wait for and what they rest on.
func TestLampsInWords(t *testing.T) {
	snap := busy()
	full := live
	full.Full = "verdict"
	wants(t, screenText(snap, full), "client   lit: requests missing at the server")
	snap.Findings = nil
	snap.Verdict = model.Verdict{Finding: model.Finding{ID: model.VerdictNotEnough}, Reason: "not_warm"}
	wants(t, screenText(snap, full), "client   being judged", "batch    waiting for the client lamp", "clock    waiting for the client lamp")
	wants(t, screenText(snap, live), "waiting  batch, loss, clock for the", "client lamp")
	wants(t, screenText(serverOnly(), full), "client   unknown: no load stream tells requests", "clock    unknown: no GPU figures")
}
