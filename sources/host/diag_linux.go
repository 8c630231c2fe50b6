package host

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// The kernel's socket diagnostics (sock_diag(7)): the same rows as procfs'
// tables, of our own network namespace only, at a sixth of the cost: procfs
// walks the whole hash of connections for each of its two files. The kernel
// leaves out what is not at the port, and tells of the rest when something was
// last sent and received.
const (
	netlinkSockDiag = 4
	tcpDiagGetSock  = 18                           // the older request: one walk for both families, half the cost of two
	diagRequestSize = 16 + 60 + 4 + diagFilterSize // header, request, attribute with the filter
	diagRowSize     = 72

	diagFilter     = 1 // attribute of a request
	diagFilterSize = 36
	diagInfo       = 2  // attribute of an answer: struct tcp_info
	lastSent       = 44 // offsets in it, in ms ago
	lastReceived   = 52
)

// idleAfter is how long a connection must have been silent after an answer to
// count as waiting for the client: what is streamed pauses for less.
const idleAfter = 250 // ms

// Operations of the kernel's filter: source port at least and at most, the same
// of the destination's, jump.
const (
	opJump = iota + 1
	opSourceGE
	opSourceLE
	opDestGE
	opDestLE
)

// portFilter is the kernel's program for "one end is at the port": operations
// of 4 bytes (code, where to go on if true, where if not), a port being the
// operand of its own. One that ends behind the program takes the row, one that
// ends 4 bytes further drops it.
func portFilter(b []byte, port uint16) {
	at := 0
	op := func(code, yes byte, no uint16) {
		b[at], b[at+1] = code, yes
		binary.NativeEndian.PutUint16(b[at+2:], no)
		at += 4
	}
	op(opSourceGE, 8, 20)
	op(0, 0, port)
	op(opSourceLE, 8, 12)
	op(0, 0, port)
	op(opJump, 4, 20)
	op(opDestGE, 8, 20)
	op(0, 0, port)
	op(opDestLE, 8, 12)
	op(0, 0, port)
}

// errDiag says that the kernel does not answer; procfs does.
var errDiag = errors.New("no socket diagnostics")

// ask fills the table from the kernel's socket diagnostics.
func (t *table) ask(port uint16) error {
	t.clear()
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, netlinkSockDiag)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }() // read only: nothing can be lost
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: 1}); err != nil {
		return err
	}
	if err := t.dump(fd, port); err != nil {
		t.clear()
		return err
	}
	t.known = true
	return nil
}

// dump asks for all TCP sockets at the port.
func (t *table) dump(fd int, port uint16) error {
	var req [diagRequestSize]byte
	binary.NativeEndian.PutUint32(req[0:], diagRequestSize)
	binary.NativeEndian.PutUint16(req[4:], tcpDiagGetSock)
	binary.NativeEndian.PutUint16(req[6:], syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	req[19] = 1 << (diagInfo - 1)
	binary.NativeEndian.PutUint32(req[68:], 0xffffffff) // every state
	binary.NativeEndian.PutUint16(req[76:], 4+diagFilterSize)
	binary.NativeEndian.PutUint16(req[78:], diagFilter)
	portFilter(req[80:], port)
	if err := syscall.Sendto(fd, req[:], 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return err
	}
	if t.buf == nil {
		t.buf = make([]byte, 32<<10)
	}
	for {
		n, _, err := syscall.Recvfrom(fd, t.buf, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		done, err := t.messages(t.buf[:n], port)
		if done || err != nil {
			return err
		}
	}
}

// messages books the rows of one answer; done is true behind the last.
func (t *table) messages(b []byte, port uint16) (done bool, err error) {
	for len(b) >= syscall.NLMSG_HDRLEN {
		size := int(binary.NativeEndian.Uint32(b))
		if size < syscall.NLMSG_HDRLEN || size > len(b) {
			return true, errDiag
		}
		switch binary.NativeEndian.Uint16(b[4:]) {
		case syscall.NLMSG_DONE:
			return true, nil
		case syscall.NLMSG_ERROR:
			return true, errDiag
		case tcpDiagGetSock:
			if row := b[syscall.NLMSG_HDRLEN:size]; len(row) >= diagRowSize {
				t.told(row, port)
			}
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return false, nil
}

// told books one row.
func (t *table) told(row []byte, port uint16) {
	words := 1
	if row[0] == syscall.AF_INET6 {
		words = 4
	}
	state := uint64(row[1])
	local, remote := binary.BigEndian.Uint16(row[4:]), binary.BigEndian.Uint16(row[6:])
	switch {
	case state == stListen:
		if local == port {
			t.listening = true
			t.queue += float64(binary.NativeEndian.Uint32(row[56:]))
		}
	case local == port:
		c := connOfRaw(row[24:24+4*words], int(remote))
		t.add(state, c)
		t.times(1, state, c, row)
	case remote == port:
		c := connOfRaw(row[8:8+4*words], int(local))
		t.from(state, c, uint64(binary.NativeEndian.Uint32(row[68:])))
		t.times(0, state, c, row)
	}
}

// times books whether a connection waits for its client: at the client's end
// (0) the last thing was an answer that came, at the server's (1) one that left.
func (t *table) times(end int, state uint64, c conn, row []byte) {
	info := attribute(row[diagRowSize:], diagInfo)
	if state != stEstablished || len(info) < lastReceived+4 {
		return
	}
	t.informed[end] = true
	question, answer := binary.NativeEndian.Uint32(info[lastSent:]), binary.NativeEndian.Uint32(info[lastReceived:])
	if end == 1 {
		question, answer = answer, question
	}
	if answer < question && answer >= idleAfter {
		t.idle[end][c] = true
	}
}

// attribute finds one of a row's attributes, nil if it has none such.
func attribute(b []byte, kind uint16) []byte {
	for len(b) >= 4 {
		size := int(binary.NativeEndian.Uint16(b))
		if size < 4 || size > len(b) {
			return nil
		}
		if binary.NativeEndian.Uint16(b[2:]) == kind {
			return b[4:size]
		}
		b = b[min(len(b), (size+3)&^3):]
	}
	return nil
}

// connOfRaw is connOf for an address as the kernel has it: procfs prints it as
// words of 32 bits.
func connOfRaw(address []byte, port int) conn {
	const digits = "0123456789ABCDEF"
	var text [32]byte
	for i := 0; i < len(address); i += 4 {
		w := binary.NativeEndian.Uint32(address[i:])
		for j := range 8 {
			text[2*i+j] = digits[w>>(28-4*j)&15]
		}
	}
	return connOf(text[:2*len(address)], port)
}
