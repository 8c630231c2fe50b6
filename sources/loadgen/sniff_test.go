package loadgen_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"benchtop/sources/loadgen"
)

// TestSniffMatrix: every recording is taken for its own format by its first
// lines, already by its first few, and clearly before any other.
func TestSniffMatrix(t *testing.T) {
	seen := make(map[string]bool)
	for _, file := range corpusFiles(t) {
		base := filepath.Base(file)
		t.Run(base, func(t *testing.T) {
			want, ok := formats[base]
			if !ok {
				t.Fatal("want this file in the table of formats")
			}
			seen[want] = true
			all := bytes.Split(readFile(t, file), []byte("\n"))
			for _, n := range []int{50, 3} {
				m := loadgen.Sniff(all[:min(n, len(all))])
				if len(m) == 0 || m[0].Format.Name != want {
					t.Fatalf("from %d lines: want %s, got %v", n, want, names(m))
				}
				if len(m) > 1 && m[1].Score >= m[0].Score {
					t.Errorf("from %d lines: want a clear lead, got %v", n, names(m))
				}
			}
		})
	}
	for _, f := range loadgen.Formats {
		if !seen[f.Name] {
			t.Errorf("%s: want a recording of every format", f.Name)
		}
	}
}

func names(m []loadgen.Match) (all []any) {
	for _, x := range m {
		all = append(all, x.Format.Name, x.Score)
	}
	return all
}

// formats says which format each recording is in.
var formats = map[string]string{
	"bench_client.ndjson":      "benchtop_ndjson",
	"bench_client-sse.ndjson":  "benchtop_ndjson",
	"autocannon-stream.ndjson": "benchtop_ndjson",
	"locust-listener.ndjson":   "benchtop_ndjson",
	"wrk-lua.ndjson":           "benchtop_ndjson",
	"vegeta.ndjson":            "vegeta_json",
	"vegeta.csv":               "vegeta_csv",
	"k6.json":                  "k6_json",
	"k6.ms.csv":                "k6_csv",
	"k6.seconds.csv":           "k6_csv",
	"fortio.access.ndjson":     "fortio_access",
	"h2load.log":               "h2load_log",
	"aiperf.composed.jsonl":    "aiperf_jsonl",
	"jmeter.composed.csv":      "jmeter_csv",
	"siege.txt":                "siege",
	"hey.csv":                  "hey_csv",
	"oha.composed.csv":         "oha_csv",
	"ghz.csv":                  "ghz_csv",
}
