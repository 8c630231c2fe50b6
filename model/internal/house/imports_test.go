package house_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// all means: may import every package of ours.
var all = []string{"*"}

// table says which of our packages each package may import itself. A package
// that is not listed fails, and so does a listed one that is gone.
var table = map[string][]string{
	".":                    all,
	"ui/cli":               all,
	"model":                nil,
	"model/store":          {"model"},
	"model/diagnose":       {"model"},
	"model/engine":         {"model", "model/store", "model/diagnose"},
	"model/compare":        {"model"},
	"model/internal/house": nil,
	"sources":              {"model"},
	"sources/tail":         {"sources", "model"},
	"sources/serverlog":    {"sources", "sources/tail", "model"},
	"sources/loadgen":      {"sources", "sources/tail", "model"},
	"sources/scrape":       {"sources", "model"},
	"sources/host":         {"sources", "model"},
	"sources/gpu":          {"sources", "model"},
	"sources/recording":    {"sources", "model"},
	"sources/sim":          {"sources", "sources/serverlog", "sources/loadgen", "sources/scrape", "sources/gpu", "sources/host", "model"},
	"ui":                   {"model", "themes", "ui/draw", "ui/layout", "ui/panel"},
	"ui/layout":            nil,
	"ui/draw":              {"themes"},
	"ui/panel":             {"model", "ui/draw", "ui/layout", "themes"},
	"ui/plain":             {"model", "ui/draw"},
	"ui/report":            {"model", "model/compare", "ui/draw"},
	"ui/e2e":               {"sources/recording", "model"},
	"screenshots":          all, // as main
	"themes":               nil,
}

// placed says which of our packages may import a third party's module. One that
// is not listed is a new dependency: argue it in its commit and add it here.
var placed = map[string][]string{
	"charm.land/bubbletea/v2":                 {"ui"},
	"charm.land/lipgloss/v2":                  {"ui"},
	"charm.land/fang/v2":                      {"ui/cli"},
	"github.com/muesli/mango-cobra":           {"ui/cli"}, // the manual page
	"github.com/muesli/roff":                  {"ui/cli"}, // the manual page
	"github.com/spf13/cobra":                  {"ui/cli"},
	"github.com/spf13/pflag":                  {"ui/cli"},
	"golang.org/x/term":                       {"ui/cli"},
	"github.com/charmbracelet/colorprofile":   {"ui"},
	"github.com/charmbracelet/x/ansi":         {"ui", "ui/draw"},
	"github.com/guptarohit/asciigraph":        {"ui/draw"},
	"golang.org/x/image":                      {"ui/draw"},
	"github.com/NVIDIA/go-nvml":               {"sources/gpu"},
	"github.com/nxadm/tail":                   {"sources/tail"},
	"golang.org/x/sys/unix":                   {"sources/tail"},
	"github.com/valyala/fastjson":             {"sources/loadgen"},
	"github.com/prometheus/common":            {"sources/scrape"},
	"github.com/prometheus/client_model":      {"sources/scrape"},
	"github.com/prometheus/procfs":            {"sources/host"},
	"github.com/goccy/go-yaml":                {"themes", "sources/serverlog", "ui/cli"},
	"github.com/HdrHistogram/hdrhistogram-go": {"model/store"},
	"gonum.org/v1/gonum":                      {"model/store"},
	"github.com/aclements/go-moremath":        {"model/compare"},
}

// forTests are the modules that only tests may import.
var forTests = []string{
	"go.uber.org/goleak", "github.com/charmbracelet/x/vt", "github.com/creack/pty",
}

// ban forbids what from can reach, itself or through others.
type ban struct {
	from []string // packages and all under them
	but  []string // and these not
	to   []string // packages or modules, and all under them
	why  string
}

