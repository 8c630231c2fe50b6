package gpu

import (
	"bytes"
	"errors"
	"time"
)

// Decoder reads saved or streamed readings line by line: the NDJSON of
// WriteReading, or what `nvidia-smi --query-gpu=… --format=csv` printed. The
// first lines decide which.
type Decoder struct {
	// Zone is what nvidia-smi's local timestamps are read in; nil is this machine's.
	Zone   *time.Location
	format string
	layout layout
	order  map[string]int // of UUIDs, where the rows have no index
	faults faultLog
}

// The formats a Decoder knows.
const (
	FormatNDJSON = "ndjson"
	FormatCSV    = "nvidia_smi_csv"
)

// errUnknownFormat says that a line is of no format we know.
var errUnknownFormat = errors.New("neither a JSON reading nor a line of nvidia-smi --query-gpu --format=csv")

// Sniff says which format the first bytes of a file are, "" if none.
func Sniff(head []byte) string {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] == '{' && bytes.Contains(line, []byte(`"gpu"`)) || bytes.Contains(line, []byte(`"uuid"`)) && line[0] == '{' {
			return FormatNDJSON
		}
		if _, ok := headerLayout(string(line)); ok {
			return FormatCSV
		}
		if _, err := layoutOf(documentedOrder).parse(string(line), time.UTC, 0); err == nil {
			return FormatCSV
		}
	}
	return ""
}

// Format is what the lines turned out to be, "" so far.
func (d *Decoder) Format() string { return d.format }

// Line reads one line. ok is false without an error for a line that is right
// but says nothing by itself: blank, or a header.
func (d *Decoder) Line(line []byte) (r Reading, ok bool, err error) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return r, false, nil
	case line[0] == '{':
		r, err = ParseReading(line)
		if err == nil {
			d.format = FormatNDJSON
		}
		return r, err == nil, err
	}
	return d.csv(string(line))
}

func (d *Decoder) csv(line string) (r Reading, ok bool, err error) {
	if l, ok := headerLayout(line); ok {
		d.layout, d.format = l, FormatCSV
		return r, false, nil
	}
	l := d.layout
	if l == nil {
		l = layoutOf(documentedOrder)
	}
	zone := d.Zone
	if zone == nil {
		zone = time.Local
	}
	got, err := l.parse(line, zone, 0)
	if err != nil {
		if d.layout == nil {
			err = errUnknownFormat
		}
		return r, false, err
	}
	d.layout, d.format = l, FormatCSV
	if !l.has(colIndex) {
		n, ok := d.order[got.UUID]
		if !ok {
			if d.order == nil {
				d.order = make(map[string]int)
			}
			if n = len(d.order); n < 2*maxGPUs {
				d.order[got.UUID] = n
			}
		}
		got.Index = n
	}
	got.Faults = d.faults.grown(got.id(), got.counts)
	return got.Reading, true, nil
}
