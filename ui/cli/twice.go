package cli

import (
	"os"
	"path/filepath"

	"benchtop/sources/tail"
)

// notTwice refuses a file that two flags of one kind name, also by another
// path: its requests would count twice.
func notTwice(flag string, texts []string) error {
	specs := make([]tail.Spec, 0, len(texts))
	for _, text := range texts {
		if s, err := tail.ParseSpec(text); err == nil { // else it is told where it is opened
			specs = append(specs, s)
		}
	}
	for i := range specs {
		for j := range i {
			a, b := &specs[j], &specs[i]
			if a.Kind == b.Kind && a.Kind != tail.Stdin && samePlace(a, b) {
				return usage("%s %s: %s is read already, it would count twice (drop one)", flag, b.Place, a.Place)
			}
		}
	}
	return nil
}

// samePlace reports whether two places are one: a file by its identity where it
// is there, else by its path; a command never, it may print something else each
// time.
func samePlace(a, b *tail.Spec) bool {
	if a.Kind == tail.Exec {
		return false
	}
	x, err1 := os.Stat(a.Place)
	y, err2 := os.Stat(b.Place)
	if err1 == nil && err2 == nil {
		return os.SameFile(x, y)
	}
	p, err1 := filepath.Abs(a.Place)
	q, err2 := filepath.Abs(b.Place)
	return err1 == nil && err2 == nil && p == q
}
