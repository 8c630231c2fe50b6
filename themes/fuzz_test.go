package themes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"benchtop/themes"
)

// aliasBomb is a text that a reader which expands it would not survive.
const aliasBomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
	"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\nname: *f\n"

// FuzzParse: a theme file is a stranger's too. Whatever stands in it, nothing
// panics, and what a theme sends to the terminal is nothing but colours.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("want the built-in themes as seeds, got %v, %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(aliasBomb))
	f.Add([]byte("name: x\nroles:\n  text: {fg: \"\\e[2J\"}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		th, err := themes.Parse(text)
		if err != nil {
			return
		}
		for r := range themes.Role(255) {
			for d := themes.Mono; d <= themes.TrueColor; d++ {
				sgr := th.AppendSGR(nil, themes.Look{Fg: r, Bg: r}, d)
				if len(bytes.Trim(sgr, "\x1b[0123456789;:m")) > 0 {
					t.Fatalf("%s at %s: want colours and attributes only, got %q", r, d, sgr)
				}
			}
		}
	})
}
