package ui_test

import "testing"

// TestWholeRunIsNoWindow: the rates of a run that told its requests at its end
// are not called those of the last 30 s, and no arrivals stand there as 0.
func TestWholeRunIsNoWindow(t *testing.T) {
	for _, whole := range []bool{false, true} {
		s := busy()
		s.Signals.Client.Known, s.Signals.Client.Started = true, 0
		is, isNot := "last 30 s", "whole run"
		if whole {
			s.Signals.Client.Reported = s.Now
			is, isNot = isNot, is
		}
		v := live
		v.Full = "figures"
		text := screenText(s, v)
		wants(t, text, is)
		wantsNot(t, text, isNot)
		if whole {
			wantsNot(t, text, "arrivals")
		} else {
			wants(t, text, "arrivals")
		}
	}
}
