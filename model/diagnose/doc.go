// Package diagnose turns the signals of each second into findings and one
// principal verdict.
//
// A finding is a fact about the run with numbers; a verdict is a claim about
// cause. Rules are stateless, one file each; onset and clearing live once, in
// the Judge. Everything is a function of signals, thresholds and seconds, so a
// replay gives the same verdicts. A rule whose input is missing is unknown: it
// freezes, it never decays to "not raised", and no verdict rests on it.
package diagnose
