package model

// The questions that a run can be asked (the run file's goal).
const (
	GoalThroughput = "max_throughput"
	GoalSLA        = "sla"
	GoalCompare    = "compare"
)

// Answers to a goal.
const (
	GoalOpen      = "open"       // not enough seen yet
	GoalProven    = "proven"     // max_throughput: load went beyond the knee
	GoalNotProven = "not_proven" // max_throughput: a floor, no ceiling
	GoalPass      = "pass"       // sla: the newest step keeps the limits
	GoalFail      = "fail"       // sla: it does not
	GoalFair      = "fair"       // compare: nothing stands in the way
	GoalUnfair    = "unfair"     // compare: something does
)

// LoadStep is a stretch of the run under one load. Rates are a second,
// latencies seconds, shares 0..1; NaN where nothing was measured.
type LoadStep struct {
	From, To Instant
	Level    float64 // requests in flight of a closed loop, arrivals a second of an open one
	Open     bool    // Level is arrivals a second
	Seconds  float64 // that the figures are taken over: the first 5 s are left out
	X, XOK   float64
	SE       float64 // standard error of XOK
	Latency  float64 // mean
	Lost     float64 // share of the completions that failed
	Kept     float64 // share of the requests that kept the declared limits
	Judged   float64 // requests behind Kept
	Clean    float64 // share of its seconds in which nothing interfered
}

// GoalView is what the run says to the question it was asked.
type GoalView struct {
	Goal     string // "" if none was declared
	State    string // one of the answers above
	Line     string // the answer in one sentence
	Steps    []LoadStep
	Knee     int      // index of the step at the knee, −1 if there is none
	Passing  int      // index of the largest step that keeps the limits, −1 if none does
	Goodput  float64  // requests a second that kept the limits, over the clean time; NaN without limits
	Notes    []string // what weakens the answer
	Measured bool     // limits were declared and requests could be held to them
}

// LedgerEntry is one cause that moved with throughput.
type LedgerEntry struct {
	ID     string
	Title  string
	From   float64 // its value before and after, in Unit
	To     float64
	Unit   string
	Share  float64 // of the change in throughput; may be negative: it moved the other way
	AtMost bool    // a bound, not a measurement
	Text   string
}

// Arrow says how two steps of a chain hang together.
type Arrow uint8

// The arrows.
const (
	ArrowDashed  Arrow = iota // one of them was not measured
	ArrowSolid                // both moved, in the order and direction that the chain says
	ArrowCrossed              // one of them did not move, or the other way, or too late
)

var arrowNames = [...]string{"dashed", "solid", "crossed"}

// String is the arrow's word.
func (a Arrow) String() string { return arrowNames[a] }

// ChainLink is a step of the chain from cause to throughput and the arrow that
// leads to it.
type ChainLink struct {
	Title    string
	From, To float64
	Unit     string
	Arrow    Arrow
}

// Ledger says what moved with throughput inside the run, and how much of the
// change stays unexplained.
type Ledger struct {
	Known    bool // throughput moved by more than its noise
	Before   LoadStep
	After    LoadStep
	Change   float64 // After ÷ Before − 1, of good requests a second
	Entries  []LedgerEntry
	Rest     float64 // share of the change that no entry explains
	Clock    ClockShare
	NotKnown []string // entries whose series nobody measured
}

// ClockShare is how throughput followed the SM clock inside the run
// (diagnosis.md §5.5).
type ClockShare struct {
	Known      bool
	Elasticity float64 // 1 says fully, 0 not at all
	Lo, Hi     float64 // 95 % by block bootstrap
	Share      float64 // of the change that it makes; 0 if the chain is broken
	AtMost     float64 // loss of the clock against this run's best: the bound where Known is false
	Voided     bool    // an arrow is crossed: no attribution
	Chain      []ChainLink
}

// Laws are cross-checks on the newest window (diagnosis.md §5). Seconds and
// requests a second; NaN where an input is missing.
type Laws struct {
	Residence float64 // Ns ÷ X: seconds a request spends at the server
	Outside   float64 // client latency less that
	Ceiling   float64 // X ÷ utilization: what this batch size could reach at most
	Busy      float64 // the utilization behind it
}
