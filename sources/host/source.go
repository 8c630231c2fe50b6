package host

import (
	"context"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// Side says whose machine is watched, where client and server are on two.
type Side uint8

// The sides.
const (
	Both   Side = iota // client and server run here
	Client             // only the load generator
	Server             // only the server
)

// Options say what to watch. A zero process or port is unknown: its values are
// then absent.
type Options struct {
	Label      string // "client", "server" or ""
	Side       Side
	ServerPID  int
	ClientPID  int
	ServerPort int
	// Find, if set, is asked for the processes and the port again while one is
	// unknown or gone, at most each 5 s: servers are restarted and clients come
	// late. A Finder's Find fits.
	Find     func() Parties
	Interval time.Duration // 0 is 1 s
	// Proc and Sys are where procfs and sysfs are mounted, "" as usual.
	Proc, Sys string
}

// formatLive is the format of readings of this machine.
const formatLive = "procfs"

// DefaultInterval is how often the machine is read.
const DefaultInterval = time.Second

// minInterval keeps processor shares meaningful: they come in steps of 10 ms.
const minInterval = 200 * time.Millisecond

func (o *Options) defaults() {
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	o.Interval = max(o.Interval, minInterval)
	if o.Proc == "" {
		o.Proc = "/proc"
	}
	if o.Sys == "" {
		o.Sys = "/sys"
	}
}

// Source polls this machine. On anything but Linux it fails for good with a
// reason.
type Source struct{ o Options }

// New makes a source; it reads nothing yet.
func New(o Options) *Source {
	o.defaults()
	return &Source{o: o}
}

// Name implements sources.Source.
func (s *Source) Name() string {
	if s.o.Label != "" {
		return "host " + s.o.Label
	}
	return "host"
}

// Run implements sources.Source. It ends with ctx, or at once where a host
// can't be read.
func (s *Source) Run(ctx context.Context, out *sources.Outlet) error {
	out.SetPolicy(sources.Latest)
	now := sources.Now()
	out.Describe(now, s.Name(), model.KindHost, formatLive, s.o.Label)
	m, err := NewSampler(s.o)
	if err != nil {
		return sources.Final(err)
	}
	out.State(now, model.Running, "")
	out.Flush()
	tick := time.NewTicker(s.o.Interval)
	defer tick.Stop()
	var r Reading
	var st State
	for {
		gone := m.Read(&r)
		seen := sources.Now()
		for _, n := range m.News() {
			n.At, n.Seen, n.Kind = r.At, seen, model.NoteRun
			out.Note(n)
		}
		Apply(&r, r.At, seen, out, &st)
		Gap(seen, out, &st, gone...)
		matched := 0
		if r.Count() > 0 {
			matched = 1
		}
		out.Count(1, matched, 0, 0, 1-matched)
		out.FlushAt(seen)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
