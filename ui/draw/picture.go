package draw

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"benchtop/themes"
)

// Picture paints the grid as an image, as a terminal with the theme would show
// it. Blocks, braille and box lines are drawn on the cell grid; words are set
// in Go Mono, so the picture does not depend on the machine. px is the height
// of a cell, 16 to 64.
func (g *Grid) Picture(t *themes.Theme, d themes.Depth, px int) (*image.RGBA, error) {
	px = min(max(px, 16), 64) &^ 7
	plain, err := face(gomono.TTF, px)
	if err != nil {
		return nil, err
	}
	bold, err := face(gomonobold.TTF, px)
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, g.w*px/2+px, g.h*px+px))
	s := sheet{img: img, plain: plain, bold: bold, ch: px}
	p := painter{cw: px / 2, ch: px, fill: s.fill, text: s.text}
	p.paint(g, t, d, img.Bounds())
	return img, nil
}

// paint draws the background and every cell.
func (p *painter) paint(g *Grid, t *themes.Theme, d themes.Depth, all image.Rectangle) {
	pad := p.ch / 2
	p.fill(all, rgba(t.Colour(themes.Background, d)))
	for y := range g.h {
		for x, c := range g.row(y) {
			fg, bg, attr := colours(c.Look, t, d)
			at := image.Pt(pad+x*p.cw, pad+y*p.ch)
			if c.Look.Bg != themes.Background || attr&themes.Reverse != 0 {
				p.fill(image.Rect(at.X, at.Y, at.X+p.cw, at.Y+p.ch), bg)
			}
			r := c.Rune
			if g.Glyphs.ASCII && r >= 0x80 {
				r = asciiFor(r)
			}
			p.cell(at, r, fg, attr&themes.Bold != 0)
		}
	}
}

// colours is what a look comes to at a depth.
func colours(l themes.Look, t *themes.Theme, d themes.Depth) (fg, bg color.RGBA, attr themes.Attr) {
	fg, bg, attr = rgba(t.Colour(l.Fg, d)), rgba(t.Colour(l.Bg, d)), l.Attr
	if d == themes.Mono {
		fg, bg = rgba(t.Colour(themes.Text, d)), rgba(t.Colour(themes.Background, d))
		attr |= t.Ink(l.Fg).Mono | t.Ink(l.Bg).Mono
	}
	if attr&themes.Reverse != 0 {
		fg, bg = bg, fg
	}
	return fg, bg, attr
}

func face(ttf []byte, px int) (font.Face, error) {
	f, err := opentype.Parse(ttf)
	if err != nil {
		return nil, fmt.Errorf("picture font: %w", err)
	}
	fc, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(px) * 0.80, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, fmt.Errorf("picture font: %w", err)
	}
	return fc, nil
}

func rgba(c [3]uint8) color.RGBA { return color.RGBA{c[0], c[1], c[2], 255} }

// painter turns cells into rectangles and letters.
type painter struct {
	cw, ch int
	fill   func(r image.Rectangle, c color.RGBA)
	text   func(cell image.Rectangle, r rune, c color.RGBA, bold bool)
}

// sheet is an image that is painted on.
type sheet struct {
	img         *image.RGBA
	plain, bold font.Face
	ch          int
}

