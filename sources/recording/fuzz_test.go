package recording

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"benchtop/model"
)

// FuzzReader: whatever a file holds, reading it ends, in bounded batches of
// known series, and without a panic.
func FuzzReader(f *testing.F) {
	data, _ := few(f)
	f.Add(data)
	f.Add(data[:len(data)-30])
	f.Add([]byte(fileMagic))
	f.Fuzz(func(t *testing.T, data []byte) { exhaust(t, data) })
}

// FuzzRecords gives the bytes to the decoder as a block with right checksums,
// which a bit flip never gets past.
func FuzzRecords(f *testing.F) {
	data, _ := few(f)
	r, err := readerOf(data)
	if err != nil {
		f.Fatal(err)
	}
	for {
		if err := r.load(); err != nil {
			break
		}
		f.Add(append([]byte(nil), r.raw...), kindData)
	}
	f.Add([]byte{3, 200}, kindLost)
	f.Add([]byte{3, 200, 1}, kindIndex)
	head, err := appendHeader(nil, Header{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte, kind byte) {
		h := blockHeader{kind: kind, stored: uint32(len(payload)), raw: uint32(len(payload)), first: t0, payloadCRC: crc(payload)}
		file := append([]byte(nil), head...)
		at := len(file)
		file = append(file, make([]byte, blockHead)...)
		h.put(file[at:])
		file = append(file, payload...)
		trailer := binary.LittleEndian.AppendUint64([]byte(trailerMagic), uint64(at))
		trailer = binary.LittleEndian.AppendUint32(trailer, crc(trailer))
		exhaust(t, append(append(file, trailer...), trailerEnd...))
	})
}

func exhaust(t *testing.T, data []byte) {
	r, err := readerOf(data)
	if err != nil {
		if !errors.Is(err, ErrNotRecording) && !errors.Is(err, ErrNewer) {
			t.Fatalf("want a refusal, got %v", err)
		}
		return
	}
	if _, _, err := r.Span(); err != nil {
		t.Fatalf("span: %v", err)
	}
	var b model.Batch
	for {
		err := r.Next(&b)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Events) > max(model.BatchCap, len(data)) || len(b.Notes) > model.BatchCap {
			t.Fatalf("want a bounded batch, got %d events and %d notes", len(b.Events), len(b.Notes))
		}
		for _, ev := range b.Events {
			if int(ev.Series) >= model.NumSeries || ev.Kind > model.Reset {
				t.Fatalf("want what is known, got %+v", ev)
			}
		}
	}
}
