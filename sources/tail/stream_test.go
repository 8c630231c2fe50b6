package tail

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file is left alone only while nothing can have been written to it since it
// was looked at: same time, same size, all read, and a time long past.
func TestStill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.log")
	old := time.Now().Add(-time.Minute)
	write := func(text string, at time.Time) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		first time.Time
		then  func()
		pos   int64
		want  bool
	}{
		{"nothing happened", old, func() {}, 4, true},
		{"it grew", old, func() { write("one\ntwo\n", old.Add(time.Second)) }, 4, false},
		{"the same size written anew", old, func() { write("two\n", old.Add(time.Second)) }, 4, false},
		{"emptied", old, func() { write("", old) }, 4, false},
		{"not all of it was read", old, func() {}, 2, false},
		{"written just now", time.Now().Add(time.Hour), func() {}, 4, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			write("one\n", c.first)
			s := stream{pos: c.pos, size: c.pos}
			look := func() bool {
				fi, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				return s.still(fi)
			}
			if look() {
				t.Error("want the first look to tell nothing")
			}
			c.then()
			if got := look(); got != c.want {
				t.Errorf("want %v, got %v", c.want, got)
			}
		})
	}
}
