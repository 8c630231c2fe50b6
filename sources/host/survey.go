package host

// Environment is what a machine is like before a run: what benchmarks are asked
// to hold still. A number that can't be read is NaN.
type Environment struct {
	Cores      int
	Governors  map[string]int // of the cores' clocks, with how many cores have each; nil without cpufreq
	Preference string         // energy preference of the first core, "" if there is none
	Boost      string         // "on", "off" or "" if that is not told
	CPUMHz     float64        // mean core clock
	TopMHz     float64        // highest that the first core may reach
	Virtual    bool           // a virtual machine
	Steal      float64        // share of the time

	MemTotal, MemAvailable, Cached float64 // MiB
	SwapUsed                       float64 // MiB
	HugePages                      float64 // huge pages set aside
	Transparent                    string  // setting of transparent huge pages, "" if not told
	Whole                          float64 // share of the free memory in pieces of 2 MiB and more
	SwapIn                         float64 // pages a second
	Pressure                       float64 // share of time that some task waited for memory

	Others   float64   // cores that other processes use
	Busiest  []Process // of them, the busiest first
	DiskRead float64   // bytes a second
	Links    []Link
	Limits   []Limit
}

// Process is a process that takes no part in the benchmark. Of its command line
// nothing is kept.
type Process struct {
	PID   int
	Name  string
	User  string
	Unit  string // its service, "" if it is of none
	Cores float64
}

// Link is a network interface that is up, but for loopback.
type Link struct {
	Name  string
	Mbit  float64 // its speed, NaN if not told
	Bytes float64 // both ways, a second
}

// Limit is what a process' control groups allow.
type Limit struct {
	Who       string // self, or the tool
	PID       int
	Cores     float64 // +Inf without a quota, NaN if not readable
	MiB       float64 // +Inf without a limit, NaN if not readable
	Throttled float64 // share of the quota's periods during the survey
	Group     Group
}
