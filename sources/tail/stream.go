package tail

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// printSize is how much of a file's beginning tells it from its successor;
// tailSize how much before our position tells a copy of it.
const (
	printSize = 256
	tailSize  = 64
)

// stream is one open file and how far it was read. All reading names an
// offset, so the file's own position is free for asking for its size.
type stream struct {
	f       *os.File
	id      fs.FileInfo
	pos     int64     // next byte to read
	size    int64     // at the last look
	written time.Time // when it was changed last, by a look long enough after that; else zero
	history int64     // what ends at or before this was there when we came
	split   splitter
	quiet   time.Time // since when a file that was rotated away says nothing more

	print    [printSize]byte // the file's first bytes
	printLen int
	tail     [tailSize]byte // the bytes before tailAt
	tailLen  int
	tailAt   int64
	look     [printSize]byte // scratch
}

func newStream(f *os.File) (*stream, error) {
	id, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &stream{f: f, id: id, size: id.Size()}, nil
}

// settled is how old a change must be for a later one to bear another time,
// whatever the file system's clock counts in.
const settled = 100 * time.Millisecond

// still tells whether fi, a look at this very file, says that all of it was
// read and that nothing was written since the look before.
func (s *stream) still(fi fs.FileInfo) bool {
	at := fi.ModTime()
	same := !s.written.IsZero() && at.Equal(s.written) && fi.Size() == s.pos && s.size == s.pos
	s.written = time.Time{}
	if time.Since(at) > settled {
		s.written = at
	}
	return same
}

func (s *stream) close() { _ = s.f.Close() } // read only: nothing can be lost

// intact looks whether the file still holds what was read of it, n bytes at
// pos included. Called after a read and before its bytes are believed.
func (s *stream) intact(n int) bool {
	size, err := s.f.Seek(0, io.SeekEnd)
	if err != nil {
		return true // can't tell: reading will say
	}
	s.size = size
	if size < s.pos+int64(n) {
		return false
	}
	k, err := s.f.ReadAt(s.look[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return true
	}
	if k < s.printLen || !bytes.Equal(s.look[:s.printLen], s.print[:s.printLen]) {
		return false
	}
	if k > s.printLen {
		copy(s.print[:], s.look[:k])
		s.printLen = k
	}
	return true
}

// remember keeps the end of what was read, of which block is the last and ends
// at pos.
func (s *stream) remember(block []byte) {
	n := len(block)
	if n > tailSize {
		block = block[n-tailSize:]
	}
	keep := 0
	if s.tailAt+int64(n) == s.pos {
		keep = min(s.tailLen, tailSize-len(block))
		copy(s.tail[:keep], s.tail[s.tailLen-keep:s.tailLen])
	}
	s.tailLen, s.tailAt = keep+copy(s.tail[keep:], block), s.pos
}

// recall is remember for bytes that were passed over.
func (s *stream) recall() {
	n := min(int64(tailSize), s.pos)
	if k, err := s.f.ReadAt(s.look[:n], s.pos-n); err == nil {
		s.remember(s.look[:k])
	}
}

// restart forgets what was known of the file's contents.
func (s *stream) restart() {
	s.pos, s.history, s.printLen, s.tailLen, s.tailAt = 0, 0, 0, 0, 0
	s.split.reset()
}

// isCopy tells whether f begins as s did and holds what s had last read.
func (s *stream) isCopy(f *os.File) bool {
	var b [printSize]byte
	if s.printLen < printSize || s.tailLen == 0 && s.pos > 0 {
		return false
	}
	if _, err := f.ReadAt(b[:], 0); err != nil || b != s.print {
		return false
	}
	if s.tailLen == 0 {
		return true // nothing was read yet
	}
	_, err := f.ReadAt(b[:s.tailLen], s.tailAt-int64(s.tailLen))
	return err == nil && bytes.Equal(b[:s.tailLen], s.tail[:s.tailLen])
}

// backScan bounds how far back from its end a file is searched for lines.
const backScan = 8 << 20

// lastLines is the offset at which the last n lines of a file of this size
// begin. A line without its end is one more. With n below 1 it is where the
// unfinished line begins.
func lastLines(f io.ReaderAt, size int64, n int) (int64, error) {
	n = max(n, 0)
	buf := make([]byte, 64<<10)
	first := size // the earliest line start seen
	for end := size; end > 0 && size-end < backScan; {
		from := max(0, end-int64(len(buf)))
		block := buf[:end-from]
		if _, err := f.ReadAt(block, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		for {
			i := bytes.LastIndexByte(block, '\n')
			if i < 0 {
				break
			}
			first = from + int64(i) + 1
			if n == 0 {
				return first, nil
			}
			n--
			block = block[:i]
		}
		end = from
		if end == 0 {
			return 0, nil
		}
	}
	return first, nil
}
