package loadgen

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf16"

	"benchtop/model"
)

// gatlingBinary is Gatling's simulation.log since 3.13: big-endian, times in
// milliseconds after the run's start, flushed in pieces of 8 KiB.
var gatlingBinary = Format{
	Name: "gatling_binary", Versions: "3.14.5 (read)",
	Sniff: func(lines [][]byte) float64 {
		if isGatlingBinary(bytes.Join(lines, []byte("\n"))) {
			return 1
		}
		return 0
	},
	New:    func(*Options) parser { return gatlingBinaryLines{} },
	Binary: readGatlingBinary,
}

var errGatling = errors.New("this is Gatling's binary log, which can't be followed: probe or replay it after the run")

// isGatlingBinary looks for a run's header: byte 0 and a short version string.
func isGatlingBinary(head []byte) bool {
	if len(head) < 12 || head[0] != 0 || head[1] != 0 || head[2] != 0 || head[3] != 0 {
		return false
	}
	n := int(head[4])
	if n < 3 || n > 40 || 5+n >= len(head) || head[5+n] != 0 {
		return false
	}
	for _, c := range head[5 : 5+n] {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return bytes.Contains(head[5:5+n], []byte("."))
}

type gatlingBinaryLines struct{ unheld }

func (gatlingBinaryLines) parse([]byte, func(*Record)) error { return errGatling }

// gatlingReader reads the fields of the stream; the first failure stays in err.
type gatlingReader struct {
	r     *bufio.Reader
	start model.Instant
	seen  map[int32][]byte // texts by their index
	err   error
}

// Bounds against a stream that isn't one.
const (
	gatlingText64K = 1 << 16
	gatlingTexts   = 1 << 16
)

func readGatlingBinary(r io.Reader) func(yield func(*Record)) error {
	g := &gatlingReader{r: bufio.NewReader(r), seen: make(map[int32][]byte)}
	return func(yield func(*Record)) error {
		kind := g.byte()
		switch {
		case g.err != nil:
		case kind == 0:
			g.run(yield)
		case kind == 1:
			g.request(yield)
		case kind == 2:
			g.skip(4 + 1 + 4)
		case kind == 3:
			g.groups()
			g.skip(4 + 4 + 4 + 1)
		case kind == 4:
			g.cached()
			g.skip(4)
		default:
			g.err = fmt.Errorf("gatling log: no record begins with %d", kind)
		}
		if errors.Is(g.err, io.ErrUnexpectedEOF) {
			return io.EOF // the last piece isn't whole
		}
		return g.err
	}
}

func (g *gatlingReader) run(yield func(*Record)) {
	g.string()
	f := newFacts()
	f.Tool, f.Name = "gatling", string(g.string())
	g.start = model.Instant(g.int64()) * 1e6
	g.string()
	for n := g.int32(); n > 0 && g.err == nil; n-- {
		g.string()
	}
	for n := g.int32(); n > 0 && g.err == nil; n-- {
		g.skip(int(g.int32()))
	}
	if g.err == nil {
		yield(impliedRun(g.start, f))
	}
}

func (g *gatlingReader) request(yield func(*Record)) {
	g.groups()
	g.cached()
	start, end := g.int32(), g.int32()
	good := g.byte() == 1
	text := g.cached()
	if g.err != nil || start < 0 || end < start { // an end of the smallest number has no request
		return
	}
	var r Record
	r.clear(KindEnd)
	r.Start, r.At = g.start+model.Instant(start)*1e6, g.start+model.Instant(end)*1e6
	r.Latency, r.Outcome = r.At.Seconds(r.Start), OK
	if !good {
		r.Outcome = gatlingOutcome(text)
	}
	yield(&r)
}

func (g *gatlingReader) groups() {
	for n := g.int32(); n > 0 && g.err == nil; n-- {
		g.cached()
	}
}

func (g *gatlingReader) bytes(n int) []byte {
	if g.err == nil && (n < 0 || n > gatlingText64K) {
		g.err = fmt.Errorf("gatling log: a text of %d bytes", n)
	}
	if g.err != nil {
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(g.r, b); err != nil {
		g.err = err
		return nil
	}
	return b
}

func (g *gatlingReader) skip(n int) {
	if g.bytes(n); errors.Is(g.err, io.EOF) {
		g.err = io.ErrUnexpectedEOF
	}
}

func (g *gatlingReader) byte() byte {
	if b := g.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (g *gatlingReader) int32() int32 {
	if b := g.bytes(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return math.MinInt32
}

func (g *gatlingReader) int64() int64 {
	if b := g.bytes(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// string reads a length, bytes and a coder: 0 Latin-1, 1 UTF-16. An empty one is
// a length only.
func (g *gatlingReader) string() []byte {
	n := g.int32()
	if n <= 0 || g.err != nil {
		return nil
	}
	b := g.bytes(int(n))
	if g.byte() != 1 {
		return b
	}
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return []byte(string(utf16.Decode(u)))
}

// cached reads a text that is told once with an index and later by its negative.
func (g *gatlingReader) cached() []byte {
	i := g.int32()
	if i < 0 {
		return g.seen[-i]
	}
	text := g.string()
	if len(g.seen) < gatlingTexts {
		g.seen[i] = text
	}
	return text
}
