package host

import (
	"math"
	"testing"
)

// FuzzProc: whatever the kernel's files say, the parsers neither panic nor
// give what is no number.
func FuzzProc(f *testing.F) {
	f.Add([]byte("1 (a) b) S 1 1 1 0 -1 0 0 0 0 0 7 8 0 0 20 0 1 0 9000 1 1\n"))
	f.Add([]byte("   0: 0100007F:1F90 0100007F:0000 0A 00000000:00000003 00:00000000 00000000 1000 0 12 1 0\n"))
	f.Add([]byte("cpu0 1 2 3 4 5 6 7 8 9 10\nnr_periods 4\nnr_throttled 1\n"))
	f.Add([]byte("0::/a/../../b\n4:cpu,cpuacct:/\n  eth0: 1 2 3 4 5 6 7 8 9\n 8 0 sda 1 2 3\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = parseStat(b)
		if c := parseTimes(b); c.busy > c.all && c.all < 1<<40 {
			t.Fatalf("want busy within all, got %+v", c)
		}
		var tb table
		tb.clear()
		for rest := b; len(rest) > 0; {
			var l []byte
			l, rest = line(rest)
			tb.row(l, 0x1F90)
		}
		rx, tx := netBytes(b)
		n, k, _ := parseQuota(b)
		v, _ := keyed(b, "cpu0")
		for _, x := range []float64{tb.queue, rx, tx, n, k, v, diskBytes(b)} {
			if !(x >= 0) || math.IsInf(x, 0) {
				t.Fatalf("want an amount, got %v", x)
			}
		}
		for _, d := range groupDirs(b, "/sys") {
			if len(d.group) == 0 || d.group[0] != '/' {
				t.Fatalf("want a group below the root, got %q", d.group)
			}
		}
	})
}
