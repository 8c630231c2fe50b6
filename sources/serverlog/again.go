package serverlog

import "hash/maphash"

// readMost bounds how many lines of a command are known again.
const readMost = 1 << 15

// readLines knows the newest lines of a command by their hashes, so that those
// it prints again are not counted twice. It keeps no text.
type readLines struct {
	seed maphash.Seed
	ring []uint64
	n    int
}

func newReadLines() *readLines { return &readLines{seed: maphash.MakeSeed()} }

func (r *readLines) hash(line []byte) uint64 { return maphash.Bytes(r.seed, line) }

func (r *readLines) add(line []byte) {
	h := r.hash(line)
	if len(r.ring) < readMost {
		r.ring = append(r.ring, h)
	} else {
		r.ring[r.n%readMost] = h
	}
	r.n++
}

// counts says how often each of the lines was read.
func (r *readLines) counts() map[uint64]int {
	m := make(map[uint64]int, len(r.ring))
	for _, h := range r.ring {
		m[h]++
	}
	return m
}
