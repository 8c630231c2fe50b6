package house_test

import (
	"go/ast"
	"strconv"
	"testing"
)

const (
	fileLines = 400
	funcLines = 60
)

// longFiles are registries and tables that may be longer than fileLines.
var longFiles = map[string]string{}

// longFuncs are registries and tables that may be longer than funcLines.
var longFuncs = map[string]string{}

func itoa(n int) string { return strconv.Itoa(n) }

// TestSize keeps files and functions readable at a sitting.
func TestSize(t *testing.T) {
	all := load(t)
	files, funcs := except(longFiles), except(longFuncs)
	for _, s := range all.code() {
		if s.lines > fileLines && !files.allow(s.path) {
			t.Errorf("%s: %d lines, want at most %d: split it by a noun", s.path, s.lines, fileLines)
		}
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			n := all.fset.Position(f.End()).Line - all.fset.Position(f.Pos()).Line + 1
			if n > funcLines && !funcs.allow(s.pkg+"."+f.Name.Name) {
				t.Errorf("%s: %s has %d lines, want at most %d", all.at(f), f.Name.Name, n, funcLines)
			}
		}
	}
	files.stale(t)
	funcs.stale(t)
}
