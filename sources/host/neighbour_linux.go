package host

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"benchtop/model"
)

// Naming the neighbour: who else uses the cores is looked up only while others
// use a good part of them, and not often, since it reads every process.
const (
	neighbourShare = 0.15 // of the machine, from which on somebody is named
	neighbourEvery = 5 * time.Second
	neighbourMost  = 8192 // processes that are looked at
)

// neighbours finds the process, neither client's nor server's nor ours, that
// used most processor time since the last look.
type neighbours struct {
	at    model.Instant
	ticks map[int][2]uint64 // pid → ticks, start
	name  string            // told last
}

// look returns a note when somebody else than before is the busiest, ok false
// where nobody is to be named.
func (n *neighbours) look(s *Sampler, r *Reading) (note model.Note, ok bool) {
	if !(r.Get(OtherCPU) >= neighbourShare) {
		n.ticks, n.at = nil, 0
		return note, false
	}
	if n.at != 0 && r.At.Sub(n.at) < neighbourEvery {
		return note, false
	}
	now := n.read(s)
	span, before := r.At.Sub(n.at).Seconds(), n.ticks
	n.ticks, n.at = now, r.At
	if before == nil {
		return note, false
	}
	best, used := 0, 0.0
	for pid, t := range now {
		was, known := before[pid]
		if !known || was[1] != t[1] || t[0] < was[0] {
			continue // it began meanwhile: not all of its time is this span's
		}
		if c := float64(t[0]-was[0]) / ticksPerSecond / span; c > used {
			best, used = pid, c
		}
	}
	if best == 0 || used < 0.1 {
		return note, false
	}
	f := Finder{o: FinderOptions{Proc: s.o.Proc}}
	name := fmt.Sprintf("%s (PID %d, %.1f cores)", cmp.Or(f.program(best), "unnamed"), best, used)
	if name == n.name {
		return note, false
	}
	n.name = name
	return model.Note{Name: model.FactNeighbour, Text: name}, true
}

// read is every foreign process' processor time.
func (n *neighbours) read(s *Sampler) map[int][2]uint64 {
	ours := map[int]bool{os.Getpid(): true}
	for _, t := range []*tree{&s.server, &s.client} {
		for _, p := range t.procs {
			ours[p.pid] = true
		}
	}
	dir, err := os.Open(s.o.Proc)
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }() // only read
	names, _ := dir.Readdirnames(-1)
	slices.Sort(names)
	out := make(map[int][2]uint64, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || ours[pid] || len(out) >= neighbourMost {
			continue
		}
		b, err := s.files.read(s.o.Proc + "/" + name + "/stat")
		if err != nil {
			continue
		}
		if ticks, start, ok := parseStat(b); ok {
			out[pid] = [2]uint64{ticks, start}
		}
	}
	return out
}
