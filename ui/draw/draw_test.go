package draw_test

import (
	"encoding/xml"
	"math"
	"strings"
	"testing"
	"time"

	"benchtop/themes"
	"benchtop/ui/draw"
)

var nan = math.NaN()

func rows(g *draw.Grid) []string {
	return strings.Split(strings.TrimSuffix(g.String(), "\n"), "\n")
}

func wantRows(t *testing.T, g *draw.Grid, want ...string) {
	t.Helper()
	got := rows(g)
	if len(got) != len(want) {
		t.Fatalf("want %d rows, got %d: %q", len(want), len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d:\nwant %q\ngot  %q", i, want[i], got[i])
		}
	}
}

func TestSubClips(t *testing.T) {
	g := draw.NewGrid(6, 3)
	s := g.Sub(4, 1, 9, 9)
	if w, h := s.Size(); w != 2 || h != 2 {
		t.Fatalf("want a part of 2x2, got %dx%d", w, h)
	}
	s.Write(-1, 0, themes.Text, "abcdef")
	s.Write(0, 5, themes.Text, "lost")
	s.Tint(-3, -3, 99, 99, themes.Gap)
	wantRows(t, g, "", "    bc", "")
	if got := g.Cell(3, 1).Look.Bg; got != themes.Background {
		t.Errorf("want the tint to stay inside the part, got %s left of it", got)
	}
	if got := g.Sub(9, 9, 2, 2).Cell(0, 0).Rune; got != ' ' {
		t.Errorf("want a blank from an empty part, got %q", got)
	}
}

func TestWriteKeepsBackground(t *testing.T) {
	g := draw.NewGrid(4, 1)
	g.Tint(0, 0, 4, 1, themes.Gap)
	g.Write(0, 0, themes.Bad, "x")
	if got := g.Cell(0, 0).Look; got.Fg != themes.Bad || got.Bg != themes.Gap {
		t.Errorf("want bad on gap, got %s on %s", got.Fg, got.Bg)
	}
}

func TestWideRunes(t *testing.T) {
	g := draw.NewGrid(5, 1)
	if end := g.Write(0, 0, themes.Text, "a世界"); end != 5 {
		t.Errorf("want to end in column 5, got %d", end)
	}
	wantRows(t, g, "a世界")
	g.Clear()
	g.Write(0, 0, themes.Text, "abcd世") // no room for the second half
	wantRows(t, g, "abcd")
	g.Glyphs.ASCII = true
	g.Clear()
	g.Write(0, 0, themes.Text, "世x")
	th := theme(t)
	if got := string(g.Encode(nil, th, themes.Mono)); !strings.Contains(got, "??x") {
		t.Errorf("want a wide rune to take two columns in ASCII too, got %q", got)
	}
}

func theme(t testing.TB) *themes.Theme {
	t.Helper()
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func TestSanitize(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "running: 47, 7 % waiting", "running: 47, 7 % waiting"},
		{"colours", "\x1b[31mred\x1b[0m", "red"},
		{"title", "a\x1b]0;owned\x07b", "ab"},
		{"title by st", "a\x1b]0;owned\x1b\\b", "ab"},
		{"c1", "a\u009b31mb", "ab"},
		{"controls", "a\x00\x08\x7fb", "ab"},
		{"line ends", "a\tb\r\nc", "a b  c"},
		{"direction", "abc\u202egpj.exe", "abcgpj.exe"},
		{"invisible", "a\u200b\u2060\ufeffb", "ab"},
		{"combining", "e\u0301", "e"},
		{"emoji form", "⚠\ufe0f", "⚠"},
		{"broken utf-8", "a\xff\xfeb", "ab"},
		{"signs", "62 °C → 47", "62 °C → 47"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := draw.Sanitize(tc.in); got != tc.want {
				t.Errorf("want %q, got %q", tc.want, got)
			}
		})
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[31mb\u202e世")
	f.Fuzz(func(t *testing.T, s string) {
		g := draw.NewGrid(20, 1)
		g.Write(0, 0, themes.Text, s)
		for _, out := range []string{draw.Sanitize(s), g.String()} {
			for _, r := range strings.TrimSuffix(out, "\n") {
				if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
					t.Fatalf("%q lets %U through as %q", s, r, out)
				}
			}
		}
		for _, l := range draw.Wrap(s, 9) {
			if draw.Width(l) > 9 {
				t.Fatalf("a wrapped line of %q is %d wide: %q", s, draw.Width(l), l)
			}
		}
		if got := draw.Width(draw.Fit(s, 7)); got > 7 {
			t.Fatalf("%q cut to 7 is %d wide", s, got)
		}
	})
}

