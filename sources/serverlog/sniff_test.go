package serverlog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"benchtop/sources/serverlog"
)

// TestSniffConfusion gives every corpus to all formats: its own must win by
// far, and no other may claim it.
func TestSniffConfusion(t *testing.T) {
	files := corpusFiles(t)
	for _, name := range recordings {
		files = append(files, "testdata/real/"+name+"/server.log", "testdata/real/"+name+"/server.stamped.log")
	}
	for _, path := range files {
		want := corpusFormat(path)
		if filepath.Base(filepath.Dir(filepath.Dir(path))) == "real" {
			want = "llamacpp"
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.Split(b, []byte("\n"))
		// Whole, and from any place: we may join a run under way.
		for from := 0; from < len(all); from += max(1, len(all)/7) {
			lines := all[from:]
			ms := serverlog.Sniff(lines)
			if len(ms) == 0 {
				if len(lines) > 12 {
					t.Errorf("%s from line %d: want %s, got nothing", path, from+1, want)
				}
				continue
			}
			if len(lines) < 8 {
				continue
			}
			if ms[0].Name != want || len(ms) > 1 && ms[1].Score > ms[0].Score/2 {
				t.Errorf("%s from line %d: want %s clearly, got %v", path, from+1, want, ms)
			}
		}
	}
}

func TestSniffNothing(t *testing.T) {
	for _, text := range []string{
		"", "\n\n\n", "hello world\nsome words\n",
		"{\n  \"a\": 1\n}\n", "\x00\x01\x02\xff\xfe\n",
		`10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /x HTTP/1.1" 200 2326`,
	} {
		if ms := serverlog.Sniff(bytes.Split([]byte(text), []byte("\n"))); len(ms) > 0 && ms[0].Name != "generic" {
			t.Errorf("%q: want nothing, got %v", text, ms)
		}
	}
}

// TestSniffThreeLines: a log that has hardly begun, or says little, is known by
// three lines that carry figures, wherever they stand.
func TestSniffThreeLines(t *testing.T) {
	for _, path := range corpusFiles(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all, want := bytes.Split(b, []byte("\n")), corpusFormat(path)
		var telling []int
		for _, e := range readExpected(t, path) {
			for name, v := range e.Fields {
				if _, number := v.(float64); number && name != "status" {
					telling = append(telling, e.Line)
					break
				}
			}
		}
		telling = slices.Compact(telling)
		for i := 0; i+3 <= len(telling); i++ {
			var text []byte
			for _, n := range telling[i : i+3] {
				text = append(append(text, all[n-1]...), '\n')
			}
			sum, err := serverlog.Probe(bytes.NewReader(text), serverlog.Options{Year: 2026, Zone: time.UTC}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if sum.Format != want || sum.Matched != 3 {
				t.Errorf("%s, lines %v: want %s and 3 understood, got %q and %d\n%s", path, telling[i:i+3], want, sum.Format, sum.Matched, text)
			}
		}
	}
}
