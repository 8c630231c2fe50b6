package host

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"

	"benchtop/model"
)

// States of a socket in procfs' tables.
const (
	stEstablished = 0x01
	stSynSent     = 0x02
	stSynReceived = 0x03
	stFinWait1    = 0x04
	stFinWait2    = 0x05
	stCloseWait   = 0x08
	stLastAck     = 0x09
	stListen      = 0x0A
	stClosing     = 0x0B
	stNewSynRecv  = 0x0C
)

// conn names a connection by its client's end, alike in the client's and in
// the server's table.
type conn uint64

// table is what one network namespace says about the server's port.
type table struct {
	established map[conn]bool
	connecting  map[conn]bool
	opened      map[conn]bool    // past the handshake: in use, closing, or kept in TIME_WAIT
	closing     map[conn]bool    // said goodbye by one end, not yet by both
	idle        [2]map[conn]bool // the client has its answer and has sent nothing since, as the client's and as the server's end have it
	informed    [2]bool          // whether an end's times of sending and receiving were told
	listening   bool
	queue       float64 // connections not yet accepted
	known       bool
	inodes      map[uint64]bool // of all listening sockets: tells namespaces apart
	buf         []byte
	own         map[uint64]bool // sockets of this very process, by inode
	polls       []conn          // connections that are ours: we watch, we are no client
}

func (t *table) clear() {
	if t.established == nil {
		t.established, t.connecting = make(map[conn]bool), make(map[conn]bool)
		t.opened, t.inodes = make(map[conn]bool), make(map[uint64]bool)
		t.closing, t.idle = make(map[conn]bool), [2]map[conn]bool{make(map[conn]bool), make(map[conn]bool)}
	}
	clear(t.established)
	clear(t.connecting)
	clear(t.opened)
	clear(t.closing)
	clear(t.idle[0])
	clear(t.idle[1])
	clear(t.inodes)
	t.informed = [2]bool{}
	t.listening, t.queue, t.known, t.polls = false, 0, false, t.polls[:0]
}

// read fills the table from the tcp and tcp6 files of a net folder.
func (t *table) read(f *procFiles, dir string, port uint16) {
	t.clear()
	for _, name := range [...]string{"/tcp", "/tcp6"} {
		b, err := f.read(dir + name)
		if err != nil {
			if os.IsNotExist(err) && name == "/tcp6" { // a kernel without IPv6
				continue
			}
			t.clear()
			return
		}
		_, b = line(b) // the heading
		for len(b) > 0 {
			var l []byte
			l, b = line(b)
			t.row(l, port)
		}
	}
	t.known = true
}

// row books one line: `sl local:port remote:port state tx:rx … inode`.
func (t *table) row(l []byte, port uint16) {
	_, l = word(l)
	local, l := word(l)
	remote, l := word(l)
	state, l := word(l)
	queues, l := word(l)
	st, ok := hex(state)
	localPort, remotePort := portOf(local), portOf(remote)
	switch {
	case !ok || localPort < 0 || remotePort < 0:
	case st == stListen:
		if ino, ok := decimal(inodeOf(l)); ok && ino != 0 {
			t.inodes[ino] = true
		}
		if localPort == int(port) {
			t.listening = true
			if i := bytes.IndexByte(queues, ':'); i >= 0 {
				n, _ := hex(queues[i+1:])
				t.queue += float64(n)
			}
		}
	case localPort == int(port):
		t.add(st, connOf(remote, remotePort))
	case remotePort == int(port):
		ino, _ := decimal(inodeOf(l))
		t.from(st, connOf(local, localPort), ino)
	}
}

// from books a row that is a client's end.
func (t *table) from(st uint64, c conn, inode uint64) {
	if inode != 0 && t.own[inode] {
		t.polls = append(t.polls, c)
		return
	}
	t.add(st, c)
}

// forget takes connections out of the table, at whichever end they were told.
func (t *table) forget(list []conn) {
	for _, c := range list {
		delete(t.established, c)
		delete(t.connecting, c)
		delete(t.opened, c)
		delete(t.closing, c)
		delete(t.idle[0], c)
		delete(t.idle[1], c)
	}
}

// ownSockets finds the sockets of this process.
func ownSockets(proc string, into map[uint64]bool) map[uint64]bool {
	if into == nil {
		into = make(map[uint64]bool)
	}
	clear(into)
	dir := proc + "/self/fd"
	for _, fd := range names(dir, -1) {
		to, err := os.Readlink(dir + "/" + fd)
		if text, ok := strings.CutPrefix(to, "socket:["); ok && err == nil {
			if v, ok := decimal([]byte(strings.TrimSuffix(text, "]"))); ok {
				into[v] = true
			}
		}
	}
	return into
}

func (t *table) add(st uint64, c conn) {
	switch st {
	case stSynSent, stSynReceived, stNewSynRecv:
		t.connecting[c] = true
		return
	case stEstablished:
		t.established[c] = true
	case stFinWait1, stFinWait2, stCloseWait, stLastAck, stClosing:
		t.closing[c] = true
	}
	t.opened[c] = true
}

// idling is how many connections wait for the client to send, by the end that
// could be asked; NaN if neither could, or there is no connection.
func (t *table) idling() float64 {
	for end, known := range t.informed {
		if known {
			return float64(len(t.idle[end]))
		}
	}
	return math.NaN()
}

