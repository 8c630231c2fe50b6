package host

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"benchtop/model"
	"benchtop/sources"

	"github.com/prometheus/procfs"
)

// Sampler reads this machine. It keeps what rates are computed from, so the
// first Read gives few values. It is not safe for concurrent use.
type Sampler struct {
	o       Options
	fs      procfs.FS
	files   procFiles
	machine machine
	server  tree
	client  tree
	quotas  [2]quota // server, client
	sockets sockets
	ticks   uint64
	at      model.Instant
	asked   model.Instant // when Find was last asked
	port    int
	told    Parties      // whom News has told of
	pids    map[int]bool // of the server, that News has told
	foreign neighbours
	news    []model.Note // of the last Read
}

// NewSampler opens procfs.
func NewSampler(o Options) (*Sampler, error) {
	o.defaults()
	fs, err := procfs.NewFS(o.Proc)
	if err != nil {
		return nil, fmt.Errorf("host readings: %w (is procfs mounted at %s? use --host=off to go without)", err, o.Proc)
	}
	s := &Sampler{o: o, fs: fs, port: o.ServerPort}
	s.server.set(o.ServerPID)
	s.client.set(o.ClientPID)
	return s, nil
}

// Read fills r with what the machine says now. Fields that can't be read stay
// absent. It returns the fields whose process is not there (any more).
func (s *Sampler) Read(r *Reading) (gone []Field) {
	runtime.LockOSThread() // for the pacers
	defer runtime.UnlockOSThread()
	r.Clear()
	r.At = sources.Now()
	server, client := s.processes(r)
	near := "/net"
	if client {
		near = "/" + strconv.Itoa(s.client.root) + "/net"
	}
	s.machine.read(&s.files, s.fs, &s.o, near, r)
	serverPID := 0
	if server {
		serverPID = s.server.root
	} else {
		gone = append(gone, serverFields[:]...)
	}
	if !client {
		gone = append(gone, clientFields[:]...)
	}
	s.sockets.read(&s.files, s.o.Proc, near, serverPID, uint16(s.port), r, r.At)
	s.quota(r, server, client)
	s.self(r)
	s.others(r, server, client)
	if n, ok := s.foreign.look(s, r); ok {
		s.news = append(s.news, n)
	}
	return gone
}

// What is read of a party's processes: CPU, busiest thread, memory, open files.
var (
	serverFields = [...]Field{ServerCPU, ServerThread, ServerRSS, ServerFiles}
	clientFields = [...]Field{ClientCPU, ClientThread, ClientRSS, ClientFiles}
)

// party reads one tree and reports whether it is there.
func (s *Sampler) party(t *tree, fs *[4]Field, r *Reading) bool {
	cores, busiest, alive := t.read(&s.files, s.o.Proc, r.At)
	r.Set(fs[0], round(cores))
	r.Set(fs[1], round(busiest))
	if alive {
		r.Set(fs[2], round(t.resident()))
		r.Set(fs[3], t.files)
	}
	return alive
}

// processes reads the two trees and looks for their roots again if one is not
// there, and for the port if nobody is connected to it: a server that has one for
// its metrics serves at another. It reports which are.
func (s *Sampler) processes(r *Reading) (server, client bool) {
	server = s.party(&s.server, &serverFields, r)
	client = s.party(&s.client, &clientFields, r)
	missing := !server && s.o.Side != Client || !client && s.o.Side != Server || s.port == 0 || s.sockets.deserted
	if s.o.Find != nil && missing && (s.asked == 0 || r.At.Sub(s.asked) >= treeEvery) {
		s.asked = r.At
		p := s.o.Find()
		s.serveAt(p.Port)
		if !server {
			s.server.set(p.Server)
			server = s.party(&s.server, &serverFields, r)
		}
		if !client {
			s.client.set(p.Client)
			client = s.party(&s.client, &clientFields, r)
		}
	}
	return server, client
}

// serveAt changes the port whose connections are counted, if a better one is
// known. What was counted stays.
func (s *Sampler) serveAt(port int) {
	if port != 0 && port != s.port {
		s.port = port
		s.sockets = sockets{total: s.sockets.total}
	}
}

