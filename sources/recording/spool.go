package recording

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"benchtop/model"
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
}

func newSpool(d disk, size int64) *spool { return &spool{disk: d, size: size} }

// store writes b, and before it the account of what was lost.
func (s *spool) store(b *block) error {
	if b.lost.blocks > 0 {
		if err := s.put(kindLost, b.lost.first, b.lost.last, 0, b.lost.append(nil)); err != nil {
			return err
		}
	}
	if b.count == 0 {
		return nil
	}
	at := s.size
	if err := s.put(kindData, b.first, b.last, b.count, b.payload); err != nil {
		return err
	}
	s.index.add(at, b.first, b.last, b.count)
	s.blocks++
	return nil
}

// put writes one block in one piece.
func (s *spool) put(kind byte, first, last model.Instant, count uint32, raw []byte) error {
	h := blockHeader{kind: kind, raw: uint32(len(raw)), first: first, last: last, count: count}
	payload := raw
	if kind == kindData {
		packed, err := s.pack(raw)
		if err != nil {
			return err
		}
		if len(packed) < len(raw) {
			payload, h.codec = packed, codecFlate
		}
	}
	h.stored, h.payloadCRC = uint32(len(payload)), crc(payload)
	s.out = append(s.out[:0], make([]byte, blockHead)...)
	h.put(s.out)
	s.out = append(s.out, payload...)
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

func (s *spool) pack(raw []byte) ([]byte, error) {
	s.packed.Reset()
	if s.flate == nil {
		w, err := flate.NewWriter(&s.packed, flate.BestSpeed)
		if err != nil {
			return nil, fmt.Errorf("pack a block: %w", err)
		}
		s.flate = w
	} else {
		s.flate.Reset(&s.packed)
	}
	if _, err := s.flate.Write(raw); err != nil {
		return nil, fmt.Errorf("pack a block: %w", err)
	}
	if err := s.flate.Close(); err != nil {
		return nil, fmt.Errorf("pack a block: %w", err)
	}
	return s.packed.Bytes(), nil
}

// finish writes the index and the trailer, and syncs.
func (s *spool) finish() error {
	at := s.size
	if err := s.put(kindIndex, s.index.first, s.index.last, uint32(len(s.index.entries)), s.index.append(nil)); err != nil {
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