func TestEncodeChangesStyleOnlyWhereNeeded(t *testing.T) {
	g := draw.NewGrid(8, 2)
	g.Write(0, 0, themes.Bad, "ab")
	g.Write(4, 0, themes.Bad, "cd") // blanks between don't need another colour
	got := string(g.Encode(nil, theme(t), themes.ANSI16))
	want := "\x1b[0;91;40mab  cd  \x1b[m\n\x1b[0;37;40m        \x1b[m"
	if got != want {
		t.Errorf("\nwant %q\ngot  %q", want, got)
	}
}

func TestColumn(t *testing.T) {
	run, wait, gap := themes.ServerFill, themes.WaitingFill, themes.Gap
	for _, tc := range []struct {
		name   string
		glyphs draw.Glyphs
		layers []draw.Layer
		want   string // top to bottom
		bg     []themes.Role
	}{
		{"nothing", draw.Glyphs{Tints: true}, nil, "   ", nil},
		{"a half", draw.Glyphs{Tints: true}, []draw.Layer{{Top: 0.5, Role: run}}, " ▄█", nil},
		{"more than nothing shows", draw.Glyphs{Tints: true}, []draw.Layer{{Top: 0.001, Role: run}}, "  ▁", nil},
		{"above the scale", draw.Glyphs{Tints: true}, []draw.Layer{{Top: 7, Role: run}}, "███", nil},
		{"absent", draw.Glyphs{Tints: true}, []draw.Layer{{Top: nan, Role: run}}, "   ", nil},
		{
			"a gap over an area",
			draw.Glyphs{Tints: true},
			[]draw.Layer{{Top: 0.5, Role: run}, {Top: 1, Role: gap, Tint: true}},
			" ▄█",
			[]themes.Role{gap, gap, themes.Background},
		},
		{
			"a gap that ends low in a cell is not drawn over it",
			draw.Glyphs{Tints: true},
			[]draw.Layer{{Top: 1.0 / 3, Role: run}, {Top: 0.75, Role: gap, Tint: true}},
			"  █",
			[]themes.Role{themes.Background, gap, themes.Background},
		},
		{"a gap without tints", draw.Glyphs{}, []draw.Layer{{Top: 1.0 / 3, Role: run}, {Top: 1, Role: gap, Tint: true}}, "░░█", nil},
		{"a queue on an area", draw.Glyphs{Tints: true}, []draw.Layer{{Top: 1.0 / 3, Role: run}, {Top: 2.0 / 3, Role: wait}}, " ██", nil},
		{"a queue without colour", draw.Glyphs{Mono: true}, []draw.Layer{{Top: 1.0 / 3, Role: run}, {Top: 2.0 / 3, Role: wait}}, " ▒█", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := draw.NewGrid(1, 3)
			g.Glyphs = tc.glyphs
			g.Column(0, tc.layers...)
			for y, want := range []rune(tc.want) {
				if got := g.Cell(0, y).Rune; got != want {
					t.Errorf("row %d: want %q, got %q", y, want, got)
				}
			}
			for y, want := range tc.bg {
				if got := g.Cell(0, y).Look.Bg; got != want {
					t.Errorf("row %d: want background %s, got %s", y, want, got)
				}
			}
		})
	}
}

func TestBraille(t *testing.T) {
	g := draw.NewGrid(9, 2)
	g.Braille([]float64{8, 8, nan, 1, 1, 1, 1, 1, 1}, 8, 5, themes.Client)
	wantRows(t, g, "⠉⠉", "   ⣀⣀ ⣀ ⣀")

	steps := draw.NewGrid(2, 2)
	steps.Braille([]float64{1, 8}, 8, 2, themes.Client)
	wantRows(t, steps, " ⡏", "⣀⡇")

	over := draw.NewGrid(1, 1)
	over.Glyphs.Tints = true
	over.Column(0, draw.Layer{Top: 1, Role: themes.ServerFill})
	over.Braille([]float64{1}, 1, 1, themes.Client)
	if got := over.Cell(0, 0).Look; got.Fg != themes.Client || got.Bg != themes.ServerFill {
		t.Errorf("want the line over the area, got %s on %s", got.Fg, got.Bg)
	}
}

