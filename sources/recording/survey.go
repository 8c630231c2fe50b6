package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"benchtop/model"
)

// survey gives the index of the file: the one at its end, or one made by
// walking from header to header. closed says whether the file has its end.
func (r *Reader) survey() (x index, closed bool, err error) {
	if x, ok := r.readIndex(); ok {
		return x, true, nil
	}
	w := Reader{path: r.path, at: r.at, off: r.begin}
	size, err := r.size()
	if err != nil {
		return index{}, false, fmt.Errorf("read %s: %w", r.path, plainErr(err))
	}
	for {
		h, err := w.head()
		if errors.Is(err, errMore) {
			return x, false, nil
		}
		if err != nil {
			return x, false, err
		}
		end := w.off + blockHead + int64(h.stored)
		switch {
		case end > size:
			return x, false, nil
		case h.kind == kindIndex:
			return x, true, nil
		case h.kind == kindData || h.kind == kindThin:
			x.add(w.off, h.first, h.last, h.count)
		}
		w.off = end
	}
}

// readIndex reads the index through the trailer at the end of the file.
func (r *Reader) readIndex() (x index, ok bool) {
	size, err := r.size()
	if err != nil || size < r.begin+blockHead+trailerSize {
		return x, false
	}
	var t [trailerSize]byte
	if n, _ := r.at.ReadAt(t[:], size-trailerSize); n < trailerSize {
		return x, false
	}
	le := binary.LittleEndian
	offset := int64(le.Uint64(t[8:]))
	if string(t[:8]) != trailerMagic || string(t[20:]) != trailerEnd || le.Uint32(t[16:]) != crc(t[:16]) {
		return x, false
	}
	if offset < r.begin || offset > size-trailerSize-blockHead {
		return x, false
	}
	var head [blockHead]byte
	if n, _ := r.at.ReadAt(head[:], offset); n < blockHead {
		return x, false
	}
	h, ok := parseBlockHeader(head[:])
	if !ok || h.kind != kindIndex || h.codec != codecNone {
		return x, false
	}
	p := make([]byte, h.stored)
	if _, err := io.ReadFull(io.NewSectionReader(r.at, offset+blockHead, int64(h.stored)), p); err != nil || crc(p) != h.payloadCRC {
		return x, false
	}
	return parseIndex(p, h, offset)
}

// SeekTo goes to a block boundary at or shortly before at, so that a stretch of
// a long recording can be read without what came before. Counters and requests
// in flight from before are not known there; to see the run as it was, replay
// it from the beginning.
func (r *Reader) SeekTo(at model.Instant) error {
	x, _, err := r.survey()
	if err != nil {
		return err
	}
	r.Rewind()
	if off, ok := x.before(at); ok {
		r.off = off
	}
	return nil
}

func sortedSources(m map[model.SourceID]struct{}) []model.SourceID {
	return slices.Sorted(maps.Keys(m))
}

// recorded finds out whether somebody is still writing the file.
func (r *Reader) recorded() lockState {
	if r.file == nil {
		return lockUnknown
	}
	return probeLock(r.file)
}
