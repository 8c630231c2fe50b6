package tail

import (
	"bytes"

	"benchtop/model"
)

// splitter carries the piece of a line that ended in the middle of a block.
type splitter struct {
	carry []byte
	cut   int  // bytes of the carried line beyond MaxLine
	crlf  bool // a line ended in a carriage return: a line feed here is part of it
}

// mark is what all lines of one block have in common.
type mark struct {
	seen    model.Instant
	history int64 // lines that end at or before this offset are history
	stream  uint8
}

func (s *splitter) held() bool { return len(s.carry) > 0 || s.cut > 0 }

// length is how many bytes of input the carried piece stands for.
func (s *splitter) length() int64 { return int64(len(s.carry) + s.cut) }

func (s *splitter) reset() { s.carry, s.cut = s.carry[:0], 0 }

func (s *splitter) keep(piece []byte) {
	room := MaxLine - len(s.carry)
	if len(piece) > room {
		s.cut += len(piece) - room
		piece = piece[:room]
	}
	s.carry = append(s.carry, piece...)
}

// feed delivers the whole lines of block, which begins at offset base, and
// keeps the rest for the next block. It reports whether the block was taken as
// it is.
func (t *tailer) feed(s *splitter, block []byte, base int64, m mark) (raw bool) {
	t.stats.Bytes += int64(len(block))
	if t.h.Raw != nil && len(block) > 0 && !s.held() && t.h.Raw(m.stream, block, base, m.seen) {
		t.dirty = true
		return true
	}
	at := 0
	for {
		i := bytes.IndexByte(block[at:], '\n')
		if t.o.Returns {
			at += t.returns(s, block[at:], i, base+int64(at), m)
			if i = bytes.IndexByte(block[at:], '\n'); i == 0 && s.crlf {
				s.crlf = false
				at++
				continue
			}
		}
		if i < 0 {
			s.keep(block[at:])
			return false
		}
		text := block[at : at+i]
		at += i + 1
		t.whole(s, text, base+int64(at), m)
	}
}

// returns delivers the lines before a carriage return, as far as the line feed
// at lf (-1: there is none) isn't the one that ends them, and tells how much of
// block it took.
func (t *tailer) returns(s *splitter, block []byte, lf int, base int64, m mark) (took int) {
	end := len(block)
	if lf >= 0 {
		end = lf
	}
	for {
		i := bytes.IndexByte(block[took:end], '\r')
		if i < 0 || took+i+1 == lf {
			break
		}
		text := block[took : took+i]
		took += i + 1
		if len(text) > 0 || s.held() {
			t.whole(s, text, base+int64(took), m)
		}
		s.crlf = true
	}
	if took < end {
		s.crlf = false
	}
	return took
}

// whole delivers a line of which text is the end.
func (t *tailer) whole(s *splitter, text []byte, end int64, m mark) {
	if s.held() {
		s.keep(text)
		t.line(s.carry, end, s.cut, false, m)
		s.reset()
		return
	}
	t.line(text, end, 0, false, m)
}

// last delivers the carried piece as a line that has no end.
func (t *tailer) last(s *splitter, end int64, m mark) {
	if s.held() {
		t.line(s.carry, end, s.cut, true, m)
		s.reset()
	}
}

func (t *tailer) line(text []byte, end int64, cut int, partial bool, m mark) {
	if n := len(text); n > 0 && text[n-1] == '\r' && cut == 0 {
		text = text[:n-1]
	}
	t.stats.Lines++
	if cut > 0 {
		t.stats.Cuts++
		t.stats.CutBytes += int64(cut)
	}
	t.dirty = true
	t.h.Line(Line{Text: text, Seen: m.seen, Offset: end, Cut: cut, History: end <= m.history, Partial: partial, Stream: m.stream})
}