func TestLine(t *testing.T) {
	g := draw.NewGrid(9, 3)
	if err := g.Line([]float64{2, 2, 0, 0, nan, nan, 1, 1, 9}, 0, 2, draw.Only(themes.GPU)); err != nil {
		t.Fatal(err)
	}
	wantRows(t, g, "──╮     ╭", "  │   ╶─╯", "  ╰─╴")
}

func TestLineNeverBreaks(t *testing.T) {
	inf := math.Inf(1)
	for _, vals := range [][]float64{nil, {}, {nan}, {nan, nan}, {inf, 1}, {1, -inf, nan}, {5}, {1e300, -1e300, 3}} {
		for _, h := range []int{0, 1, 2, 7} {
			g := draw.NewGrid(5, h)
			if err := g.Line(vals, 0, 10, draw.Only(themes.GPU)); err != nil {
				t.Errorf("%v in %d rows: want a line or nothing, got %v", vals, h, err)
			}
		}
	}
	if err := draw.NewGrid(5, 3).Line([]float64{1, 2}, 3, 3, draw.Only(themes.GPU)); err != nil {
		t.Errorf("want nothing for an empty scale, got %v", err)
	}
}

func TestHeat(t *testing.T) {
	at := func(_, bin int) float64 { return []float64{0, 10, 10, 0}[bin] }
	g := draw.NewGrid(1, 2)
	g.Glyphs.Tints = true
	g.Heat(1, 4, 10, at)
	if c := g.Cell(0, 0); c.Rune != '▀' || c.Look.Bg != themes.Heat8 || c.Look.Fg != themes.Background {
		t.Errorf("want the lower half hot and the upper cold, got %q %s on %s", c.Rune, c.Look.Fg, c.Look.Bg)
	}
	if c := g.Cell(0, 1); c.Rune != '▀' || c.Look.Fg != themes.Heat8 || c.Look.Bg != themes.Background {
		t.Errorf("want the upper half hot and the lower cold, got %q %s on %s", c.Rune, c.Look.Fg, c.Look.Bg)
	}
	plain := draw.NewGrid(1, 2)
	plain.Heat(1, 4, 10, at)
	wantRows(t, plain, "█", "█")
}

func TestRows(t *testing.T) {
	g := draw.NewGrid(2, 3)
	g.Rows([]float64{2, 0, 0.5}, 2, themes.Latency)
	wantRows(t, g, "██", "", "▌")
}

