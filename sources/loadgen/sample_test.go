package loadgen_test

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/loadgen"
)

// A line that was not understood is shown without what users sent, unless they
// said that it may be kept.
func TestSamplesAreDiscreet(t *testing.T) {
	const (
		good = `{"ev":"end","t":1796044000.2,"id":1,"status":200}`
		bad  = `{"evnt":"end","status":503,"prompt":"tell me of my \"illness\" please","note":"x","cut":"and then he`
	)
	tests := []struct {
		name string
		keep bool
		want string
	}{
		{"as usual", false, `{"evnt":"end","status":503,"prompt":"…","note":"x","cut":"…`},
		{"kept", true, bad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSink(t)
			d := loadgen.NewDecoder(loadgen.Options{Format: "benchtop_ndjson", KeepText: tt.keep})
			for _, l := range []string{good, bad} {
				d.Line([]byte(l), seenAt, false, false, s.out)
			}
			d.End(seenAt, s.out)
			s.drain()
			var got []string
			for _, n := range s.notes {
				if n.Kind == model.NoteBadLine {
					got = append(got, n.Text)
				}
			}
			if strings.Join(got, "|") != tt.want {
				t.Errorf("want %q, got %q", tt.want, got)
			}
		})
	}
}
