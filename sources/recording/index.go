package recording

import (
	"encoding/binary"

	"benchtop/model"
)

// indexCap bounds an index; past it every other entry goes, so that its reach
// doubles. Nobody needs a block exactly, only a place shortly before it.
const indexCap = 1 << 14

// indexEntry is where a block lies and when it begins.
type indexEntry struct {
	offset int64
	first  model.Instant
}

// index lists the data blocks of a file.
type index struct {
	entries     []indexEntry
	stride      int // one entry stands for so many blocks
	skip        int
	first, last model.Instant
	records     uint64
}

func (x *index) add(offset int64, first, last model.Instant, records uint32) {
	if x.stride == 0 {
		x.stride, x.first, x.last = 1, first, last
	}
	x.first, x.last = min(x.first, first), max(x.last, last)
	x.records += uint64(records)
	if x.skip > 0 {
		x.skip--
		return
	}
	if len(x.entries) == indexCap {
		for i := range indexCap / 2 {
			x.entries[i] = x.entries[2*i]
		}
		x.entries = x.entries[:indexCap/2]
		x.stride *= 2
	}
	x.entries = append(x.entries, indexEntry{offset, first})
	x.skip = x.stride - 1
}

// append encodes the payload of an index block.
func (x *index) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, x.records)
	var before indexEntry
	for _, e := range x.entries {
		dst = binary.AppendUvarint(dst, uint64(e.offset-before.offset))
		dst = binary.AppendUvarint(dst, zigzag(int64(e.first-before.first)))
		before = e
	}
	return dst
}

// parseIndex decodes the payload of an index block that starts at end. ok is
// false if it makes no sense; the file is then read without it.
func parseIndex(p []byte, h blockHeader, end int64) (x index, ok bool) {
	x.first, x.last = h.first, h.last
	var n int
	if x.records, n = binary.Uvarint(p); n <= 0 {
		return x, false
	}
	p = p[n:]
	var e indexEntry
	for len(p) > 0 && len(x.entries) < indexCap {
		d, n := binary.Uvarint(p)
		if n <= 0 {
			return x, false
		}
		p = p[n:]
		t, n := binary.Uvarint(p)
		if n <= 0 {
			return x, false
		}
		p = p[n:]
		e.offset += int64(d)
		e.first += model.Instant(unzigzag(t))
		if e.offset < headFixed || e.offset >= end {
			return x, false
		}
		x.entries = append(x.entries, e)
	}
	return x, true
}

// before is the offset of the last listed block that begins no later than at.
func (x *index) before(at model.Instant) (int64, bool) {
	var found int64
	for _, e := range x.entries {
		if e.first > at {
			break
		}
		found = e.offset
	}
	return found, found > 0
}
