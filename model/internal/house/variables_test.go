package house_test

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"
)

// variables are package variables of another kind, each with its reason.
var variables = map[string]string{
	"sources.pool":               "the pool of batches: memory that goes round between outlets and engine",
	"sources/recording.crcTable": "the polynomial's table",
	"sources.started":            "when the process began by both clocks: read only, and time is what it is about",
	"sources.Max":                "infinity, which Go has no constant for",
	"ui/report.absent":           "not a number, which Go has no constant for",
	"screenshots.start":          "a fixed instant, which Go has no constant for",
	"ui/cli.demoStart":           "a fixed instant, which Go has no constant for",
}

// TestPackageVariables allows registries, embeds, compiled patterns, sentinel
// errors and lookup tables: things that are made once and only read.
func TestPackageVariables(t *testing.T) {
	all := load(t)
	allowed := except(variables)
	for _, s := range all.code() {
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || isEmbed(g) {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				for i, name := range v.Names {
					var value ast.Expr
					if i < len(v.Values) {
						value = v.Values[i]
					}
					if name.Name != "_" && !constant(name.Name, value) && !allowed.allow(s.pkg+"."+name.Name) {
						t.Errorf("%s: package variable %s is no registry, embed, pattern, sentinel error or table", all.at(name), name.Name)
					}
				}
			}
		}
	}
	allowed.stale(t)
}

// constant reports whether a variable's value is one of the allowed kinds.
func constant(name string, value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		x, ok := v.Type.(*ast.SelectorExpr)
		return !ok || !selects(x, "sync") && !selects(x, "atomic") // memory that changes
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr: // &T{…}
		_, ok := v.X.(*ast.CompositeLit)
		return ok && v.Op == token.AND
	case *ast.CallExpr:
		switch f := v.Fun.(type) {
		case *ast.ArrayType: // []byte("word")
			return true
		case *ast.FuncLit: // a table turned round
			return len(v.Args) == 0
		case *ast.Ident: // a table made from its rows, once
			return len(v.Args) == 1 && constant(name, v.Args[0])
		case *ast.SelectorExpr:
			x, ok := f.X.(*ast.Ident)
			if !ok {
				return false
			}
			switch x.Name + "." + f.Sel.Name {
			case "regexp.MustCompile", "strings.NewReplacer":
				return true
			case "errors.New", "fmt.Errorf":
				return strings.HasPrefix(strings.ToLower(name), "err")
			}
		}
	}
	return false
}

func selects(x *ast.SelectorExpr, pkg string) bool {
	id, ok := x.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// absentImporter makes the type checker do without other packages: names
// declared in a package are resolved all the same.
type absentImporter struct{}

func (absentImporter) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// TestPackageVariablesAreOnlyRead finds writes to package variables, their
// fields and elements.
func TestPackageVariablesAreOnlyRead(t *testing.T) {
	all := load(t)
	for pkg, files := range all.folders {
		var asts []*ast.File
		for _, s := range files {
			if !s.test {
				asts = append(asts, s.ast)
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: absentImporter{}, Error: func(error) {}}
		checked, _ := conf.Check(path.Join(module, pkg), all.fset, asts, info) // errors: imports are absent
		written := func(e ast.Expr) (string, bool) {
			id := rootOf(e)
			if id == nil {
				return "", false
			}
			switch o := info.Uses[id].(type) {
			case *types.PkgName: // another package's
				return id.Name, true
			case *types.Var:
				return id.Name, o.Parent() == checked.Scope()
			}
			return "", false
		}
		for _, f := range asts {
			ast.Inspect(f, func(n ast.Node) bool {
				var targets []ast.Expr
				switch n := n.(type) {
				case *ast.AssignStmt:
					if n.Tok != token.DEFINE {
						targets = n.Lhs
					}
				case *ast.IncDecStmt:
					targets = []ast.Expr{n.X}
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, id.Name) && len(n.Args) > 0 {
						targets = n.Args[:1]
					}
				}
				for _, e := range targets {
					if name, ok := written(e); ok {
						t.Errorf("%s: writes the package variable %s: two runs in one process would meet there", all.at(n), name)
					}
				}
				return true
			})
		}
	}
}

// rootOf is the variable that an expression such as a.b[i] writes into.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}
