package house_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"benchtop/sources/loadgen"
	"benchtop/sources/scrape"
	"benchtop/sources/serverlog"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/panel"
)

var update = flag.Bool("update", false, "write the README's marked tables anew")

// markdown is a table as the README has it.
func markdown(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(&b, "| %s ", strings.ReplaceAll(c, "|", `\|`))
		}
		b.WriteString("|\n")
	}
	line(head)
	b.WriteString(strings.Repeat("| --- ", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// tables are the README's tables by the name in their markers.
func tables(t *testing.T) map[string]string {
	t.Helper()
	var formats, keys, panels, looks [][]string
	for _, n := range serverlog.Names() {
		f, _ := serverlog.Lookup(n)
		formats = append(formats, []string{"`--log`", "`" + n + "`", f.Versions})
	}
	for _, f := range loadgen.Formats {
		formats = append(formats, []string{"`--load`", "`" + f.Name + "`", f.Versions})
	}
	for _, n := range scrape.Engines() {
		formats = append(formats, []string{"`--metrics`", "`" + n + "`", scrape.Versions(n)})
	}
	for _, b := range ui.Bindings() {
		if b.Name == "" {
			continue
		}
		help := b.Help
		if b.Replay {
			help += " (replay)"
		}
		keys = append(keys, []string{"`" + b.Name + "`", help})
	}
	for _, p := range panel.All() {
		panels = append(panels, []string{"`" + p.Key + "`", p.ID, p.Title})
	}
	builtin, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range builtin {
		looks = append(looks, []string{"`" + l.Name + "`"})
	}
	return map[string]string{
		"formats": markdown([]string{"flag", "format", "checked against"}, formats),
		"keys":    markdown([]string{"key", "what it does"}, keys),
		"panels":  markdown([]string{"key", "panel", "title"}, panels),
		"themes":  markdown([]string{"theme"}, looks),
	}
}

// TestReadmeTables compares the README's marked tables with what the program's
// own lists print. A table stands between <!-- table:NAME --> and
// <!-- /table:NAME -->; -update writes it anew.
func TestReadmeTables(t *testing.T) {
	name := filepath.Join(root, "README.md")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for table, want := range tables(t) {
		open, closing := "<!-- table:"+table+" -->\n", "<!-- /table:"+table+" -->"
		before, rest, ok := strings.Cut(text, open)
		got, after, closed := strings.Cut(rest, closing)
		if !ok || !closed {
			t.Errorf("README.md: no table between %q and %q", strings.TrimSpace(open), closing)
			continue
		}
		if strings.TrimSpace(got) == strings.TrimSpace(want) {
			continue
		}
		if *update {
			text = before + open + want + closing + after
			continue
		}
		t.Errorf("README.md: the table of %s differs from the program's list (go test ./model/internal/house -update)\nwant:\n%s\ngot:\n%s", table, want, got)
	}
	if *update && text != string(raw) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
