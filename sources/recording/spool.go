package recording

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// disk is where a recording goes: a file, or what a test puts in its place.
type disk struct {
	write    func(p []byte) (int, error)
	truncate func(size int64) error
	sync     func() error
	close    func() error
}

// createDisk makes or opens path for writing by us alone, and locks it.
func createDisk(path string) (disk, error) {
	if fi, err := os.Stat(path); err == nil && fi.Mode()&fs.ModeDevice != 0 {
		return deviceDisk(path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		f, err = reuseEmpty(path)
	}
	if err != nil {
		return disk{}, err
	}
	if lockFile(f) == lockTaken {
		_ = f.Close() // nothing was written
		return disk{}, errors.New("another benchtop is recording there (give another name)")
	}
	if err := f.Chmod(0o600); err != nil {
		_ = f.Close() // nothing was written
		return disk{}, err
	}
	return disk{write: f.Write, truncate: f.Truncate, sync: f.Sync, close: f.Close}, nil
}

// reuseEmpty opens a file that exists, if nothing is in it.
func reuseEmpty(path string) (*os.File, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, errors.New("not a regular file (give a new name)")
	case fi.Size() > 0:
		return nil, errors.New("the file exists (remove it or give another name)")
	}
	return os.OpenFile(path, os.O_RDWR, 0o600)
}

// deviceDisk opens a character device (/dev/null, /dev/full): nothing to lock,
// cut or sync there.
func deviceDisk(path string) (disk, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return disk{}, err
	}
	nothing := func() error { return nil }
	return disk{write: f.Write, truncate: func(int64) error { return nil }, sync: nothing, close: f.Close}, nil
}

// plainErr strips the path and operation that a file error repeats.
func plainErr(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// spool turns blocks into bytes in the file. It belongs to the disk goroutine.
type spool struct {
	disk   disk
	size   int64 // bytes in the file, whole blocks only
	blocks uint64
	index  index
	out    []byte // header and payload of the block being written
	packed bytes.Buffer
	flate  *flate.Writer
	// lengths is room for the lengths in front of the columns.
	lengths [colCount][binary.MaxVarintLen64]byte
}

func newSpool(d disk, size int64) *spool { return &spool{disk: d, size: size} }

// store writes b, and before it the account of what was lost.
func (s *spool) store(b *block) error {
	if b.lost.blocks > 0 {
		h := blockHeader{kind: kindLost, first: b.lost.first, last: b.lost.last}
		if err := s.put(h, b.lost.append(nil)); err != nil {
			return err
		}
	}
	if b.count == 0 {
		return nil
	}
	at := s.size
	if len(b.thin) > 0 {
		if err := s.put(blockHeader{kind: kindThin, first: b.first, last: b.last, count: b.count}, b.thin); err != nil {
			return err
		}
		s.index.add(at, b.first, b.last, b.count)
		s.blocks++
		return nil
	}
	var parts [2 * colCount][]byte
	for i, col := range b.cols {
		parts[2*i] = binary.AppendUvarint(s.lengths[i][:0], uint64(len(col)))
		parts[2*i+1] = col
	}
	if err := s.put(blockHeader{kind: kindData, first: b.first, last: b.last, count: b.count}, parts[:]...); err != nil {
		return err
	}
	s.index.add(at, b.first, b.last, b.count)
	s.blocks++
	return nil
}

// put writes one block in one piece. parts are its payload; they are packed
// one by one, each with codes that fit it, if pack says so and it helps.
func (s *spool) put(h blockHeader, parts ...[]byte) error {
	s.out = append(s.out[:0], make([]byte, blockHead)...)
	for _, p := range parts {
		s.out = append(s.out, p...)
	}
	h.raw = uint32(len(s.out) - blockHead)
	if h.kind == kindData || h.kind == kindThin {
		if err := s.pack(parts); err != nil {
			return fmt.Errorf("pack a block: %w", err)
		}
		if s.packed.Len() < int(h.raw) {
			h.codec = codecFlate
			s.out = append(s.out[:blockHead], s.packed.Bytes()...)
		}
	}
	payload := s.out[blockHead:]
	h.stored, h.payloadCRC = uint32(len(payload)), crc(payload)
	h.put(s.out)
	return s.write(s.out)
}

// write appends p to the file whole or, if the disk is full, not at all.
func (s *spool) write(p []byte) error {
	if _, err := s.disk.write(p); err != nil {
		// Best effort: a file with half a block at its end opens just as well.
		_ = s.disk.truncate(s.size)
		return err
	}
	s.size += int64(len(p))
	return nil
}

// pack compresses parts into s.packed.
func (s *spool) pack(parts [][]byte) (err error) {
	s.packed.Reset()
	if s.flate == nil {
		if s.flate, err = flate.NewWriter(&s.packed, flate.BestSpeed); err != nil {
			return err
		}
	} else {
		s.flate.Reset(&s.packed)
	}
	for i, p := range parts {
		if _, err := s.flate.Write(p); err != nil {
			return err
		}
		if i%2 == 1 && i < len(parts)-1 {
			if err := s.flate.Flush(); err != nil {
				return err
			}
		}
	}
	return s.flate.Close()
}

// finish writes the index and the trailer, and syncs.
func (s *spool) finish() error {
	at := s.size
	h := blockHeader{kind: kindIndex, first: s.index.first, last: s.index.last, count: uint32(len(s.index.entries))}
	if err := s.put(h, s.index.append(nil)); err != nil {
		return err
	}
	t := append(make([]byte, 0, trailerSize), trailerMagic...)
	t = binary.LittleEndian.AppendUint64(t, uint64(at))
	t = binary.LittleEndian.AppendUint32(t, crc(t))
	if err := s.write(append(t, trailerEnd...)); err != nil {
		return err
	}
	return s.disk.sync()
}

// append encodes the payload of a lost block.
func (l *loss) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, l.blocks)
	return binary.AppendUvarint(dst, l.records)
}

// parseLoss decodes it; a payload that makes no sense still means a loss.
func parseLoss(p []byte, h blockHeader) loss {
	l := loss{first: h.first, last: h.last}
	var n int
	if l.blocks, n = binary.Uvarint(p); n > 0 {
		l.records, _ = binary.Uvarint(p[n:])
	}
	l.blocks = max(l.blocks, 1)
	return l
}