var bans = []ban{
	{
		[]string{"model"},
		nil,
		[]string{module + "/sources", module + "/ui", module + "/themes"},
		"data flows one way: the model knows neither who makes events nor who draws snapshots",
	},
	{
		[]string{"model"},
		nil,
		[]string{"net/http", "os/exec", "os/signal", "charm.land", "github.com/nxadm/tail", "github.com/NVIDIA/go-nvml", "github.com/prometheus/procfs"},
		"a recording gives the same snapshots on any machine: the model reaches nothing outside itself",
	},
	{
		[]string{"sources"},
		nil,
		[]string{module + "/ui", module + "/themes", "charm.land"},
		"a source does not know the screen",
	},
	{
		[]string{"sources"},
		nil,
		[]string{module + "/model/store", module + "/model/diagnose", module + "/model/engine"},
		"a source does not know the engine",
	},
	{
		[]string{"sources"},
		[]string{"sources/scrape", "sources/gpu", "sources/sim"},
		[]string{"net/http"},
		"only pollers talk to the network",
	},
	{
		[]string{"sources"},
		[]string{"sources/gpu", "sources/sim"},
		[]string{"github.com/NVIDIA/go-nvml"},
		"a fault in the driver's library must stay in one package",
	},
	{
		[]string{"ui"},
		[]string{"ui/cli", "ui/e2e"},
		[]string{module + "/sources"},
		"the screen sees snapshots only, so live and replay are the same to it",
	},
	{
		[]string{"ui"},
		[]string{"ui/cli", "ui/e2e"},
		[]string{module + "/model/store", module + "/model/engine"},
		"the screen reads what was published, not what is being written",
	},
	{
		[]string{"ui/panel", "ui/layout", "ui/draw", "ui/plain", "ui/report"},
		nil,
		[]string{"charm.land/bubbletea/v2", "charm.land/lipgloss/v2", "net/http"},
		"panels are pure functions of a frame and draw roles, never colours",
	},
	{
		[]string{"themes"},
		nil,
		[]string{module + "/model", module + "/sources", module + "/ui", "charm.land/bubbletea/v2"},
		"a theme is data: roles and colours",
	},
}

// gone are import paths that must not come back; unlike a ban's they are not
// expected to exist here.
var gone = map[string]string{
	"github.com/charmbracelet/bubbletea": "the first line of bubbletea: ours is charm.land/bubbletea/v2",
	"github.com/charmbracelet/lipgloss":  "the first line of lipgloss: ours is charm.land/lipgloss/v2",
	"gopkg.in/yaml.v3":                   "unmaintained: ours is goccy/go-yaml",
	"unsafe":                             "nothing here is worth it",
}

// imports are the paths that a file imports.
func imports(s *source) []string {
	var out []string
	for _, i := range s.ast.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// ours gives the folder of one of our packages.
func ours(importPath string) (string, bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// standard reports whether a path belongs to the standard library.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && first != module
}

// TestImportTable holds every package to its row: one that is not in it is a
// new part of the house and needs one.
func TestImportTable(t *testing.T) {
	tree := load(t)
	for pkg := range tree.folders {
		if _, ok := table[pkg]; !ok {
			t.Errorf("%s has no row in the import table: say what it may import", pkg)
		}
	}
	for pkg, may := range table {
		if _, ok := tree.folders[pkg]; !ok {
			t.Errorf("the import table lists %s, which does not exist", pkg)
		}
		for _, dep := range may {
			if _, ok := tree.folders[dep]; !ok && dep != "*" {
				t.Errorf("the import table lets %s import %s, which does not exist", pkg, dep)
			}
		}
	}
	for _, s := range tree.sources {
		if s.test && s.pkg != "ui/e2e" { // a test may drive its package with whatever it needs
			continue
		}
		may := table[s.pkg]
		for _, p := range imports(s) {
			dep, ok := ours(p)
			if ok && may != nil && may[0] == "*" {
				continue
			}
			if ok && !slices.Contains(may, dep) {
				t.Errorf("%s imports %s: %s may import %s of ours", s.path, dep, s.pkg, orNothing(may))
			}
		}
	}
	for _, s := range tree.sources {
		for _, p := range imports(s) {
			if dep, ok := ours(p); ok && (dep == "." || dep == "ui/cli" && s.pkg != "." && s.pkg != "model/internal/house" && s.pkg != dep) {
				t.Errorf("%s imports %s: only main does", s.path, dep)
			}
		}
	}
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// moduleOf finds the entry of names that a path belongs to.
func moduleOf(importPath string, names []string) (string, bool) {
	for _, n := range names {
		if within(importPath, n) {
			return n, true
		}
	}
	return "", false
}

// TestThirdParties keeps each module of others to the packages that wrap it.
func TestThirdParties(t *testing.T) {
	modules := slices.Sorted(maps.Keys(placed))
	seen := map[string]bool{} // module or "module in package"
	for _, s := range load(t).sources {
		for _, p := range imports(s) {
			if m, ok := moduleOf(p, slices.Sorted(maps.Keys(gone))); ok && (p != "unsafe" || !s.test) {
				t.Errorf("%s imports %s: %s", s.path, p, gone[m])
			}
			if _, ok := ours(p); ok || standard(p) {
				continue
			}
			if m, ok := moduleOf(p, forTests); ok {
				seen[m] = true
				if !s.test {
					t.Errorf("%s imports %s, which is for tests", s.path, p)
				}
				continue
			}
			m, ok := moduleOf(p, modules)
			switch {
			case !ok:
				t.Errorf("%s imports %s: a new dependency (argue it in its commit and say here where it belongs)", s.path, p)
			case s.test: // tests may compare with any of them
			case !slices.Contains(placed[m], s.pkg):
				t.Errorf("%s imports %s, which belongs in %s only", s.path, p, strings.Join(placed[m], ", "))
			}
			if ok && !s.test {
				seen[m], seen[m+" in "+s.pkg] = true, true
			}
		}
	}
	for m, pkgs := range placed {
		for _, pkg := range pkgs {
			if !seen[m+" in "+pkg] {
				t.Errorf("%s is listed for %s, which does not import it: drop it from the list", m, pkg)
			}
		}
	}
	for _, m := range forTests {
		if !seen[m] {
			t.Errorf("%s is listed for tests, and none imports it: drop it from the list", m)
		}
	}
}

// dependencies maps every package that the module's code reaches to what it
// imports: ours as the files say, whatever the system; others as the go
// command resolves them here.
var dependencies = sync.OnceValues(func() (map[string][]string, error) {
	t, err := parsed()
	if err != nil {
		return nil, err
	}
	graph := map[string][]string{}
	for pkg, files := range t.folders {
		for _, s := range files {
			if !s.test {
				graph[path.Join(module, pkg)] = append(graph[path.Join(module, pkg)], imports(s)...)
			}
		}
	}
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("go list: " + err.Error() + ": " + stderr.String())
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return graph, nil
		} else if err != nil {
			return nil, err
		}
		if _, ok := ours(p.ImportPath); !ok {
			graph[p.ImportPath] = p.Imports
		}
	}
})

