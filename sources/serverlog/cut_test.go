package serverlog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"benchtop/sources/serverlog"
)

// TestCutLines cuts every corpus line at every place. What a cut line says
// must be what the whole one says: no value may be made up from half a number.
func TestCutLines(t *testing.T) {
	for _, path := range corpusFiles(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o := serverlog.Options{Format: corpusFormat(path), Year: 2026, Zone: time.UTC}
		for i, line := range bytes.Split(b, []byte("\n")) {
			whole := map[string]any{}
			for _, e := range probeLine(t, line, o) {
				for k, v := range e.Fields {
					whole[k] = v
				}
			}
			for n := 1; n < len(line); n += 1 + len(line)/300 {
				for _, e := range probeLine(t, line[:n], o) {
					for k, v := range e.Fields {
						if k == "time" || v == nil {
							continue
						}
						if w, ok := whole[k]; (!ok || !sameValue(k, w, v)) && !mayDiffer(o.Format, k, e.Fields["event"]) {
							t.Errorf("%s:%d cut at %d: %s: want %v, got %v\n\t%s", filepath.Base(path), i+1, n, k, w, v, line[:n])
						}
					}
				}
			}
		}
	}
}

// mayDiffer names what a cut may change: an ERROR record is an error before
// its text says more; the fullest pool may be cut off; and a number that can be
// a line's last may be half of one.
func mayDiffer(format, key string, event any) bool {
	if key == "event" || key == "engine" {
		return event == "error"
	}
	switch format {
	case "generic", "infinity":
		return true
	case "sglang":
		return key == "waiting" || key == "kv_usage"
	case "torchserve":
		return key == "latency_ms"
	case "vllm":
		return key == "preempted"
	}
	return false
}

func probeLine(t *testing.T, line []byte, o serverlog.Options) []expected {
	t.Helper()
	var out []expected
	_, err := serverlog.Probe(bytes.NewReader(line), o, func(r serverlog.Record) error {
		out = append(out, plain(t, r))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
