package themes

import (
	"math"
	"strconv"
)

// Depth is how many colours the terminal shows.
type Depth uint8

// The depths.
const (
	Mono Depth = iota // attributes only
	ANSI16
	ANSI256
	TrueColor
)

// String names the depth.
func (d Depth) String() string {
	return [...]string{"mono", "16", "256", "truecolor"}[min(d, TrueColor)]
}

// Attr is a set of text attributes.
type Attr uint8

// The attributes.
const (
	Bold Attr = 1 << iota
	Faded
	Italic
	Underline
	Reverse
)

// DefaultColor stands for the terminal's own colour in an Ink's 16 colours.
const DefaultColor = -1

// Ink is what one role looks like at every depth.
type Ink struct {
	RGB  [3]uint8
	C256 int // 0..255
	C16  int // 0..15, or DefaultColor
	Mono Attr
}

// Theme is a full set of inks.
type Theme struct {
	Name  string
	About string // one line
	Light bool   // dark words on a light background
	inks  [roleCount]Ink
}

// Ink is the look of a role.
func (t *Theme) Ink(r Role) Ink {
	if r >= roleCount {
		r = Text
	}
	return t.inks[r]
}

// Look is everything that decides a cell's escape sequence.
type Look struct {
	Fg, Bg Role
	Attr   Attr
}

// AppendSGR appends the escape sequence that sets l from scratch, so that the
// state before it does not matter.
func (t *Theme) AppendSGR(dst []byte, l Look, d Depth) []byte {
	attr := l.Attr
	if d == Mono {
		attr |= t.Ink(l.Fg).Mono | t.Ink(l.Bg).Mono
	}
	dst = append(dst, "\x1b[0"...)
	for i, code := range [...]byte{'1', '2', '3', '4', '7'} {
		if attr&(1<<i) != 0 {
			dst = append(dst, ';', code)
		}
	}
	dst = t.appendColour(dst, t.Ink(l.Fg), d, false)
	dst = t.appendColour(dst, t.Ink(l.Bg), d, true)
	return append(dst, 'm')
}

func (t *Theme) appendColour(dst []byte, k Ink, d Depth, bg bool) []byte {
	base := 30
	if bg {
		base = 40
	}
	switch d {
	case Mono:
	case ANSI16:
		switch {
		case k.C16 < 0:
		case k.C16 < 8:
			dst = append(dst, ';')
			dst = strconv.AppendInt(dst, int64(base+k.C16), 10)
		default:
			dst = append(dst, ';')
			dst = strconv.AppendInt(dst, int64(base+60+k.C16-8), 10)
		}
	case ANSI256:
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(base+8), 10)
		dst = append(dst, ";5;"...)
		dst = strconv.AppendInt(dst, int64(k.C256), 10)
	case TrueColor:
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(base+8), 10)
		dst = append(dst, ";2"...)
		for _, c := range k.RGB {
			dst = append(dst, ';')
			dst = strconv.AppendInt(dst, int64(c), 10)
		}
	}
	return dst
}

// Colour is what a role looks like on the screen at a depth, as red, green and
// blue; the 16 colours by the usual palette. For Mono it is the true colour.
func (t *Theme) Colour(r Role, d Depth) [3]uint8 {
	k := t.Ink(r)
	switch d {
	case ANSI16:
		if k.C16 < 0 {
			if (r == Background) != t.Light {
				return palette16[0]
			}
			return palette16[15]
		}
		return palette16[k.C16]
	case ANSI256:
		return Palette256(k.C256)
	case Mono, TrueColor:
	}
	return k.RGB
}

// palette16 is the xterm palette of the 16 named colours.
var palette16 = [16][3]uint8{
	{0, 0, 0},
	{205, 0, 0},
	{0, 205, 0},
	{205, 205, 0},
	{0, 0, 238},
	{205, 0, 205},
	{0, 205, 205},
	{229, 229, 229},
	{127, 127, 127},
	{255, 0, 0},
	{0, 255, 0},
	{255, 255, 0},
	{92, 92, 255},
	{255, 0, 255},
	{0, 255, 255},
	{255, 255, 255},
}

// Palette256 is the xterm colour with number n.
func Palette256(n int) [3]uint8 {
	switch {
	case n < 16:
		return palette16[max(n, 0)]
	case n < 232:
		n -= 16
		level := func(i int) uint8 {
			if i == 0 {
				return 0
			}
			return uint8(55 + 40*i)
		}
		return [3]uint8{level(n / 36), level(n / 6 % 6), level(n % 6)}
	}
	v := uint8(8 + 10*(min(n, 255)-232))
	return [3]uint8{v, v, v}
}

// Contrast is the WCAG contrast ratio of two colours, 1 to 21.
func Contrast(a, b [3]uint8) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c [3]uint8) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c[0]) + 0.7152*lin(c[1]) + 0.0722*lin(c[2])
}
