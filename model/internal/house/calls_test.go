package house_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goFiles are the only files that start goroutines: everything else starts
// through Group or Spawn, which recover a panic and wait for the end.
var goFiles = map[string]string{
	"sources/group.go":            "Group and Spawn: every source and the engine",
	"sources/recording/writer.go": "the recorder's disk side",
	"sources/gpu/watchdog.go":     "a driver call that may hang is left behind, not waited for",
	"sources/tail/child.go":       "the child's Wait, beside the reading of its output",
}

// TestGoStatements keeps the list of places that start goroutines short.
func TestGoStatements(t *testing.T) {
	all := load(t)
	allowed := except(goFiles)
	for _, s := range all.code() {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok && !allowed.allow(s.path) && s.path != "main.go" {
				t.Errorf("%s: go statement: start it through sources.Group or sources.Spawn", all.at(g))
			}
			return true
		})
	}
	allowed.stale(t)
}

// banned is a set of names of one package that only some files may use.
type banned struct {
	path  string // import path
	names []string
	may   func(s *source) bool
	why   string
}

// programs are the files that are a process: they own its exit, its streams
// and the first context.
func programs(s *source) bool { return s.path == "main.go" || s.path == "screenshots/main.go" }

var bannedNames = []banned{
	{
		"time",
		[]string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep"},
		func(s *source) bool { return !within(s.pkg, "model") && (!within(s.pkg, "ui") || s.pkg == "ui/cli") },
		"time is an event: model and ui take it from ticks and snapshots, so that a replay shows what was seen",
	},
	{"time", []string{"Sleep"}, func(*source) bool { return false }, "wait for a condition, a timer beside ctx.Done, or a deadline"},
	{"os", []string{"Exit"}, programs, "the recording's footer and the terminal come first: return an error"},
	{"log", []string{"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "Print", "Printf", "Println"}, programs, "return an error; the screen is not for logs"},
	{"context", []string{"Background", "TODO"}, programs, "take the caller's context: a new one can't be stopped"},
	{"fmt", []string{"Print", "Printf", "Println"}, programs, "write to the stream that was handed in"},
	{
		"sync",
		[]string{"Mutex", "RWMutex", "NewCond", "Cond"},
		func(s *source) bool { return !within(s.pkg, "model") && (!within(s.pkg, "ui") || s.pkg == "ui/cli") },
		"one writer per piece of memory: model and ui have no locks",
	},
	{
		"os",
		[]string{"Getenv", "LookupEnv", "Environ"},
		func(s *source) bool {
			return !within(s.pkg, "model") && (!within(s.pkg, "ui") || s.pkg == "ui/cli" || s.pkg == "ui")
		},
		"the environment is handed in",
	},
}

// importName is the name by which a file knows a package; "" if it doesn't.
func importName(f *ast.File, importPath string) string {
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || p != importPath {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// TestBannedNames keeps the clock, the exit, the streams and the locks where
// they belong.
func TestBannedNames(t *testing.T) {
	all := load(t)
	for _, s := range all.code() {
		for _, b := range bannedNames {
			name := importName(s.ast, b.path)
			if name == "" || b.may(s) {
				continue
			}
			if name == "." {
				t.Errorf("%s: dot import of %s", s.path, b.path)
			}
			ast.Inspect(s.ast, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == name && slices.Contains(b.names, sel.Sel.Name) {
					t.Errorf("%s: %s.%s: %s", all.at(sel), b.path, sel.Sel.Name, b.why)
				}
				return true
			})
		}
	}
}

// TestNoInit wants nothing to run before main.
func TestNoInit(t *testing.T) {
	all := load(t)
	for _, s := range all.sources {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: init: registries are values, main decides", all.at(f))
			}
		}
		for _, i := range s.ast.Imports {
			if i.Name != nil && i.Name.Name == "_" && i.Path.Value != `"embed"` {
				t.Errorf("%s: import of %s for its side effects", all.at(i), i.Path.Value)
			}
		}
	}
}

// contextFields are files whose structs may keep a context, each with its
// reason.
var contextFields = map[string]string{
	"sources/outlet.go":          "an outlet's lane lives exactly as long as the one Run it was made for",
	"sources/loadgen/command.go": "it ends with the program that the source is",
	"sources/loadgen/source.go":  "it bounds the stream that a program writes, not a call",
}

// TestContexts wants a context to be a first parameter and never a field.
func TestContexts(t *testing.T) {
	all := load(t)
	fields := except(contextFields)
	for _, s := range all.code() {
		name := importName(s.ast, "context")
		if name == "" {
			continue
		}
		isContext := func(e ast.Expr) bool {
			sel, ok := e.(*ast.SelectorExpr)
			if !ok {
				return false
			}
			x, ok := sel.X.(*ast.Ident)
			return ok && x.Name == name && sel.Sel.Name == "Context"
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				for _, f := range n.Fields.List {
					if isContext(f.Type) && !fields.allow(s.path) {
						t.Errorf("%s: a context as a field: pass it", all.at(f))
					}
				}
			case *ast.FuncType:
				for i, f := range n.Params.List {
					if isContext(f.Type) && i > 0 && !fields.allow(s.path) {
						t.Errorf("%s: a context that is not the first parameter", all.at(f))
					}
				}
			}
			return true
		})
	}
	fields.stale(t)
}

// TestTodos wants a TODO to say which issue it belongs to.
func TestTodos(t *testing.T) {
	all := load(t)
	for _, s := range all.code() {
		for _, g := range s.ast.Comments {
			for _, c := range g.List {
				for _, word := range []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"} {
					if strings.Contains(c.Text, word) && !strings.Contains(c.Text, "#") {
						t.Errorf("%s: a %s without the number of an issue", all.at(c), word)
					}
				}
			}
		}
	}
}

// isEmbed reports whether a declaration is filled by the compiler.
func isEmbed(d *ast.GenDecl) bool {
	if d.Tok != token.VAR || d.Doc == nil {
		return false
	}
	return slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}
