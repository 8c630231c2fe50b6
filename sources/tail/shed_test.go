package tail_test

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
	"time"

	"benchtop/sources/tail"
)

// A program that prints faster than its lines are taken is not slowed: what is
// too much to hold is counted as lost, and every line that comes is whole.
func TestProgramOutrunsUs(t *testing.T) {
	const n = 400_000
	tests := []struct {
		name    string
		backlog int
		loses   bool
	}{
		{"held", 0, false},
		{"too much to hold", 1 << 20, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := program(fmt.Sprintf(`seq -f 'line number %%.0f of a program that prints a lot' 1 %d`, n))
			o.Backlog = tt.backlog
			came, lost, last := 0, 0, 0
			var seen, shed int64
			err := tail.Run(t.Context(), o, tail.Handler{
				Line: func(l tail.Line) {
					i, err := strconv.Atoi(string(bytes.Fields(l.Text)[2]))
					if err != nil || !bytes.HasSuffix(l.Text, []byte(" prints a lot")) || i <= last {
						t.Fatalf("want a whole line after number %d, got %q", last, l.Text)
					}
					came, last = came+1, i
					seen += int64(len(l.Text) + 1)
					if came == 1 {
						time.Sleep(300 * time.Millisecond) // busy elsewhere while it prints on
					}
				},
				Lost: func(_ uint8, lines int, size int64) { lost, shed = lost+lines, shed+size },
			})
			if err != nil {
				t.Fatal(err)
			}
			if came+lost != n || !tt.loses && lost > 0 {
				t.Errorf("want %d lines, lost ones %v, got %d and %d lost", n, tt.loses, came, lost)
			}
			want := int64(0)
			for i := 1; i <= n; i++ {
				want += int64(len(fmt.Sprintf("line number %d of a program that prints a lot\n", i)))
			}
			if seen+shed != want {
				t.Errorf("want %d bytes, got %d and %d lost", want, seen, shed)
			}
			t.Logf("%d lines came, %d were lost", came, lost)
		})
	}
}
