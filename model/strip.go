package model

import (
	"math"
	"math/bits"
	"time"
)

// Strip is one resolution of a track: buckets of one width on absolute
// boundaries. The newest chunks lie open, the rest are packed: most of what a
// long run is made of stands still, or moves little, and nobody writes to it
// again.
type Strip struct {
	Step  time.Duration
	First int64               // bucket number (Instant ÷ Step) of the first chunk's first bucket; a multiple of ChunkLen
	Old   []*Packed           // nil is all gaps
	New   []*[ChunkLen]Bucket // those that follow; nil is all gaps
}

// Len is how many chunks it has.
func (s *Strip) Len() int { return len(s.Old) + len(s.New) }

// End is the number of the first bucket past the strip.
func (s *Strip) End() int64 { return s.First + int64(s.Len())*ChunkLen }

// Cursor reads a strip bucket by bucket; it unpacks a chunk once.
func (s *Strip) Cursor() Cursor { return Cursor{strip: s, packed: -1} }

// At is the bucket with the given number; a gap outside the strip's reach.
func (s *Strip) At(n int64) Bucket {
	c := s.Cursor()
	if b := c.At(n); b != nil {
		return *b
	}
	return Bucket{}
}

// Cursor is a place in a strip.
type Cursor struct {
	strip  *Strip
	packed int // which chunk buf holds, -1 if none
	buf    [ChunkLen]Bucket
}

// At is the bucket with the given number, or nil if nothing is there. It is
// valid until the next call.
func (c *Cursor) At(n int64) *Bucket {
	s := c.strip
	i := n - s.First
	if i < 0 {
		return nil
	}
	k := int(i / ChunkLen)
	if k >= len(s.Old) {
		k -= len(s.Old)
		if k >= len(s.New) || s.New[k] == nil {
			return nil
		}
		return &s.New[k][i%ChunkLen]
	}
	p := s.Old[k]
	if p == nil || p.there>>(i%ChunkLen)&1 == 0 {
		return nil
	}
	if c.packed != k {
		p.Unpack(&c.buf)
		c.packed = k
	}
	return &c.buf[i%ChunkLen]
}

// The columns of a packed chunk.
const (
	colMin = iota
	colMax
	colSum
	colN
	numCols
)

// Packed is a chunk of buckets, bit for bit, in less room. Only the buckets
// that hold something are kept, column by column: the least bit pattern once,
// and how far each is above it in as many bits as the furthest needs. A column
// that stands still takes nothing, one of small whole numbers a few bits.
type Packed struct {
	there uint32         // bit i: bucket i holds something
	one   bool           // of a bucket that holds one value, least, greatest and sum are that value: only one column is kept
	width [numCols]uint8 // bits of a value
	shift [numCols]uint8 // zero bits that all of them end in
	base  [numCols]uint32
	data  string
}

// Pack packs a chunk; nil if it is all gaps. A bucket without a value is a gap,
// whatever else it says.
func Pack(c *[ChunkLen]Bucket) *Packed {
	if c == nil {
		return nil
	}
	p := &Packed{one: true}
	var cols [numCols][ChunkLen]uint32
	n := 0
	for i := range c {
		b := &c[i]
		if b.N == 0 {
			continue
		}
		p.there |= 1 << i
		lo, hi, sum := math.Float32bits(b.Min), math.Float32bits(b.Max), math.Float32bits(b.Sum)
		p.one = p.one && lo == hi && lo == sum
		cols[colMin][n], cols[colMax][n], cols[colSum][n], cols[colN][n] = lo, hi, sum, b.N
		n++
	}
	if n == 0 {
		return nil
	}
	var room [numCols * ChunkLen * 4]byte
	data := room[:0]
	for k := range cols {
		if p.one && (k == colMax || k == colSum) {
			continue
		}
		data = p.column(k, cols[k][:n], data)
	}
	p.data = string(data)
	return p
}

// column appends one column's bits to data.
func (p *Packed) column(k int, v []uint32, data []byte) []byte {
	base := v[0]
	for _, x := range v {
		base = min(base, x)
	}
	var used uint32
	for _, x := range v {
		used |= x - base
	}
	p.base[k] = base
	if used == 0 {
		return data
	}
	shift := bits.TrailingZeros32(used)
	width := bits.Len32(used >> shift)
	p.shift[k], p.width[k] = uint8(shift), uint8(width)
	var acc uint64
	have := 0
	for _, x := range v {
		acc |= uint64((x-base)>>shift) << have
		for have += width; have >= 8; have -= 8 {
			data = append(data, byte(acc))
			acc >>= 8
		}
	}
	if have > 0 {
		data = append(data, byte(acc))
	}
	return data
}

// Unpack writes the chunk's buckets to dst.
func (p *Packed) Unpack(dst *[ChunkLen]Bucket) {
	var cols [numCols][ChunkLen]uint32
	n := bits.OnesCount32(p.there)
	at := 0
	for k := range cols {
		if p.one && (k == colMax || k == colSum) {
			cols[k] = cols[colMin]
			continue
		}
		at = p.read(k, cols[k][:n], at)
	}
	clear(dst[:])
	for k, there := 0, p.there; there != 0; k, there = k+1, there&(there-1) {
		dst[bits.TrailingZeros32(there)] = Bucket{
			Min: math.Float32frombits(cols[colMin][k]), Max: math.Float32frombits(cols[colMax][k]),
			Sum: math.Float32frombits(cols[colSum][k]), N: cols[colN][k],
		}
	}
}

// read fills v with one column from byte at on, and says where the next begins.
func (p *Packed) read(k int, v []uint32, at int) int {
	base, width, shift := p.base[k], int(p.width[k]), p.shift[k]
	if width == 0 {
		for i := range v {
			v[i] = base
		}
		return at
	}
	var acc uint64
	have, mask := 0, uint64(1)<<width-1
	for i := range v {
		for have < width {
			acc |= uint64(p.data[at]) << have
			at++
			have += 8
		}
		v[i] = base + uint32(acc&mask)<<shift
		acc >>= width
		have -= width
	}
	return at
}

// Size is how many bytes it takes.
func (p *Packed) Size() int { return packedSize + len(p.data) }

// packedSize is what a packed chunk takes beside its data.
const packedSize = 48
