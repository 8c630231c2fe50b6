package house_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is the folder of go.mod, as seen from this package.
const root = "../../.."

// module is the name in go.mod.
const module = "benchtop"

// source is one Go file of the tree, whatever system it is built for.
type source struct {
	path  string // from the root, with slashes
	pkg   string // its folder from the root; "." is main
	test  bool
	lines int
	ast   *ast.File
}

// tree is every Go file of the module, parsed once.
type tree struct {
	fset    *token.FileSet
	sources []*source
	folders map[string][]*source // by pkg
}

var parsed = sync.OnceValues(parseTree)

func parseTree() (*tree, error) {
	t := &tree{fset: token.NewFileSet(), folders: map[string][]*source{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if path.Ext(rel) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(t.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := &source{
			path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"),
			lines: bytes.Count(text, []byte("\n")), ast: f,
		}
		t.sources = append(t.sources, s)
		t.folders[s.pkg] = append(t.folders[s.pkg], s)
		return nil
	})
	return t, err
}

func load(t *testing.T) *tree {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(all.sources) < 100 {
		t.Fatalf("want the whole module, got %d files: is %s its root?", len(all.sources), root)
	}
	return all
}

// code are the files that are built into the program.
func (t *tree) code() []*source {
	return slices.DeleteFunc(slices.Clone(t.sources), func(s *source) bool { return s.test })
}

// at is where in the file a node stands.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return p.Filename + ":" + itoa(p.Line)
}

// within reports whether a package is dir or lies under it.
func within(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// exceptions are names that a rule leaves alone, each with its reason. One that
// the rule no longer needs fails: it hides the next offence.
type exceptions struct {
	reasons map[string]string
	used    map[string]bool
}

func except(reasons map[string]string) *exceptions {
	return &exceptions{reasons, map[string]bool{}}
}

// allow reports whether name is excepted.
func (e *exceptions) allow(name string) bool {
	_, ok := e.reasons[name]
	if ok {
		e.used[name] = true
	}
	return ok
}

func (e *exceptions) stale(t *testing.T) {
	t.Helper()
	for name, why := range e.reasons {
		if !e.used[name] {
			t.Errorf("%s is excepted (%s) but keeps the rule, or is gone: drop the exception", name, why)
		}
	}
}

// TestTopLevel holds the folder to what it was agreed to be.
func TestTopLevel(t *testing.T) {
	required := []string{"main.go", "ui", "sources", "model", "themes", "screenshots", "go.mod", "go.sum", "README.md", "LICENSE"}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		got = append(got, e.Name())
		if !slices.Contains(required, e.Name()) && !ignored(t, e.Name()) {
			t.Errorf("top level: %s does not belong there (it holds %s and dot-files)", e.Name(), strings.Join(required, " "))
		}
	}
	for _, name := range required {
		if !slices.Contains(got, name) {
			t.Errorf("top level: %s is missing", name)
		}
	}
}

// ignored reports whether .gitignore names a top-level entry: what a build
// left there is nobody's work.
func ignored(t *testing.T, name string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		ok, err := path.Match(pattern, name)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			return true
		}
	}
	return false
}

// TestFileNames keeps out the names that say nothing.
func TestFileNames(t *testing.T) {
	empty := []string{"util", "utils", "common", "helper", "helpers", "types", "type", "const", "consts", "constants", "base", "misc", "shared"}
	for _, s := range load(t).sources {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
		if slices.Contains(empty, stem) {
			t.Errorf("%s: name the file after a noun of the field", s.path)
		}
		for _, part := range strings.Split(s.pkg, "/") {
			if slices.Contains(empty, part) {
				t.Errorf("%s: name the package after a noun of the field", s.path)
			}
		}
		if within(s.pkg, "internal") {
			t.Errorf("%s: no internal folder at the top", s.path)
		}
	}
}

// TestPackageComments wants each package to say what it is for.
func TestPackageComments(t *testing.T) {
	for pkg, files := range load(t).folders {
		name, docs := "", 0
		for _, s := range files {
			if s.test {
				continue
			}
			name = s.ast.Name.Name
			if s.ast.Doc == nil {
				continue
			}
			docs++
			want := "Package " + name + " "
			if name == "main" {
				want = "Command "
			}
			if got := s.ast.Doc.Text(); !strings.HasPrefix(got, want) {
				t.Errorf("%s: want a comment that begins %q, got %.40q", s.path, want, got)
			}
		}
		switch {
		case name == "":
			t.Errorf("%s has tests only: give it a doc.go with a package comment", pkg)
		case docs == 0:
			t.Errorf("%s has no package comment (what it is for, what it owns, what it must not do)", pkg)
		case docs > 1:
			t.Errorf("%s has %d package comments: keep one", pkg, docs)
		}
	}
}
