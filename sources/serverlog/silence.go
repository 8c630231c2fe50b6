package serverlog

import (
	"bytes"
	"fmt"

	"benchtop/model"
)

// unrecognised tells that the log grows and nothing in it is understood.
func (d *Decoder) unrecognised(seen model.Instant, n int, hint string) {
	d.warned = true
	d.e.out.State(seen, model.Quiet, fmt.Sprintf("the log grows, but its last %d lines told nothing: %s", n, hint))
	d.e.out.Note(model.Note{At: seen, Seen: seen, Kind: model.NoteRun, Name: model.FactUnrecognised, Value: float64(n), Text: hint})
}

// recognised tells that this is over.
func (d *Decoder) recognised(seen model.Instant) {
	d.warned = false
	d.e.out.State(seen, model.Running, "")
	d.e.out.Note(model.Note{At: seen, Seen: seen, Kind: model.NoteRun, Name: model.FactUnrecognised})
}

// looks are asked all day by balancers and collectors, whether there is work or
// not: that they tell nothing is no silence.
var looks = []byte(`"GET /`)

// look reports whether a line tells of one. Capital letters are rarer than
// quotes.
func look(text []byte) bool {
	for from := 1; from < len(text); {
		i := bytes.IndexByte(text[from:], 'G')
		if i < 0 {
			break
		}
		if from += i + 1; bytes.HasPrefix(text[from-2:], looks) {
			return true
		}
	}
	return false
}

// nothing tells of a log that was read as history and told nothing at all.
func (d *Decoder) nothing(now model.Instant) {
	if d.rd.f != nil && d.known == 0 && !d.warned && d.quiet >= silentLines {
		d.unrecognised(now, d.quiet, d.rd.f.Hint)
	}
}