// reach finds the shortest way from a package to something under to.
func reach(graph map[string][]string, from string, to []string) []string {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if _, ok := moduleOf(at, to); ok && at != from {
			var way []string
			for p := at; p != ""; p = before[p] {
				way = append([]string{p}, way...)
			}
			return way
		}
		for _, next := range graph[at] {
			if _, ok := before[next]; !ok {
				before[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// TestBans follows imports to their end.
func TestBans(t *testing.T) {
	graph, err := dependencies()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for p, deps := range graph {
		known[p] = true
		for _, d := range deps {
			known[d] = true
		}
	}
	exists := func(p string) bool {
		for k := range known {
			if within(k, p) {
				return true
			}
		}
		return false
	}
	for _, b := range bans {
		for _, name := range slices.Concat(b.from, b.but) {
			if !exists(path.Join(module, name)) {
				t.Errorf("a ban speaks of %s, which does not exist: the rule has gone stale (%s)", name, b.why)
			}
		}
		for _, name := range b.to {
			if !exists(name) {
				t.Errorf("a ban speaks of %s, which nothing here reaches any more: the rule has gone stale (%s)", name, b.why)
			}
		}
		for p := range graph {
			pkg, ok := ours(p)
			if !ok || !slices.ContainsFunc(b.from, func(f string) bool { return within(pkg, f) }) ||
				slices.ContainsFunc(b.but, func(f string) bool { return within(pkg, f) }) {
				continue
			}
			if way := reach(graph, p, b.to); way != nil {
				t.Errorf("%s: %s", strings.Join(way, " → "), b.why)
			}
		}
	}
}

// direct are imports that a package may not have itself, whatever others do.
var direct = []struct {
	pkgs []string
	to   []string
	why  string
}{
	{[]string{"model", "model/store", "model/diagnose", "model/engine"}, []string{"os", "net", "io/fs", "sync", "math/rand", "math/rand/v2"}, "the model is values: no files, no network, no locks, no chance"},
	{[]string{"ui/panel", "ui/layout", "ui/draw"}, []string{"os", "net", "sync", "context"}, "what is drawn depends on the frame alone"},
	{[]string{"themes"}, []string{"net", "sync", "context"}, "a theme is data"},
}

// TestDirectBans looks at what packages import themselves.
func TestDirectBans(t *testing.T) {
	tree := load(t)
	for _, d := range direct {
		for _, pkg := range d.pkgs {
			if len(tree.folders[pkg]) == 0 {
				t.Errorf("a ban speaks of %s, which does not exist: the rule has gone stale (%s)", pkg, d.why)
			}
			for _, s := range tree.folders[pkg] {
				for _, p := range imports(s) {
					if !s.test && slices.Contains(d.to, p) {
						t.Errorf("%s imports %s: %s", s.path, p, d.why)
					}
				}
			}
		}
	}
}
