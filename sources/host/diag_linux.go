package host

import (
	"encoding/binary"
	"errors"
	"syscall"
)

// The kernel's socket diagnostics (sock_diag(7)): the same rows as procfs'
// tables, of our own network namespace only, at a sixth of the cost: procfs
// walks the whole hash of connections for each of its two files.
const (
	netlinkSockDiag  = 4
	sockDiagByFamily = 20
	diagRequestSize  = 16 + 56 // header, request
	diagRowSize      = 72
)

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
	for _, family := range [...]byte{syscall.AF_INET, syscall.AF_INET6} {
		if err := t.dump(fd, family, port); err != nil {
			t.clear()
			return err
		}
	}
	t.known = true
	return nil
}

// dump asks for all TCP sockets of one family.
func (t *table) dump(fd int, family byte, port uint16) error {
	var req [diagRequestSize]byte
	binary.NativeEndian.PutUint32(req[0:], diagRequestSize)
	binary.NativeEndian.PutUint16(req[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(req[6:], syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	req[16], req[17] = family, syscall.IPPROTO_TCP
	binary.NativeEndian.PutUint32(req[20:], 0xffffffff) // every state
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
		case sockDiagByFamily:
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
		t.add(state, connOfRaw(row[24:24+4*words], int(remote)))
	case remote == port:
		t.from(state, connOfRaw(row[8:8+4*words], int(local)), uint64(binary.NativeEndian.Uint32(row[68:])))
	}
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
