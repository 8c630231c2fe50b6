package layout_test

import (
	"strings"
	"testing"

	"benchtop/ui/layout"
)

// wants is a small screen's worth of panels: v(erdict) and e(vents) at the
// side, c(oncurrency), b(atch) and g(pu) on the time axis.
func wants() []layout.Want {
	return []layout.Want{
		{ID: "v", Side: true, Steps: []int{4, 2}, Narrow: []int{2, 1}, Rank: 1, Grow: 1, Most: 5, Fixed: true},
		{ID: "f", Side: true, Steps: []int{2}, Narrow: []int{1}, Rank: 2, Plain: true, Fixed: true},
		{ID: "c", Steps: []int{6, 3}, Narrow: []int{6, 3}, Rank: 2, Grow: 2},
		{ID: "b", Steps: []int{3, 1}, Narrow: []int{2, 1}, Rank: 3},
		{ID: "g", Steps: []int{5, 2}, Narrow: []int{3, 1}, Rank: 4, Grow: 1, Most: 6},
		{ID: "e", Side: true, Steps: []int{3, 1}, Rank: 5, Grow: 1},
		{ID: "h", Side: true, Steps: []int{4}, Rank: 6, Spare: true},
	}
}

// picture draws an arrangement: a letter for a panel's cells, - for a title
// line, H and F for header and footer. Each column of the picture stands for
// ten of the screen.
func picture(s layout.Screen) string {
	rows := make([][]byte, s.H)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(".", (s.W+9)/10))
	}
	fill := func(y, x, w int, c byte) {
		for i := x / 10; i < (x+w+9)/10 && i < len(rows[y]); i++ {
			if i*10 >= x-9 {
				rows[y][i] = c
			}
		}
	}
	if s.Header >= 0 {
		fill(s.Header, 0, s.W, 'H')
	}
	if s.Footer >= 0 {
		fill(s.Footer, 0, s.W, 'F')
	}
	for _, c := range s.Columns {
		x := (c.X + 9) / 10 * 10
		for _, b := range c.Boxes {
			if b.Titled {
				fill(b.Y-1, x, c.W-9, '-')
			}
			for y := b.Y; y < b.Y+b.H; y++ {
				fill(y, x, c.W-9, b.ID[0])
			}
		}
	}
	var out []string
	for _, r := range rows {
		out = append(out, string(r))
	}
	return strings.Join(out, "\n")
}

func TestArrange(t *testing.T) {
	for _, tc := range []struct {
		name string
		w, h int
		want string
	}{
		{"two columns", 120, 30, `
			HHHHHHHHHHHH
			-------.----
			ccccccc.vvvv
			ccccccc.vvvv
			ccccccc.vvvv
			ccccccc.vvvv
			ccccccc.vvvv
			ccccccc.----
			ccccccc.ffff
			ccccccc.ffff
			ccccccc.----
			ccccccc.eeee
			ccccccc.eeee
			ccccccc.eeee
			ccccccc.eeee
			ccccccc.eeee
			ccccccc.eeee
			-------.eeee
			bbbbbbb.eeee
			bbbbbbb.eeee
			bbbbbbb.eeee
			-------.eeee
			ggggggg.eeee
			ggggggg.----
			ggggggg.hhhh
			ggggggg.hhhh
			ggggggg.hhhh
			ggggggg.hhhh
			............
			FFFFFFFFFFFF`},
		{"one column with frames", 80, 22, `
			HHHHHHHH
			--------
			vvvvvvvv
			vvvvvvvv
			ffffffff
			--------
			cccccccc
			cccccccc
			cccccccc
			cccccccc
			cccccccc
			cccccccc
			cccccccc
			--------
			bbbbbbbb
			bbbbbbbb
			--------
			gggggggg
			gggggggg
			gggggggg
			........
			FFFFFFFF`},
		{"no frames", 60, 12, `
			HHHHHH
			vvvvvv
			vvvvvv
			ffffff
			cccccc
			cccccc
			cccccc
			bbbbbb
			bbbbbb
			gggggg
			gggggg
			FFFFFF`},
		{"the least wanted goes first", 60, 7, `
			HHHHHH
			vvvvvv
			ffffff
			cccccc
			cccccc
			cccccc
			bbbbbb`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := strings.ReplaceAll(strings.TrimSpace(tc.want), "\t", "")
			if got := picture(layout.Arrange(tc.w, tc.h, wants())); got != want {
				t.Errorf("want\n%s\ngot\n%s", want, got)
			}
		})
	}
}

// Whatever the size, boxes lie inside their column, in order, apart from each
// other, and the screen's parts don't overlap.
func TestArrangeKeepsApart(t *testing.T) {
	for w := range 230 {
		for h := range 80 {
			s := layout.Arrange(w, h, wants())
			right := 0
			for _, c := range s.Columns {
				if c.X < right || c.X+c.W > w || c.Y <= s.Header || s.Footer >= 0 && c.Y+c.H > s.Footer {
					t.Fatalf("%dx%d: column %+v leaves the screen", w, h, c)
				}
				right = c.X + c.W
				y := c.Y
				for _, b := range c.Boxes {
					if b.Titled {
						y++
					}
					if b.Y != y || b.H < 1 || b.Y+b.H > c.Y+c.H || b.X < c.X || b.X+b.W > c.X+c.W {
						t.Fatalf("%dx%d: box %+v is not in its place in %+v", w, h, b, c)
					}
					y += b.H
				}
			}
		}
	}
}

// A low screen has a second column only where that is wide enough for what a
// verdict says in few rows.
func TestColumnsByHeight(t *testing.T) {
	for _, tc := range []struct{ w, h, want int }{
		{99, 40, 1}, {100, 30, 2}, {120, 29, 1}, {149, 24, 1}, {150, 24, 2}, {150, 21, 1},
	} {
		if got := len(layout.Arrange(tc.w, tc.h, wants()).Columns); got != tc.want {
			t.Errorf("%d×%d: want %d columns, got %d", tc.w, tc.h, tc.want, got)
		}
	}
}