// inodeOf is the tenth field of a line, of which five are gone.
func inodeOf(l []byte) (w []byte) {
	for range 5 {
		w, l = word(l)
	}
	return w
}

// portOf is the port of `address:port`, -1 if there is none.
func portOf(b []byte) int {
	i := bytes.LastIndexByte(b, ':')
	if i < 0 {
		return -1
	}
	v, ok := hex(b[i+1:])
	if !ok || v > 0xffff {
		return -1
	}
	return int(v)
}

// mapped begins an IPv4 address in a table of IPv6, in either byte order.
var mapped = [...][]byte{[]byte("0000000000000000FFFF0000"), []byte("00000000000000000000FFFF")}

// connOf hashes `address:port` (FNV-1a); an IPv4 address in the table of IPv6
// is the same as in its own.
func connOf(b []byte, port int) conn {
	if i := bytes.LastIndexByte(b, ':'); i >= 0 {
		b = b[:i]
	}
	for _, m := range mapped {
		if len(b) == 32 && bytes.HasPrefix(b, m) {
			b = b[len(m):]
			break
		}
	}
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h = (h ^ uint64(port&0xff)) * 1099511628211
	return conn((h ^ uint64(port>>8)) * 1099511628211)
}

// sockets watches the connections to the server's port.
type sockets struct {
	near, far table // the client's namespace, the server's if it is another
	seen      map[conn]bool
	spare     map[conn]bool
	total     float64
	client    bool // connections to the port have been seen at the client's end
	farPID    int  // whose namespace was compared
	apart     bool // the server's namespace is another
	pace      pacer
	nearDir   string // whose namespace was compared with ours
	ours      bool   // the near namespace is our own, so that the kernel can be asked
	deserted  bool   // nobody was connected to the port, nor about to be
}

// read sets the socket fields of r, or none of them if the tables can't be read
// now.
func (s *sockets) read(f *procFiles, proc, near string, serverPID int, port uint16, r *Reading, now model.Instant) {
	if port == 0 || !s.pace.due(now) {
		return
	}
	if s.nearDir != near {
		s.nearDir, s.ours = near, proc == "/proc" && !apart("/proc/self/net", proc+near)
	}
	s.near.own = ownSockets(proc, s.near.own)
	if !s.ours || s.near.ask(port) != nil {
		s.ours = false
		s.near.read(f, proc+near, port)
	}
	s.far.clear()
	if serverPID != 0 {
		dir := proc + "/" + strconv.Itoa(serverPID)
		if s.farPID != serverPID {
			s.apart = s.differs(f, proc+near, dir+"/net", port)
			s.farPID = serverPID
		}
		if s.apart {
			s.far.read(f, dir+"/net", port)
		}
	}
	s.near.forget(s.near.polls)
	s.far.forget(s.near.polls)
	s.pace.done(now)
	t := s.view()
	if t == nil {
		return
	}
	s.deserted = len(t.established)+len(t.connecting)+len(t.closing) == 0
	r.Set(Established, float64(len(t.established)))
	r.Set(Connecting, float64(len(t.connecting)))
	r.Set(Closing, float64(len(t.closing)))
	r.Set(Idle, t.idling())
	switch {
	case s.far.listening:
		r.Set(AcceptQueue, s.far.queue)
	case s.near.listening:
		r.Set(AcceptQueue, s.near.queue)
	}
	r.Set(ConnsOpened, s.count(t))
}

// view is the table that tells the connections as the client has them: its own
// unless it is not here. A proxy between the two namespaces makes connections
// of its own to the server's port, which the server's table has as well: those
// are left out, unless all are such.
func (s *sockets) view() *table {
	if !s.near.known && !s.far.known {
		return nil
	}
	if !s.far.known {
		return &s.near
	}
	if len(s.near.opened)+len(s.near.connecting) > 0 {
		s.client = true
	}
	if !s.client {
		return &s.far
	}
	direct := true
	for c := range s.near.opened {
		if !s.far.opened[c] {
			direct = false
			break
		}
	}
	if direct {
		return &s.near
	}
	for c := range s.far.opened {
		delete(s.near.opened, c)
		delete(s.near.established, c)
		delete(s.near.closing, c)
		delete(s.near.idle[0], c)
	}
	return &s.near
}

// count counts connections opened since the first poll.
func (s *sockets) count(t *table) float64 {
	first := s.seen == nil
	if !first {
		for c := range t.opened {
			if !s.seen[c] {
				s.total++
			}
		}
	}
	if s.spare == nil {
		s.spare = make(map[conn]bool)
	}
	clear(s.spare)
	for c := range t.opened {
		s.spare[c] = true
	}
	s.seen, s.spare = s.spare, s.seen
	return s.total
}

// differs finds out whether two net folders are of different namespaces. Where
// the links may not be read (another user's process), a listening socket that
// both tables have tells that they are one.
func (s *sockets) differs(f *procFiles, near, far string, port uint16) bool {
	a, errA := os.Readlink(near + "/../ns/net")
	b, errB := os.Readlink(far + "/../ns/net")
	if errA == nil && errB == nil {
		return a != b
	}
	if strings.HasPrefix(near, "/proc/") { // not a folder that was written down
		return apart(near, far)
	}
	s.far.read(f, far, port)
	defer s.far.clear()
	for ino := range s.far.inodes {
		if s.near.inodes[ino] {
			return false
		}
	}
	return len(s.far.inodes) > 0
}
