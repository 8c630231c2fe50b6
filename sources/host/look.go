package host

// Found is one program of a benchmark that runs on this machine.
type Found struct {
	Tool Tool
	PID  int    // the root of its processes
	User string // whom it belongs to
	uid  uint64
	Mine bool // its open files can be seen
	Group
	Model   string
	Visible string // CUDA_VISIBLE_DEVICES as it was started with, "" if not set or not to be seen
	Place   string // the cores and the memory nodes it may use, "" if it may use all

	Apart     bool     // it lives in another network namespace
	Addresses []string // its own IPv4 addresses there
	Port      int      // where it serves, 0 if that is not known
	PortFrom  string   // how that is known
	guessed   bool     // nobody says where it serves: it is one of several ports that it listens at
	URL       string   // of its metrics endpoint on this machine's loopback, "" if it can't be reached there
	Metrics   int      // the port of its metrics
	Disabled  string   // the flag without which it has no metrics, "" if it has them
	Open      int      // connections to its port
	Callers   []Found  // of a server: programs of this machine that hold connections to it and are no load generators by name, most connections first
	Peers     []Peer   // who is connected to its port from elsewhere, most connections first

	Settings []Setting
	Logs     []string // regular files that it prints to, the likeliest first
	Output   string   // where its output goes if no file: pipe, terminal, journal, nowhere; "" if that can't be seen
	Writes   []string // of a load generator: files that it, or who reads its output, writes
	Pipes    []string // named pipes among those: who reads one takes its lines away
}

// Setting is a number on a command line.
type Setting struct {
	Name  string // as in Note.Name of a setting
	Value float64
	Flag  string
}

// Peer is a machine with connections to a server.
type Peer struct {
	Address string
	Count   int
}

// Scene is what looking around found.
type Scene struct {
	Servers []Found
	Loads   []Found
}

// Look looks around on this machine for inference servers and load generators:
// by command lines first, then by what is open. It reads procfs and nothing
// else: no privileges, no request to anybody. proc is where procfs is mounted,
// "" as usual.
func Look(proc string) (Scene, error) {
	if proc == "" {
		proc = "/proc"
	}
	return look(proc)
}
