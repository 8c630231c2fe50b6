package loadgen

import (
	"bytes"
	"errors"
	"io"

	"benchtop/model"
	"benchtop/sources"
)

// maxMessage bounds one message of a binary stream: a result with its body.
const maxMessage = 64 << 20

// gobStream reads Go's binary stream as it comes: each message says how long it
// is, so a value is decoded once all of it is there, and nothing ever waits.
type gobStream struct {
	rest  []byte // of a message that isn't whole yet
	whole bytes.Buffer
	next  func(yield func(*Record)) error
}

func newGobStream() *gobStream {
	g := &gobStream{}
	g.next = readVegetaGob(&g.whole)
	return g
}

var (
	errGobSize  = errors.New("a message of vegeta's binary stream is longer than any result (the stream is damaged)")
	errGobValue = errors.New("vegeta's binary stream is damaged")
)

// feed takes the next bytes and yields the records that are whole.
func (g *gobStream) feed(block []byte, yield func(*Record)) (records int, err error) {
	g.rest = append(g.rest, block...)
	at := 0
	for {
		size, head := gobUint(g.rest[at:])
		if head < 0 || size > maxMessage {
			return records, errGobSize
		}
		if head == 0 || len(g.rest)-at < head+int(size) {
			break
		}
		message := g.rest[at : at+head+int(size)]
		at += len(message)
		g.whole.Write(message)
		if id, n := gobUint(message[head:]); n > 0 && id&1 == 1 {
			continue // a negative type id: a definition
		}
		if err := g.next(yield); err != nil {
			if errors.Is(err, io.EOF) {
				err = errGobValue
			}
			return records, err
		}
		records++
	}
	g.rest = append(g.rest[:0], g.rest[at:]...)
	return records, nil
}

// gobUint reads gob's unsigned integer: a byte below 128 is itself, else the
// complement of how many bytes follow. n is how many bytes it took: 0 if there
// are not enough, -1 if it is none.
func gobUint(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	k := 256 - int(b[0])
	if k > 8 {
		return 0, -1
	}
	if len(b) < 1+k {
		return 0, 0
	}
	for _, c := range b[1 : 1+k] {
		v = v<<8 | uint64(c)
	}
	return v, 1 + k
}

// Raw takes a block of a stream that has no lines; base is its offset. It
// returns false if the stream is none, and then reads nothing. Look at Err
// after it.
func (d *Decoder) Raw(block []byte, base int64, seen model.Instant, history bool, out *sources.Outlet) bool {
	if base == 0 && (d.o.Format == "" || d.o.Format == vegetaGob.Name) && isVegetaGob(block) {
		d.binary = newGobStream() // also of a file that was written anew
		d.choose(&vegetaGob, 1)
	}
	if d.binary == nil {
		return false
	}
	d.t.emitter = emitter{out: out, seen: seen, late: history}
	if d.err != nil {
		return true
	}
	n, err := d.binary.feed(block, d.yield)
	d.lines, d.matched = d.lines+n, d.matched+n
	out.Count(n, n, len(block), 0, 0)
	if err != nil {
		d.err = err
		out.Count(1, 0, 0, 0, 1)
	}
	return true
}
