package loadgen

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"time"

	"benchtop/model"
)

// vegetaGob is what `vegeta attack` itself writes: Go's binary stream. It has no
// lines; followed live it is read block by block (gobStream).
var vegetaGob = Format{
	Name: "vegeta_gob", Versions: "12.13.0",
	Sniff: func(lines [][]byte) float64 {
		if isVegetaGob(bytes.Join(lines, []byte("\n"))) {
			return 1
		}
		return 0
	},
	New:    func(*Options) parser { return vegetaGobLines{} },
	Binary: readVegetaGob,
}

// errGob tells how to follow the stream.
var errGob = errors.New("this is vegeta's binary stream, joined in its middle: follow it from its start (--from start), or pipe it through `vegeta encode --to json`")

// isVegetaGob finds the names that the stream's type definition begins with.
func isVegetaGob(head []byte) bool {
	head = head[:min(len(head), 512)]
	return bytes.Contains(head, []byte("\x06Result\x01")) && bytes.Contains(head, []byte("\x06Attack\x01"))
}

type vegetaGobLines struct{ unheld }

func (vegetaGobLines) parse([]byte, func(*Record)) error { return errGob }

// vegetaResult has the fields of the stream that are read; gob skips the others.
type vegetaResult struct {
	Attack    string
	Seq       uint64
	Code      uint16
	Timestamp time.Time
	Latency   time.Duration
	Error     string
	URL       string
}

// readVegetaGob yields one record a call.
func readVegetaGob(r io.Reader) func(yield func(*Record)) error {
	dec := gob.NewDecoder(r)
	told := false
	return func(yield func(*Record)) error {
		var v vegetaResult
		if err := dec.Decode(&v); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return io.EOF // cut in the middle: all whole records were read
			}
			return err
		}
		start := model.InstantOf(v.Timestamp)
		if !told {
			told = true
			f := newFacts()
			f.Tool, f.Name, f.Target = "vegeta", v.Attack, v.URL
			yield(impliedRun(start, f))
		}
		var rec Record
		rec.clear(KindEnd)
		rec.HasSeq, rec.Seq, rec.Status = true, v.Seq, int(v.Code)
		rec.Start, rec.Latency, rec.At = start, v.Latency.Seconds(), start+model.Instant(v.Latency)
		rec.Outcome = vegetaOutcome(int64(v.Code), []byte(v.Error))
		yield(&rec)
		return nil
	}
}
