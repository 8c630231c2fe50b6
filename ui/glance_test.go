package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// The verdict is the one thing in reverse video, at every size and depth; what
// is no verdict yet is not.
func TestTheVerdictIsABar(t *testing.T) {
	for _, size := range append(sizes[:], [2]int{34, 8}, [2]int{400, 100}) {
		for _, depth := range []themes.Depth{themes.Mono, themes.ANSI16, themes.TrueColor} {
			t.Run(fmt.Sprintf("%dx%d %s", size[0], size[1], depth), func(t *testing.T) {
				if got := reversed(busy(), live, size, depth); !strings.Contains(got, "requests missing at the server") {
					t.Errorf("want the verdict in reverse video, got %q", got)
				}
				if got := reversed(serverOnly(), live, size, depth); got != "" {
					t.Errorf("not enough evidence: want no bar, got %q", got)
				}
			})
		}
	}
	full := live
	full.Full = "findings"
	if got := reversed(busy(), full, [2]int{120, 40}, themes.TrueColor); !strings.Contains(got, "requests missing") {
		t.Errorf("want a bar over the findings, got %q", got)
	}
	full.Scroll = 5
	if got := reversed(busy(), full, [2]int{120, 40}, themes.TrueColor); got != "" {
		t.Errorf("scrolled away: want no bar, got %q", got)
	}
}

// reversed are the runes in reverse video.
func reversed(snap *model.Snapshot, v ui.ViewState, size [2]int, depth themes.Depth) string {
	g := draw.NewGrid(size[0], size[1])
	ui.Draw(g, snap, v, depth)
	var b strings.Builder
	for y := range size[1] {
		for x := range size[0] {
			if c := g.Cell(x, y); c.Look.Attr&themes.Reverse != 0 {
				b.WriteRune(c.Rune)
			}
		}
	}
	return b.String()
}

// A panel of which nobody tells anything takes a row and says what to give.
func TestWhatNobodyTellsTakesALine(t *testing.T) {
	g := draw.NewGrid(120, 40)
	a := ui.Draw(g, serverOnly(), live, themes.TrueColor)
	wants(t, g.String(), "no load stream tells requests (--load)", "clocks and throttling are not observed")
	for _, b := range a.Boxes {
		if (b.ID == "latency" || b.ID == "gpu") && b.H != 1 {
			t.Errorf("%s: want one row, got %d", b.ID, b.H)
		}
	}
	young := serverOnly()
	young.Second = 2
	for _, b := range ui.Draw(g, young, live, themes.TrueColor).Boxes {
		if b.ID == "latency" && b.H == 1 {
			t.Error("in the first seconds: want room for what is about to come, got one row")
		}
	}
}

// On the whole screen the numbers are as big as it allows, and a thousand is
// not parted by what reads as a point.
func TestBigNumbersFillTheScreen(t *testing.T) {
	v := live
	v.Full = "numbers"
	for _, tc := range []struct{ w, h, rows int }{{120, 40, 20}, {80, 24, 6}, {60, 15, 3}} {
		g := draw.NewGrid(tc.w, tc.h)
		ui.Draw(g, busy(), v, themes.TrueColor)
		tall := 0
		for y := range tc.h {
			for x := range tc.w {
				if r := g.Cell(x, y).Rune; r == '█' || r == '▀' || r == '▄' {
					tall++
					break
				}
			}
		}
		if tall < tc.rows {
			t.Errorf("%dx%d: want digits over at least %d rows, got %d:\n%s", tc.w, tc.h, tc.rows, tall, g.String())
		}
	}
	g := draw.NewGrid(80, 24)
	ui.Draw(g, busy(), v, themes.TrueColor)
	wants(t, g.String(), "client in flight", "GPU 0 MHz", "▄█▄ ▄▄█ ▄▄█ ▄▄█") // the feet of 1935
}
