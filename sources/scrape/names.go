package scrape

// Field is one thing that a server's metrics can say. Engine files map metric
// names to fields; only meter.go knows what becomes of a field.
type Field uint8

// The fields. Gauges are as of the scrape, amounts only grow, means are pairs
// of a growing sum and a growing count.
const (
	Running      Field = iota // gauge: requests admitted to the batch
	Waiting                   // gauge: requests accepted and not scheduled
	KVUsage                   // gauge, ratio 0..1
	BatchNow                  // gauge: requests in the batch of the moment
	StepNow                   // gauge, seconds: the newest forward step
	PromptTokens              // amount
	GenTokens                 // amount
	Started                   // amount: requests taken up
	Finished                  // amount: requests that ended well
	TimedOut                  // amount
	Rejected                  // amount
	QueueFull                 // amount
	Dropped                   // amount
	Aborted                   // amount
	Errored                   // amount
	Preempted                 // amount
	Latency                   // mean, seconds: whole request
	TTFT                      // mean, seconds
	QueueTime                 // mean, seconds
	BatchSize                 // mean: requests in one forward step
	StepTime                  // mean, seconds: one forward step
	fieldCount
)

// nature says how a field is read and combined.
type nature uint8

const (
	gauge nature = iota
	ratio        // a gauge that is averaged, not summed, over its samples
	amount
	mean
)

var natures = [fieldCount]nature{
	Running: gauge, Waiting: gauge, KVUsage: ratio, BatchNow: gauge, StepNow: ratio,
	PromptTokens: amount, GenTokens: amount, Started: amount, Finished: amount,
	TimedOut: amount, Rejected: amount, QueueFull: amount, Dropped: amount,
	Aborted: amount, Errored: amount, Preempted: amount,
	Latency: mean, TTFT: mean, QueueTime: mean, BatchSize: mean, StepTime: mean,
}

// Metric says where a field is found. Several metrics of one field add up.
type Metric struct {
	Field Field
	// Names without the engine's prefix, newest first; the first that is offered
	// is read, with or without _total.
	Names []string
	// Count names what a mean is divided by when Names are plain counters; by
	// default both come from a histogram or summary.
	Count []string
	// Times names a gauge that, multiplied with Names, gives the mean's sum: some
	// servers print only a mean since their start. Names is then also its count.
	Times []string
	// Sum reads a histogram's sum as an amount.
	Sum bool
	// Label and In keep only samples whose label has one of the values, Not only
	// those where it has none of them.
	Label   string
	In, Not []string
	// Calls keeps only what FastAPI's instrumentation counted of requests to the
	// model.
	Calls bool
	// Scale turns the value into base units; 0 is 1.
	Scale float64
}

// Setting says where a configured number is printed.
type Setting struct {
	Name   string   // as in model.RunInfo.Configured
	Metric string   // without prefix
	Labels []string // multiply these labels' values; none: the metric's value
}

// Engine is how one kind of server names its metrics.
type Engine struct {
	Name     string
	Versions string // what its names were checked against; (read) where only its source was
	Prefix   string // in plain form ("vllm_"); may be ""
	// Sign are full plain names that must all be there if the prefix can't tell.
	Sign []string
	// Alone is a full plain name that tells the engine without any other.
	Alone string
	// Key are the labels that tell schedulers of one server apart.
	Key      []string
	Metrics  []Metric
	Settings []Setting
	// Known are beginnings of full plain names that are understood and, for good
	// reason, not read.
	Known []string
}
