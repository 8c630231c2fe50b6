package themes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"benchtop/themes"
)

func builtin(t *testing.T) []*themes.Theme {
	t.Helper()
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 3 || all[0].Name != themes.DefaultName {
		t.Fatalf("want at least three themes, the default first, got %d", len(all))
	}
	return all
}

var depths = []themes.Depth{themes.ANSI16, themes.ANSI256, themes.TrueColor}

func TestContrast(t *testing.T) {
	for _, th := range builtin(t) {
		for _, d := range depths {
			t.Run(fmt.Sprintf("%s/%s", th.Name, d), func(t *testing.T) {
				bg := th.Colour(themes.Background, d)
				check := func(what string, fg, bg [3]uint8, want float64) {
					t.Helper()
					if got := themes.Contrast(fg, bg); got < want {
						t.Errorf("%s: want a contrast of at least %.1f, got %.2f", what, want, got)
					}
				}
				for r := themes.Role(0); int(r) < themes.NumRoles; r++ {
					switch r.Kind() {
					case themes.KindText:
						check(r.String(), th.Colour(r, d), bg, 4.5)
					case themes.KindMark:
						// Basic palettes have no blue that is bright enough: 2.2 is what they give.
						want := 3.0
						if d == themes.ANSI16 {
							want = 2.2
						}
						check(r.String(), th.Colour(r, d), bg, want)
					case themes.KindTint, themes.KindOrnament:
					}
				}
				check("badge text on badge", th.Colour(themes.BadgeText, d), th.Colour(themes.Badge, d), 4.5)
				check("text on bar", th.Colour(themes.Text, d), th.Colour(themes.Bar, d), 4.5)
				check("dim on bar", th.Colour(themes.Dim, d), th.Colour(themes.Bar, d), 3.5)
				if d == themes.ANSI16 {
					return // tints are not drawn there: runes take their place
				}
				check("gap text on gap", th.Colour(themes.GapText, d), th.Colour(themes.Gap, d), 4.5)
				check("client line on gap", th.Colour(themes.Client, d), th.Colour(themes.Gap, d), 3)
				check("client line on server area", th.Colour(themes.Client, d), th.Colour(themes.ServerFill, d), 1.9)
				check("bad on its tint", th.Colour(themes.Bad, d), th.Colour(themes.BadTint, d), 3)
				check("gap against background", th.Colour(themes.Gap, d), bg, 1.2)
				check("text on cursor", th.Colour(themes.Text, d), th.Colour(themes.Cursor, d), 4.5)
			})
		}
	}
}

// The three that must never be mistaken for each other.
func TestSidesToldApart(t *testing.T) {
	roles := []themes.Role{themes.Client, themes.ServerFill, themes.WaitingFill, themes.Gap, themes.Background, themes.Bad}
	for _, th := range builtin(t) {
		for _, d := range depths {
			for i, a := range roles {
				for _, b := range roles[i+1:] {
					if got := distance(th.Colour(a, d), th.Colour(b, d)); got < 40 {
						t.Errorf("%s at %s: %s and %s are %.0f apart, want at least 40", th.Name, d, a, b, got)
					}
				}
			}
		}
		if th.Ink(themes.Client).Mono == th.Ink(themes.ServerFill).Mono {
			t.Errorf("%s without colour: client and server have the same attribute", th.Name)
		}
	}
}

func distance(a, b [3]uint8) float64 {
	s := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		if d < 0 {
			d = -d
		}
		s += d
	}
	return s
}

func TestHeatScaleRises(t *testing.T) {
	for _, th := range builtin(t) {
		bg := th.Colour(themes.Background, themes.TrueColor)
		last := 0.0
		for i := range themes.HeatSteps {
			c := themes.Contrast(th.Colour(themes.Heat1+themes.Role(i), themes.TrueColor), bg)
			if c <= last {
				t.Errorf("%s: heat step %d has contrast %.2f, not above the step before (%.2f)", th.Name, i+1, c, last)
			}
			last = c
		}
	}
}

func TestSGR(t *testing.T) {
	th := builtin(t)[0]
	look := themes.Look{Fg: themes.Bad, Bg: themes.Background, Attr: themes.Bold}
	for _, tc := range []struct {
		depth themes.Depth
		want  string
	}{
		{themes.Mono, "\x1b[0;1;4m"},
		{themes.ANSI16, "\x1b[0;1;91;40m"},
		{themes.ANSI256, "\x1b[0;1;38;5;209;48;5;234m"},
		{themes.TrueColor, "\x1b[0;1;38;2;255;122;102;48;2;22;22;30m"},
	} {
		if got := string(th.AppendSGR(nil, look, tc.depth)); got != tc.want {
			t.Errorf("%s: want %q, got %q", tc.depth, tc.want, got)
		}
	}
}

func TestUserFolder(t *testing.T) {
	dir := fstest.MapFS{
		"half.yaml":   {Data: []byte("name: half\nroles:\n  text: {rgb: \"#ffffff\", c256: 1, c16: \"7\", mono: \"\"}\n")},
		"typo.yaml":   {Data: []byte("name: typo\ncolour: red\n")},
		"colour.yaml": {Data: []byte("name: colour\nroles:\n  text: {rgb: \"white\", c256: 1, c16: \"7\", mono: \"\"}\n")},
		"notes.txt":   {Data: []byte("not a theme")},
	}
	got, err := themes.Folder(dir)
	if len(got) != 0 || err == nil {
		t.Fatalf("want no theme and an error, got %d and %v", len(got), err)
	}
	for _, want := range []string{"half.yaml", "is not set", "typo.yaml", "colour", "#rrggbb"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in the error, got %v", want, err)
		}
	}
}

func TestFind(t *testing.T) {
	all := builtin(t)
	if th, err := themes.Find(all, "light"); err != nil || !th.Light {
		t.Fatalf("want the light theme, got %v, %v", th, err)
	}
	if _, err := themes.Find(all, "neon"); !errors.Is(err, themes.ErrUnknown) || !strings.Contains(err.Error(), "dark") {
		t.Fatalf("want ErrUnknown that lists the themes, got %v", err)
	}
}