// News tells who the processes are, once for each that was found since the last
// time, as facts of the run.
func (s *Sampler) News() []model.Note {
	out := append(s.news, s.serverPIDs()...)
	s.news = nil
	now := Parties{Server: s.server.root, Client: s.client.root, Port: s.port}
	if now == s.told {
		return out
	}
	f := Finder{o: FinderOptions{Proc: s.o.Proc}}
	say := func(name string, pid, was int) {
		if pid == 0 || pid == was {
			return
		}
		text := fmt.Sprintf("%s, PID %d", cmp.Or(f.program(pid), "unnamed"), pid)
		if p := placement(&s.files, s.o.Proc, pid); p != "" {
			cpus, _ := allowed(&s.files, s.o.Proc+"/"+strconv.Itoa(pid)+"/status")
			if n := nodesOf(&s.files, s.o.Sys, cpus); n != "" {
				p += " (of node " + n + ")"
			}
			text += ", bound to " + p
		}
		out = append(out, model.Note{Name: name, Text: text})
	}
	say("server_process", now.Server, s.told.Server)
	say("client_process", now.Client, s.told.Client)
	if now.Port != s.told.Port {
		out = append(out, model.Note{Name: "server_port", Text: strconv.Itoa(now.Port)})
	}
	s.told = now
	return out
}

// maxPIDs bounds the processes of the server that are told.
const maxPIDs = 64

// serverPIDs tells the server's processes whenever there is a new one, so that
// those on a GPU can be told from others'.
func (s *Sampler) serverPIDs() []model.Note {
	if s.server.root != s.told.Server { // started anew
		s.pids = nil
	}
	grown := false
	for _, p := range s.server.procs {
		if !s.pids[p.pid] && len(s.pids) < maxPIDs {
			if s.pids == nil {
				s.pids = make(map[int]bool)
			}
			s.pids[p.pid], grown = true, true
		}
	}
	if !grown {
		return nil
	}
	var words []string
	for _, pid := range slices.Sorted(maps.Keys(s.pids)) {
		words = append(words, strconv.Itoa(pid))
	}
	return []model.Note{{Name: "server_pids", Text: strings.Join(words, " ")}}
}

// round cuts digits that a clock of 10 ms can't give. NaN stays.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func (s *Sampler) quota(r *Reading, server, client bool) {
	if server {
		if n, k, ok := s.quotas[0].read(&s.files, s.o.Proc, s.o.Sys, s.server.root); ok {
			r.Set(QuotaPeriods, n)
			r.Set(QuotaThrottled, k)
		}
	}
	if client {
		if n, k, ok := s.quotas[1].read(&s.files, s.o.Proc, s.o.Sys, s.client.root); ok {
			r.Set(ClientQuotaPeriods, n)
			r.Set(ClientQuotaThrottled, k)
		}
	}
}

// self sets what benchtop itself uses.
func (s *Sampler) self(r *Reading) {
	ticks, mib, ok := own(&s.files, s.o.Proc)
	if !ok {
		return
	}
	r.Set(SelfRSS, round(mib))
	if span := r.At.Sub(s.at).Seconds(); s.at != 0 && span > 0 && ticks >= s.ticks {
		r.Set(SelfCPU, round(float64(ticks-s.ticks)/ticksPerSecond/span))
	}
	s.ticks, s.at = ticks, r.At
}

// others sets the share of the machine that neither client nor server nor we
// use. It stays absent while one of them should be here and is not known: its
// work would be taken for a neighbour's.
func (s *Sampler) others(r *Reading, server, client bool) {
	if s.o.Side != Client && !server || s.o.Side != Server && !client {
		return
	}
	ours := r.Get(SelfCPU)
	if s.o.Side != Client {
		ours += r.Get(ServerCPU)
	}
	if s.o.Side != Server {
		ours += r.Get(ClientCPU)
	}
	if n := len(s.machine.cores); n > 0 {
		if v := (s.machine.busy - ours) / float64(n); !math.IsNaN(v) {
			r.Set(OtherCPU, round(max(0, v)))
		}
	}
}
