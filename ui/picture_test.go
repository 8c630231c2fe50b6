package ui_test

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// With BENCHTOP_PICTURES set to a folder, the scenes are painted there, for
// eyes to judge.
func TestPictures(t *testing.T) {
	dir := os.Getenv("BENCHTOP_PICTURES")
	if dir == "" {
		t.Skip("set BENCHTOP_PICTURES to a folder to paint the scenes")
	}
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	paint := func(name, theme string, snap *model.Snapshot, v ui.ViewState, w, h int, d themes.Depth) {
		th, err := themes.Find(all, theme)
		if err != nil {
			t.Fatal(err)
		}
		g := draw.NewGrid(w, h)
		ui.Draw(g, snap, v, d)
		img, err := g.Picture(th, d, 24)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
	}
	snap := busy()
	for _, s := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}} {
		paint(fmt.Sprintf("dark-%dx%d", s[0], s[1]), "dark", snap, live, s[0], s[1], themes.TrueColor)
	}
	paint("light-120x40", "light", snap, live, 120, 40, themes.TrueColor)
	paint("mono-120x40", "dark", snap, live, 120, 40, themes.Mono)
	paint("16-120x40", "dark", snap, live, 120, 40, themes.ANSI16)
	paint("256-120x40", "dark", snap, live, 120, 40, themes.ANSI256)
	look := live
	look.Cursor = snap.Now.Add(-65e9)
	paint("cursor-120x40", "dark", snap, look, 120, 40, themes.TrueColor)
	ascii := live
	ascii.ASCII = true
	paint("ascii-120x40", "contrast", snap, ascii, 120, 40, themes.TrueColor)
	lines := live
	lines.Lines = true
	paint("lines-120x40", "dark", snap, lines, 120, 40, themes.TrueColor)
	paint("server-only-120x40", "dark", serverOnly(), live, 120, 40, themes.TrueColor)
	paint("nothing-120x40", "dark", nothing(), live, 120, 40, themes.TrueColor)
	paint("contrast-120x40", "contrast", snap, live, 120, 40, themes.TrueColor)
	paint("light16-120x40", "light", snap, live, 120, 40, themes.ANSI16)
	gpu := live
	gpu.Full = "gpu"
	paint("gpu-120x40", "dark", snap, gpu, 120, 40, themes.TrueColor)
	for _, l := range []string{"gpu", "latency", "demo"} {
		v := live
		v.Layout = l
		paint("layout-"+l+"-120x40", "dark", snap, v, 120, 40, themes.TrueColor)
		paint("layout-"+l+"-80x24", "dark", snap, v, 80, 24, themes.TrueColor)
	}
	for _, id := range []string{"losses", "throughput", "gpus"} {
		v := live
		v.Full = id
		paint("full-"+id+"-120x40", "dark", snap, v, 120, 40, themes.TrueColor)
	}
	paint("wide-400x100", "dark", snap, live, 400, 100, themes.TrueColor)
	for _, th := range all {
		paint("theme-"+th.Name+"-120x40", th.Name, snap, live, 120, 40, themes.TrueColor)
	}
	ev := live
	ev.Full = "findings"
	paint("findings-120x40", "dark", snap, ev, 120, 40, themes.TrueColor)
}
