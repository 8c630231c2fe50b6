package model

// DirtyCause is why a second of the measured time is left out of the clean
// results. A second may have several.
type DirtyCause uint8

// The causes, in the order in which interference is looked for.
const (
	DirtyThrottle  DirtyCause = iota // a GPU's clock was held back
	DirtyNeighbour                   // other processes or the hypervisor took the CPU
	DirtyQuota                       // the server's cgroup was stopped by its CPU quota
	DirtyClient                      // the load generator had no room left
	DirtyDown                        // the server refused connections
	DirtyRotation                    // a log was rotated or cut
	DirtyScrape                      // reading the metrics endpoint took long
	DirtyGap                         // a source was silent, or lost events
	dirtyCauses
)

// NumDirtyCauses is how many causes there are.
const NumDirtyCauses = int(dirtyCauses)

var dirtyNames = [...]string{"throttle", "foreign_load", "cpu_quota", "client_saturated", "server_down", "log_rotation", "scrape_stall", "gap"}

var dirtyWords = [...]string{
	"GPU clock held back", "foreign load", "CPU quota", "client saturated", "server down", "log rotated", "scrape stalled", "gap in a source",
}

// String is the cause's stable name, as summaries write it.
func (c DirtyCause) String() string { return dirtyNames[c] }

// Words is the cause as users read it.
func (c DirtyCause) Words() string { return dirtyWords[c] }

// DirtyStretch is one excluded stretch: [From, To), whole seconds.
type DirtyStretch struct {
	Cause    DirtyCause
	From, To Instant
	Text     string // the number behind it
}

// CauseSeconds is how much of the measured time one cause made dirty.
type CauseSeconds struct {
	Cause   DirtyCause
	Seconds float64
	Text    string // the newest number behind it
}

// Figures are results over a set of seconds: requests, rates a second,
// latencies in seconds; NaN where nothing was measured.
type Figures struct {
	Seconds   float64
	Done, OK  float64
	X, XOK    float64   // completions a second: all, good
	OutputTPS float64   // tokens a second of good requests
	Kept      float64   // requests a second that kept the declared limits; NaN without limits
	Latency   Quantiles // of good requests
}

// CleanView is the measured time, the clean part of it, and the results of
// both. Measured is every second with requests since the run was warm (and 3 s
// more), clean those of them in which nothing interfered. Exclusions are by
// rule only, and all of them are listed.
type CleanView struct {
	Known     bool    // the measured time has begun
	Clean     Figures // of the clean seconds
	Measured  Figures // of all measured seconds
	All       Figures // of the whole run, warm-up and drain included
	Causes    []CauseSeconds
	Stretches []DirtyStretch // oldest first, bounded
	More      int            // stretches beyond that bound
	Now       []DirtyCause   // what makes the newest second dirty
}
