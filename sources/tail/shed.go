package tail

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// A program that prints faster than its lines can be taken must not wait for
// us: before its pipe is full, what stands in it is thrown away and counted.

// shedBlock is how much is read at once of a pipe that sheds: little enough that
// it doesn't fill up while one block is taken.
const shedBlock = 64 << 10

// shedAt and shedTo are the parts of a pipe's room, in quarters, at which it is
// emptied and to which.
const (
	shedAt = 3
	shedTo = 1
)

// shed empties a pipe that is about to fill up, tells what was lost, and goes on
// with the first whole line of what was read last: a report at the end of a
// torrent is not lost. p's carried piece is.
func (r *reader) shed(p *pipe, m mark) error {
	if p.room == 0 || pending(p.fd)*4 < p.room*shedAt {
		return nil
	}
	lines, size := 0, p.split.length()
	p.split.reset()
	p.split.crlf = false
	for {
		n, err := unix.Read(p.fd, r.buf)
		if err != nil || n == 0 {
			r.lost(p, lines, size)
			return err // an end is seen again by who reads next
		}
		block, from := r.buf[:n], p.pos
		p.pos += int64(n)
		if i := bytes.IndexByte(block, '\n'); i >= 0 && pending(p.fd)*4 < p.room*shedTo {
			r.lost(p, lines+1, size+int64(i+1))
			r.t.feed(&p.split, block[i+1:], from+int64(i+1), m)
			return nil
		}
		lines += bytes.Count(block, []byte{'\n'})
		size += int64(n)
	}
}

func (r *reader) lost(p *pipe, lines int, size int64) {
	r.t.stats.Bytes += size
	if r.t.h.Lost != nil {
		r.t.h.Lost(p.id, lines, size)
	}
}
