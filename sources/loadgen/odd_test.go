package loadgen_test

import (
	"bytes"
	"testing"

	"benchtop/sources/loadgen"
)

// What JSON has no word for is no record; what can't be a time of day is counted
// as not understood, though the request did end.
func TestOddNumbers(t *testing.T) {
	const start = `{"ev":"start","t":1796044000.1,"id":1}` + "\n"
	tests := []struct {
		name, line                string
		requests, open, malformed float64
	}{
		{"plain", `{"ev":"end","t":1796044000.2,"id":1,"dur_ms":100,"status":200}`, 1, 0, 0},
		{"a latency that is no number", `{"ev":"end","t":1796044000.2,"id":1,"dur_ms":NaN,"status":200}`, 0, 1, 1},
		{"a time that is no number", `{"ev":"end","t":NaN,"id":1,"dur_ms":100,"status":200}`, 0, 1, 1},
		{"an infinite first token", `{"ev":"end","t":1796044000.2,"id":1,"dur_ms":100,"ttft_ms":Infinity,"status":200}`, 0, 1, 1},
		{"a time beyond all times", `{"ev":"end","t":1e30,"id":1,"dur_ms":100,"status":200}`, 1, 0, 1},
		{"a time before all times", `{"ev":"end","t":-5,"id":1,"dur_ms":100,"status":200}`, 1, 0, 1},
		{"a negative latency is unknown", `{"ev":"end","t":1796044000.2,"id":1,"dur_ms":-3,"status":200}`, 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sum, err := loadgen.Probe(bytes.NewReader([]byte(start+tt.line+"\n")), loadgen.Options{Format: "benchtop_ndjson"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(sum.Requests); tt.requests != got {
				t.Errorf("requests: want %g, got %g", tt.requests, got)
			}
			if got := float64(sum.Unfinished); tt.open != got {
				t.Errorf("unfinished: want %g, got %g", tt.open, got)
			}
			if got := float64(sum.Malformed); tt.malformed != got {
				t.Errorf("malformed: want %g, got %g", tt.malformed, got)
			}
		})
	}
}
