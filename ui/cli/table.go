package cli

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// table prints rows of a name and a text under a heading.
type table struct {
	w   io.Writer
	err error
}

func newTable(w io.Writer, head string) *table {
	t := &table{w: w}
	t.print("%s\n", oneLine(head))
	return t
}

func (t *table) print(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *table) row(name, format string, args ...any) {
	t.print("  %-10s %s\n", name, oneLine(fmt.Sprintf(format, args...)))
}

func (t *table) counts(name string, m map[string]int) {
	var parts []string
	for k, v := range m {
		parts = append(parts, fmt.Sprintf("%s %d", k, v))
	}
	sort.Strings(parts)
	if len(parts) > 0 {
		t.row(name, "%s", strings.Join(parts, ", "))
	}
}