func (s *sheet) fill(r image.Rectangle, c color.RGBA) {
	draw.Draw(s.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func (s *sheet) text(cell image.Rectangle, r rune, fg color.RGBA, bold bool) {
	f := s.plain
	if bold {
		f = s.bold
	}
	m := f.Metrics()
	base := cell.Min.Y + (s.ch+m.Ascent.Round()-m.Descent.Round())/2
	adv, _ := f.GlyphAdvance(r)
	x := cell.Min.X + max((cell.Dx()-adv.Round())/2, 0)
	dr := font.Drawer{Dst: s.img, Src: image.NewUniform(fg), Face: f, Dot: fixed.P(x, base)}
	dr.DrawString(string(r))
}

// part fills a part of a cell given in eighths of its size.
func (p *painter) part(at image.Point, x0, y0, x1, y1 int, c color.RGBA) {
	p.fill(image.Rect(at.X+x0*p.cw/8, at.Y+y0*p.ch/8, at.X+x1*p.cw/8, at.Y+y1*p.ch/8), c)
}

func (p *painter) cell(at image.Point, r rune, fg color.RGBA, bold bool) {
	switch {
	case r == 0 || r == ' ':
	case r >= '▁' && r <= '█':
		p.part(at, 0, 8-int(r-'▁'+1), 8, 8, fg)
	case r == '▀':
		p.part(at, 0, 0, 8, 4, fg)
	case r == '▔':
		p.part(at, 0, 0, 8, 1, fg)
	case r > '█' && r <= '▏':
		p.part(at, 0, 0, int('▏'-r)+1, 8, fg)
	case r >= '░' && r <= '▓':
		p.shade(at, int(r-'░')+1, fg)
	case r > 0x2800 && r < 0x2900:
		p.braille(at, byte(r-0x2800), fg)
	case r >= '─' && r <= '╿' && p.box(at, r, fg):
	default:
		p.glyph(at, r, fg, bold)
	}
}

// shade draws n quarters of ink as dots.
func (p *painter) shade(at image.Point, n int, fg color.RGBA) {
	dot := max(p.ch/12, 1)
	for y := 0; y < p.ch; y += 2 * dot {
		for x := 0; x < p.cw; x += 2 * dot {
			for _, off := range []image.Point{{}, {dot, dot}, {0, dot}}[:n] {
				px, py := at.X+x+off.X, at.Y+y+off.Y
				p.fill(image.Rect(px, py, min(px+dot, at.X+p.cw), min(py+dot, at.Y+p.ch)), fg)
			}
		}
	}
}

func (p *painter) braille(at image.Point, bits byte, fg color.RGBA) {
	size := max(p.ch/10, 2)
	for row, mask := range brailleRows {
		for side, dots := range [...]byte{leftDots, ^byte(leftDots)} {
			if bits&mask&dots == 0 {
				continue
			}
			x := at.X + p.cw*(1+2*side)/4 - size/2
			y := at.Y + p.ch*(1+2*row)/8 - size/2
			p.fill(image.Rect(x, y, x+size, y+size), fg)
		}
	}
}

// boxArms are the arms of box lines: left, right, up, down.
var boxArms = map[rune][4]bool{
	'─': {true, true, false, false}, '│': {false, false, true, true},
	'┌': {false, true, false, true}, '┐': {true, false, false, true}, '└': {false, true, true, false}, '┘': {true, false, true, false},
	'╭': {false, true, false, true}, '╮': {true, false, false, true}, '╰': {false, true, true, false}, '╯': {true, false, true, false},
	'├': {false, true, true, true}, '┤': {true, false, true, true}, '┬': {true, true, false, true}, '┴': {true, true, true, false},
	'┼': {true, true, true, true}, '╴': {true, false, false, false}, '╶': {false, true, false, false},
}

func (p *painter) box(at image.Point, r rune, fg color.RGBA) bool {
	t := max(p.ch/14, 1)
	cx, cy := at.X+p.cw/2-t/2, at.Y+p.ch/2-t/2
	if r == '┄' || r == '╌' {
		p.fill(image.Rect(at.X+p.cw/8, cy, at.X+p.cw/2, cy+t), fg)
		p.fill(image.Rect(at.X+p.cw*5/8, cy, at.X+p.cw, cy+t), fg)
		return true
	}
	arms, ok := boxArms[r]
	if !ok {
		return false
	}
	for i, on := range arms {
		if !on {
			continue
		}
		switch i {
		case 0:
			p.fill(image.Rect(at.X, cy, cx+t, cy+t), fg)
		case 1:
			p.fill(image.Rect(cx, cy, at.X+p.cw, cy+t), fg)
		case 2:
			p.fill(image.Rect(cx, at.Y, cx+t, cy+t), fg)
		case 3:
			p.fill(image.Rect(cx, cy, cx+t, at.Y+p.ch), fg)
		}
	}
	return true
}

// strokes are the signs that Go Mono lacks, as points in 16ths of a cell's
// width and height.
var strokes = map[rune][]image.Point{
	'✓': {{2, 8}, {6, 12}, {14, 4}},
	'▸': {{5, 5}, {11, 8}, {5, 11}, {5, 5}, {9, 8}},
	'△': {{8, 4}, {2, 12}, {14, 12}, {8, 4}},
	'◌': {{8, 5}, {4, 7}, {4, 10}, {8, 12}, {12, 10}, {12, 7}, {8, 5}},
}

func (p *painter) glyph(at image.Point, r rune, fg color.RGBA, bold bool) {
	if pts, ok := strokes[r]; ok {
		for i := 1; i < len(pts); i++ {
			p.stroke(at, pts[i-1], pts[i], fg)
		}
		return
	}
	p.text(image.Rect(at.X, at.Y, at.X+p.cw, at.Y+p.ch), r, fg, bold)
}

func (p *painter) stroke(at, a, b image.Point, fg color.RGBA) {
	n := 2 * p.ch
	t := max(p.ch/14, 1)
	for i := range n + 1 {
		x := at.X + (a.X*(n-i)+b.X*i)*p.cw/(16*n)
		y := at.Y + (a.Y*(n-i)+b.Y*i)*p.ch/(16*n)
		p.fill(image.Rect(x, y, x+t, y+t), fg)
	}
}
