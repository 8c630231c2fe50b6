package recording

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"benchtop/model"
)

// Version is the newest format that this package reads, and the one it writes.
const Version = 1

// Ext is what the name of a recording ends with.
const Ext = ".btr"

// The fixed strings of a file. The first is no text, so that a transfer which
// mangles line ends or the eighth bit is noticed at once.
const (
	fileMagic    = "\x89BTR\r\n\x1a\n"
	blockMarker  = "\xb7blk"
	trailerMagic = "btrindex"
	trailerEnd   = "\xb7end"
)

// Sizes, and the limits that keep a hostile file from taking memory.
const (
	headFixed    = 16
	maxHeader    = 1 << 20
	blockHead    = 44
	trailerSize  = 24
	blockTarget  = 256 << 10 // a block is closed at this size
	maxText      = 1 << 20   // longest name or text of a note; the rest is cut off
	maxRaw       = blockTarget + 2*maxText + 1<<12
	maxStored    = maxRaw
	maxSeriesLen = 1 << 16
)

// The kinds of blocks.
const (
	kindData  byte = 'D'
	kindLost  byte = 'L'
	kindIndex byte = 'I'
	kindThin  byte = 'T'
)

// The codecs of a block's payload.
const (
	codecNone  byte = 0
	codecFlate byte = 1
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

func crc(p []byte) uint32 { return crc32.Checksum(p, crcTable) }

// Errors a caller may branch on.
var (
	// ErrNotRecording is wrapped when a file is no recording at all.
	ErrNotRecording = errors.New("not a benchtop recording")
	// ErrNewer is wrapped when a recording was written by a newer benchtop.
	ErrNewer = errors.New("written by a newer benchtop")
)

// Header is what a recording says about its run before the first event.
type Header struct {
	ID         string          `json:"id"`
	Label      string          `json:"label,omitempty"`
	Started    model.Instant   `json:"started_ns"`
	Benchtop   string          `json:"benchtop,omitempty"`   // version of the program that wrote it
	Thresholds json.RawMessage `json:"thresholds,omitempty"` // what its rules compared with; a model.Thresholds when written
	Series     []string        `json:"series"`               // names in the order of the ids in the file; Create fills it in
}

// catalogueNames are the names of all series in the order of their ids.
func catalogueNames() []string {
	names := make([]string, model.NumSeries)
	for i := range names {
		names[i] = model.SeriesID(i).String()
	}
	return names
}

// appendHeader encodes the head of a file.
func appendHeader(dst []byte, h Header) ([]byte, error) {
	h.Series = catalogueNames()
	js, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("recording header: %w", err)
	}
	if len(js) > maxHeader {
		return nil, fmt.Errorf("recording header: %d bytes are too many (at most %d; shorten the label)", len(js), maxHeader)
	}
	start := len(dst)
	dst = append(dst, fileMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, Version)
	dst = binary.LittleEndian.AppendUint16(dst, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(js)))
	dst = append(dst, js...)
	return binary.LittleEndian.AppendUint32(dst, crc(dst[start:])), nil
}

// blockHeader is the fixed part in front of a block's payload.
type blockHeader struct {
	kind, codec byte
	stored, raw uint32
	first, last model.Instant // Seen of the first record, largest Seen
	count       uint32        // records
	payloadCRC  uint32
}

// put encodes h into dst, which has room for it.
func (h *blockHeader) put(dst []byte) {
	le := binary.LittleEndian
	copy(dst, blockMarker)
	dst[4], dst[5] = h.kind, h.codec
	le.PutUint16(dst[6:], 0)
	le.PutUint32(dst[8:], h.stored)
	le.PutUint32(dst[12:], h.raw)
	le.PutUint64(dst[16:], uint64(h.first))
	le.PutUint64(dst[24:], uint64(h.last))
	le.PutUint32(dst[32:], h.count)
	le.PutUint32(dst[36:], h.payloadCRC)
	le.PutUint32(dst[40:], crc(dst[:40]))
}

// parseBlockHeader decodes src, which holds at least blockHead bytes. ok is
// false unless it is a header in every respect.
func parseBlockHeader(src []byte) (h blockHeader, ok bool) {
	le := binary.LittleEndian
	if string(src[:4]) != blockMarker || le.Uint32(src[40:]) != crc(src[:40]) {
		return h, false
	}
	h = blockHeader{
		kind: src[4], codec: src[5],
		stored: le.Uint32(src[8:]), raw: le.Uint32(src[12:]),
		first: model.Instant(le.Uint64(src[16:])), last: model.Instant(le.Uint64(src[24:])),
		count: le.Uint32(src[32:]), payloadCRC: le.Uint32(src[36:]),
	}
	return h, h.stored <= maxStored && h.raw <= maxRaw
}

// zigzag and unzigzag map small numbers of either sign to small unsigned ones.
func zigzag(v int64) uint64   { return uint64(v<<1) ^ uint64(v>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// wideCut is the first lead byte that announces following bytes.
const wideCut = 248

// appendWide encodes u so that a small number takes one byte and a full one
// nine: keys are either the next in a row or hashes.
func appendWide(dst []byte, u uint64) []byte {
	if u < wideCut {
		return append(dst, byte(u))
	}
	var tmp [8]byte
	binary.LittleEndian.PutUint64(tmp[:], u)
	n := 8
	for n > 1 && tmp[n-1] == 0 {
		n--
	}
	dst = append(dst, byte(wideCut+n-1))
	return append(dst, tmp[:n]...)
}
