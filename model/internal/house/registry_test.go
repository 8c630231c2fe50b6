package house_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/diagnose"
	"benchtop/sources/gpu"
	"benchtop/sources/loadgen"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
	"benchtop/sources/sim"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/panel"
)

// registry is one list of the program and the names in it.
type registry struct {
	name  string
	names []string
}

func names[T any](all []T, name func(T) string) []string {
	var out []string
	for _, x := range all {
		out = append(out, name(x))
	}
	return out
}

func registries(t *testing.T) []registry {
	t.Helper()
	looks, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return []registry{
		{"series", names(model.Catalogue[:], func(s model.Series) string { return s.Name })},
		{"findings", names(diagnose.Rules(), func(r diagnose.Rule) string { return r.ID })},
		{"formats of server logs", serverlog.Names()},
		{"formats of load streams", names(loadgen.Formats, func(f *loadgen.Format) string { return f.Name })},
		{"engines with metrics", scrape.Engines()},
		{"GPU backends", names(gpu.Backends, func(b gpu.Backend) string { return b.Name })},
		{"panels", names(panel.All(), func(p panel.Panel) string { return p.ID })},
		{"themes", names(looks, func(l *themes.Theme) string { return l.Name })},
		{"scenarios", names(sim.Scenarios(), func(s sim.Scenario) string { return s.Name })},
	}
}

var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// otherSpellings are names that were fixed elsewhere, each with its reason.
var otherSpellings = map[string]string{
	"ray-serve": "the engine's name in the corpus of metrics, and so in the probe's JSON",
}

// TestRegistryNames wants names that can be typed, stored and told apart.
func TestRegistryNames(t *testing.T) {
	others := except(otherSpellings)
	for _, r := range registries(t) {
		if len(r.names) == 0 {
			t.Errorf("%s: the list is empty", r.name)
		}
		seen := map[string]bool{}
		for _, n := range r.names {
			if !snakeCase.MatchString(n) && !others.allow(n) {
				t.Errorf("%s: want snake_case, got %q", r.name, n)
			}
			if seen[n] {
				t.Errorf("%s: %q is there twice", r.name, n)
			}
			seen[n] = true
		}
	}
	others.stale(t)
	both := map[string]bool{}
	for _, n := range serverlog.Names() {
		both[n] = true
	}
	for _, f := range loadgen.Formats {
		if both[f.Name] {
			t.Errorf("format %q is a server's and a load stream's: ,format= and --as can't tell them apart", f.Name)
		}
	}
}

// TestKeysAreUnique wants each key to do one thing.
func TestKeysAreUnique(t *testing.T) {
	used := map[string]string{}
	take := func(key, what string) {
		if other, ok := used[key]; ok {
			t.Errorf("key %q: %s and %s", key, other, what)
		}
		used[key] = what
	}
	last := ""
	for _, b := range ui.Bindings() {
		if b.Name != "" {
			last = b.Help
		}
		for _, k := range b.Keys {
			take(k, last)
		}
	}
	for _, p := range panel.All() {
		if p.Key == "" {
			t.Errorf("panel %s has no key", p.ID)
			continue
		}
		take(p.Key, "panel "+p.ID)
	}
}

// head is the first lines of a sample.
func head(t *testing.T, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(text[:min(len(text), 256<<10)], []byte("\n"))
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFormatsHaveSamples wants at least one sample with its expected result
// for each format and engine.
func TestFormatsHaveSamples(t *testing.T) {
	for _, n := range serverlog.Names() {
		logs := glob(t, "sources/serverlog/testdata/"+n+"*.log")
		if len(logs) == 0 {
			t.Errorf("server log format %s has no sources/serverlog/testdata/%s*.log", n, n)
		}
		for _, l := range logs {
			if len(glob(t, "sources/serverlog/testdata/"+strings.TrimSuffix(filepath.Base(l), ".log")+".expect.json")) == 0 {
				t.Errorf("%s has no .expect.json beside it", filepath.Base(l))
			}
		}
	}
	best := map[string]bool{}
	for _, e := range glob(t, "sources/loadgen/testdata/*.expect.json") {
		if m := loadgen.Sniff(head(t, strings.TrimSuffix(e, ".expect.json"))); len(m) > 0 {
			best[m[0].Format.Name] = true
		}
	}
	for _, f := range loadgen.Formats {
		if !best[f.Name] {
			t.Errorf("load format %s: no sample in sources/loadgen/testdata is taken for it", f.Name)
		}
	}
	known := map[string]bool{}
	for _, e := range glob(t, "sources/scrape/testdata/*.expect.json") {
		var x struct{ Engine string }
		text, err := os.ReadFile(e)
		if err == nil {
			err = json.Unmarshal(text, &x)
		}
		if err != nil {
			t.Fatal(err)
		}
		known[x.Engine] = true
	}
	for _, n := range scrape.Engines() {
		if !known[n] {
			t.Errorf("engine %s has no sample in sources/scrape/testdata", n)
		}
	}
}

// TestFindingsHaveCases wants each finding to be named in the table of cases
// that must raise it and cases that must not.
func TestFindingsHaveCases(t *testing.T) {
	tree := load(t)
	cases := map[string]bool{}
	for _, s := range tree.folders["model/diagnose"] {
		if !s.test {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			lit, ok := kv.Key.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			id, err := strconv.Unquote(lit.Value)
			body, isCase := kv.Value.(*ast.CompositeLit)
			if err != nil || !isCase {
				return true
			}
			has := map[string]bool{}
			for _, e := range body.Elts {
				if f, ok := e.(*ast.KeyValueExpr); ok {
					if name, ok := f.Key.(*ast.Ident); ok {
						has[name.Name] = true
					}
				}
			}
			cases[id] = has["fire"] && has["quiet"]
			return true
		})
	}
	for _, r := range diagnose.Rules() {
		if !cases[r.ID] {
			t.Errorf("finding %s has no fire and quiet cases in model/diagnose", r.ID)
		}
		if r.Help == "" || r.Needs == "" || r.NextChange == "" || r.SettledBy == "" || r.DoesNotProve == "" {
			t.Errorf("finding %s: want help, needs, next change, settled by and does not prove", r.ID)
		}
	}
}

// TestPanelsAreDrawn wants each panel's title on some golden screen.
func TestPanelsAreDrawn(t *testing.T) {
	var text []byte
	for _, f := range glob(t, "ui/testdata/screens/*-200x60.txt") {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	for _, p := range panel.All() {
		if p.Title != "" && !bytes.Contains(text, []byte(p.Title)) {
			t.Errorf("panel %s: no golden screen of 200×60 shows its title %q", p.ID, p.Title)
		}
	}
}

// TestScenariosNameFindings wants what a scenario promises to exist.
func TestScenariosNameFindings(t *testing.T) {
	ids := names(diagnose.Rules(), func(r diagnose.Rule) string { return r.ID })
	for _, s := range sim.Scenarios() {
		want := slices.Concat(s.Verdict, s.Raised)
		for _, p := range s.Phases {
			want = append(want, p.Verdict...)
		}
		for _, id := range want {
			if id != "none" && !strings.HasPrefix(id, "not_enough_evidence/") && !slices.Contains(ids, id) {
				t.Errorf("scenario %s promises %s, which is no finding", s.Name, id)
			}
		}
	}
}
