package serverlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// FuzzShape reads lines one after the other and each alone: what a line says
// must not depend on the lines in front of it, whose prefixes it may share.
func FuzzShape(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.log")
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		lines := bytes.Split(b, []byte("\n"))
		for i := range lines { // any line in front of any other
			if l := lines[(i*7+3)%len(lines)]; i%3 == 0 {
				f.Add(bytes.Join([][]byte{l, lines[i], l}, []byte("\n")))
			}
		}
	}
	for _, pair := range []string{ // where a line's prefixes go on where an earlier line's ended
		"2026-11-05T10:00:02.000Z text\n2026-11-05T10:00:03.000Z gpu-a vllm[41]: text",
		"2026-11-05T10:00:02.000Z text\n2026-11-05T10:00:03.000Z stdout F text",
		"2026-11-05 10:00:02,000 text\n2026-11-05 10:00:03,000 - text\n2026-11-05 10:00:03,000 | text",
		"2026-11-05 10:00:02,000 - lmdeploy - INFO - text\n2026-11-05 10:00:02,000 - lmdeploy - INFO - engine.py:5 - text",
		"INFO: text\nINFO:     10.0.0.1:5 - text",
		"[42027] text\n[42027] ",
		"0.00.000.000  text\n0.00.000.001 I text",
	} {
		f.Add([]byte(pair))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var warm stripper
		var got record
		for i, l := range bytes.Split(data, []byte("\n")) {
			if len(l) > 4<<10 || i > 400 {
				return
			}
			warm.strip(l, &got)
			var cold stripper
			var want record
			cold.strip(l, &want)
			if impossible(&want, &got) {
				continue
			}
			if a, b := described(&want), described(&got); a != b {
				t.Fatalf("line %d %q:\nwant %s\n got %s", i+1, l, a, b)
			}
		}
	})
}

// described is all that a format can see of a record.
func described(c *record) string {
	c.settle()
	return fmt.Sprintf("text %q level %d stamp %+v clock %v %v where %q proc %q core %q port %q rank %q loc %q name %q tag %q klog %v uvi %v part %v json %v",
		c.text, c.level, c.stamp, c.clock, c.ticked, c.where, c.proc, c.core, c.port, c.rank, c.loc, c.name, c.tag, c.klog, c.uvi, c.part, c.obj.t != nil)
}

// impossible reports whether two records of a line differ by a date or time of
// day that is none: a shape takes any digits for a stamp's where an earlier line
// had one.
func impossible(want, got *record) bool {
	got.settle()
	if want.stamp.dayed() || got.stamp.dayed() || len(got.text) >= len(want.text) || !bytes.HasSuffix(want.text, got.text) {
		return false
	}
	digits := 0
	for _, c := range want.text[:len(want.text)-len(got.text)] {
		if isDigit(c) {
			digits++
		}
	}
	return digits >= 6
}
