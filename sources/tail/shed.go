package tail

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// A program that prints faster than its lines can be taken must not wait for
// us: before its pipe is full, what stands in it is moved into memory and taken
// from there. Only when that holds too much is it thrown away, and counted.

const (
	takeBlock = 64 << 10 // taken at once of a pipe that is watched: little enough that it doesn't fill up meanwhile
	backlog   = 64 << 20 // held of each output, if Options don't say otherwise
)

// stored is what was moved out of a pipe.
type stored struct {
	b    []byte
	at   int  // taken so far
	skip bool // what follows begins within a line whose beginning was thrown away
}

func (s *stored) left() int { return len(s.b) - s.at }

// next is the next block of what is stored.
func (s *stored) next() []byte {
	block := s.b[s.at:min(s.at+takeBlock, len(s.b))]
	if s.at += len(block); s.at == len(s.b) {
		s.b, s.at = s.b[:0], 0
	}
	return block
}

// relieve moves what stands in a pipe into memory if it is half full, or if
// there is more to be taken before it. It doesn't follow a writer for ever.
func (r *reader) relieve(p *pipe) {
	for moved := 0; moved < 4*p.room; { // no room known, no round
		n := pending(p.fd)
		if n == 0 || p.store.left() == 0 && n*2 < p.room {
			return
		}
		if p.store.left()+n > r.t.backlog() {
			if p.raw {
				return // it has no lines to begin with again
			}
			r.shed(p)
		}
		n, err := unix.Read(p.fd, r.buf)
		if err != nil || n <= 0 {
			return // who reads next meets it again
		}
		p.store.b = append(p.store.b, r.buf[:n]...)
		moved += n
	}
}

// shed throws away what is stored of a pipe, and the beginning of the line that
// it ended in.
func (r *reader) shed(p *pipe) {
	rest := p.store.b[p.store.at:]
	size := p.split.length() + int64(len(rest))
	p.split.reset()
	p.split.crlf = false
	p.pos += int64(len(rest))
	p.store = stored{b: p.store.b[:0], skip: true}
	r.lost(p, bytes.Count(rest, []byte{'\n'}), size)
}

// resume is what of a block is left when the rest of a line that was thrown away
// is taken off.
func (r *reader) resume(p *pipe, block []byte) []byte {
	if !p.store.skip {
		return block
	}
	i := bytes.IndexByte(block, '\n')
	if i < 0 {
		p.pos += int64(len(block))
		r.lost(p, 0, int64(len(block)))
		return nil
	}
	p.store.skip = false
	p.pos += int64(i + 1)
	r.lost(p, 1, int64(i+1))
	return block[i+1:]
}

func (r *reader) lost(p *pipe, lines int, size int64) {
	r.t.stats.Bytes += size
	if r.t.h.Lost != nil {
		r.t.h.Lost(p.id, lines, size)
	}
}

func (t *tailer) backlog() int {
	if t.o.Backlog > 0 {
		return t.o.Backlog
	}
	return backlog
}
