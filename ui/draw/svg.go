package draw

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"

	"benchtop/themes"
)

// SVG appends the grid as a scalable picture in true colour: areas and lines as rectangles, words
// in whatever monospaced font the viewer has, each letter set on its cell.
func (g *Grid) SVG(dst []byte, t *themes.Theme) []byte {
	const ch = 16
	s := &vector{base: ch * 3 / 4}
	p := painter{cw: ch / 2, ch: ch, fill: s.fill, text: s.text}
	all := image.Rect(0, 0, g.w*ch/2+ch, g.h*ch+ch)
	fmt.Fprintf(&s.out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`font-family="ui-monospace,Menlo,Consolas,monospace" font-size="13" shape-rendering="crispEdges">`+"\n",
		all.Dx(), all.Dy(), all.Dx(), all.Dy())
	p.paint(g, t, themes.TrueColor, all)
	s.flush()
	s.out.WriteString("</svg>\n")
	return append(dst, s.out.Bytes()...)
}

// vector writes rectangles and text as SVG. Rectangles side by side in one
// colour become one, and so do letters in one style.
type vector struct {
	out  bytes.Buffer
	base int // of a letter below its cell's upper edge

	rect image.Rectangle // waiting to be written
	ink  color.RGBA

	word  []rune
	from  image.Rectangle // cells of the word
	style color.RGBA
	bold  bool
}

func (s *vector) fill(r image.Rectangle, c color.RGBA) {
	if c == s.ink && r.Min.Y == s.rect.Min.Y && r.Max.Y == s.rect.Max.Y && r.Min.X == s.rect.Max.X {
		s.rect.Max.X = r.Max.X
		return
	}
	s.flushRect()
	s.rect, s.ink = r, c
}

func (s *vector) flushRect() {
	if !s.rect.Empty() {
		// Words are drawn over what came before them, so they must not wait any longer.
		s.flushWord()
		fmt.Fprintf(&s.out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n",
			s.rect.Min.X, s.rect.Min.Y, s.rect.Dx(), s.rect.Dy(), hex(s.ink))
	}
	s.rect = image.Rectangle{}
}

func (s *vector) text(cell image.Rectangle, r rune, c color.RGBA, bold bool) {
	s.flushRect()
	gap := cell.Min.X - s.from.Max.X
	if len(s.word) > 0 && c == s.style && bold == s.bold && cell.Min.Y == s.from.Min.Y && (gap == 0 || gap == cell.Dx()) {
		if gap > 0 {
			s.word = append(s.word, ' ')
		}
		s.word = append(s.word, r)
		s.from.Max.X = cell.Max.X
		return
	}
	s.flushWord()
	s.word, s.from, s.style, s.bold = append(s.word[:0], r), cell, c, bold
}

func (s *vector) flushWord() {
	if len(s.word) == 0 {
		return
	}
	weight := ""
	if s.bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&s.out, `<text x="%d" y="%d" textLength="%d" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
		s.from.Min.X, s.from.Min.Y+s.base, s.from.Dx(), hex(s.style), weight, html.EscapeString(string(s.word)))
	s.word = s.word[:0]
}

func (s *vector) flush() {
	s.flushRect()
	s.flushWord()
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
