package host

// FinderOptions say what is known of the processes to be found.
type FinderOptions struct {
	Side Side
	Port int // where the server serves or tells its metrics, 0 if that is not known
	// Streams are where the load stream is read: paths of files and named pipes,
	// or pipe:[N] for a pipe without a name. Who writes there may be the client.
	Streams []string
	Logs    []string   // files that the server prints to
	Started func() int // the client that we started ourselves, 0 before it runs; nil if we don't
	Proc    string     // where procfs is mounted, "" as usual
}

// Parties are the processes of a benchmark. What is not known is 0.
type Parties struct {
	Server, Client int
	Port           int // where the server serves
}
