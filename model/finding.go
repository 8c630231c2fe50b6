package model

// Severity says what a finding means for the numbers.
type Severity uint8

// Severities, weakest first.
const (
	SevNote    Severity = iota // about the method
	SevMinor                   // present, not limiting now
	SevMajor                   // can limit throughput
	SevInvalid                 // numbers must not be used
)

var severityNames = [...]string{"note", "minor", "major", "invalid"}

// String is the severity's word.
func (s Severity) String() string { return severityNames[s] }

// FindingState is where a finding's counter stands.
type FindingState uint8

// The states of a finding.
const (
	Clear   FindingState = iota // never raised, or cleared
	Raised                      // its condition has held long enough
	Unknown                     // an input is missing: neither true nor false
)

// Evidence is one number behind a finding, recomputable from the recording.
type Evidence struct {
	Series    string  // name of the series or signal
	WindowS   float64 // seconds the number was taken over
	Value     float64
	Unit      string
	Threshold float64 // what it was compared with, NaN if nothing
	Text      string  // the sentence it stands in
}

// Finding is a fact about the run. Words without numbers are not a finding.
type Finding struct {
	ID           string
	Severity     Severity
	State        FindingState
	Needs        string // what is missing, if State is Unknown
	Title        string // a few words
	Text         string // the evidence sentence
	Evidence     []Evidence
	DoesNotProve string
	NextChange   string
	SettledBy    string
	RawSince     Instant // start of the present streak of its condition
	RaisedAt     Instant // 0 if never
	ClearedAt    Instant // 0 while raised
	Suspected    bool    // rests on something declared or not observed
	Level        float64 // the leaky counter, 0..1
}

// Verdict is the one claim about cause. ID is a finding's id, "none" or
// "not_enough_evidence" with a Reason (client, too_few, not_warm, unsteady,
// server_log).
type Verdict struct {
	Finding
	Reason     string
	Confidence string   // firm or suspected
	Since      Instant  // since when it leads
	NotSeen    []string // earlier findings that could not be judged, and why
	Failures   string   // "{p} % of requests failed …", "" if none did
	Leading    string   // the leading hypothesis while there is not enough evidence
	WaitS      float64  // seconds until it can decide, NaN if unknown
}

// Ids of the two verdicts that are no finding.
const (
	VerdictNone      = "none"
	VerdictNotEnough = "not_enough_evidence"
)

// VerdictChange is one step in the history of the verdict.
type VerdictChange struct {
	At         Instant
	TS         float64 // seconds since the run's start
	ID, Reason string
	Severity   Severity
	Confidence string
	Title      string
	Raised     []string // ids raised then, sorted
	Recorded   bool     // told by a recording rather than by these rules
	Words      *Verdict // in full, with the numbers of that second; nil where it was recorded
}

// Restatement is a verdict that stood on, in the words and numbers of a later
// second than the one it came in.
type Restatement struct {
	At     Instant
	Words  *Verdict
	Raised []string // ids of the findings that stood
}