func TestASCIIOnly(t *testing.T) {
	g := draw.NewGrid(40, 2)
	g.Glyphs.ASCII = true
	x := 0
	for _, r := range "─│┌┐└┘├┤┬┴┼╭╮╰╯┄▁▂▃▄▅▆▇█▏▌░▒▓▀▔·…–°●○■▲△✓▸▶◌→←⠁⠉⣀⡇⣿世é" {
		g.Put(x%40, x/40, r, themes.Text)
		x++
	}
	out := string(g.Encode(nil, theme(t), themes.Mono)) + g.String() + draw.ASCII("62 °C → ✓")
	for _, r := range out {
		if r >= 0x80 {
			t.Errorf("want ASCII only, got %q", r)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct{ name, got, want string }{
		{"count", draw.Count(64), "64"},
		{"thousands", draw.Count(4182), "4,182"},
		{"ten thousands", draw.Count(12800), "12.8k"},
		{"round thousands", draw.Count(20000), "20k"},
		{"edge to M", draw.Count(999_960), "1M"},
		{"millions", draw.Count(1_250_000), "1.2M"},
		{"absent", draw.Count(nan), "–"},
		{"infinite", draw.Count(math.Inf(1)), "–"},
		{"grouped", draw.Grouped(-1234567), "-1,234,567"},
		{"small", draw.Small(0.42), "0.42"},
		{"small zero", draw.Small(0), "0"},
		{"small tens", draw.Small(15.23), "15.2"},
		{"tenth of ms", draw.Latency(0.0042), "4.2 ms"},
		{"ms", draw.Latency(0.031), "31 ms"},
		{"edge to s", draw.Latency(0.9996), "1.00 s"},
		{"s", draw.Latency(1.834), "1.83 s"},
		{"long", draw.Latency(754), "12m34s"},
		{"no latency", draw.Latency(nan), "–"},
		{"age", draw.Age(125), "2m05s"},
		{"round age", draw.Age(120), "2m"},
		{"hours", draw.Age(4020), "1h07m"},
		{"elapsed", draw.Elapsed(451), "00:07:31"},
		{"percent", draw.Percent(0.0042), "0.4 %"},
		{"big percent", draw.Percent(0.27), "27 %"},
		{"no percent", draw.Percent(nan), "–"},
		{"clock", draw.Megahertz(1.98e9), "1,980 MHz"},
		{"no clock", draw.Megahertz(nan), "–"},
		{"power", draw.Watts(583.6), "584 W"},
		{"temperature", draw.Celsius(62.2), "62 °C"},
		{"memory", draw.Bytes(41e6), "41 MB"},
		{"span", draw.Span(1500 * time.Millisecond), "1.5s"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: want %q, got %q", tc.name, tc.want, tc.got)
		}
	}
}

func TestScales(t *testing.T) {
	if got := draw.NiceTop(71.7); got != 80 {
		t.Errorf("want 80 above 71.7, got %v", got)
	}
	if got := draw.NiceTop(nan); got != 1 {
		t.Errorf("want 1 above nothing, got %v", got)
	}
	if got := draw.Ticks(80, 4); len(got) != 5 || got[1] != 20 {
		t.Errorf("want ticks of 20 up to 80, got %v", got)
	}
	if got := draw.ColumnStep(2*time.Minute, 70, 0); got != 2*time.Second {
		t.Errorf("want 2 s columns, got %v", got)
	}
	if got := draw.ColumnStep(2*time.Minute, 118, 0); got != time.Second {
		t.Errorf("want 1 s columns where two are missing, got %v", got)
	}
	if got := draw.ColumnStep(30*time.Second, 118, 10*time.Second); got != 10*time.Second {
		t.Errorf("want no columns below what is kept, got %v", got)
	}
}

func TestPicture(t *testing.T) {
	g := draw.NewGrid(10, 2)
	g.Write(0, 0, themes.Bad, "ab▲✓")
	g.Column(9, draw.Layer{Top: 1, Role: themes.ServerFill})
	img, err := g.Picture(theme(t), themes.TrueColor, 16)
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Dx(); got != 10*8+16 {
		t.Errorf("want 96 pixels across, got %d", got)
	}
	fill := theme(t).Colour(themes.ServerFill, themes.TrueColor)
	if got := img.RGBAAt(8+9*8+4, 8+24); [3]uint8{got.R, got.G, got.B} != fill {
		t.Errorf("want the area's colour %v, got %v", fill, got)
	}
	again, err := g.Picture(theme(t), themes.TrueColor, 16)
	if err != nil {
		t.Fatal(err)
	}
	if string(img.Pix) != string(again.Pix) {
		t.Error("want the same picture twice")
	}
}

func TestSVG(t *testing.T) {
	g := draw.NewGrid(12, 2)
	g.WriteBold(0, 0, themes.Bad, "a<b")
	g.Write(4, 0, themes.Text, "next")
	g.Column(11, draw.Layer{Top: 1, Role: themes.ServerFill})
	g.Tint(0, 1, 6, 1, themes.Gap)
	svg := g.SVG(nil, theme(t))
	if err := xml.Unmarshal(svg, new(struct{})); err != nil {
		t.Fatalf("want well-formed XML, got %v\n%s", err, svg)
	}
	for _, want := range []string{
		`font-weight="bold">a&lt;b</text>`, `>next</text>`,
		`<rect x="8" y="24" width="48" height="16" fill="#4a3b28"/>`, // six cells, one rectangle
	} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("want %s in\n%s", want, svg)
		}
	}
}

func TestSpark(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		name string
		vals []float64
		base float64
		want string
	}{
		{"rises from zero", []float64{0, 1, 2, 3}, 0, "▁▃▅▇"},
		{"a gap is a blank", []float64{3, nan, 3}, 0, "▇ ▇"},
		{"all the same", []float64{2, 2}, 2, "▁▁"},
		{"from a base of its own", []float64{100, 103}, 99, "▃▇"},
		{"nothing", []float64{nan}, 0, " "},
	} {
		if got := draw.Spark(tc.vals, tc.base); got != tc.want {
			t.Errorf("%s: want %q, got %q", tc.name, tc.want, got)
		}
	}
}
