package serverlog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

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
