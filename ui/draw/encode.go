package draw

import (
	"strings"
	"unicode/utf8"

	"benchtop/themes"
)

// Encode appends the grid as text with the fewest escape sequences: rows are
// parted by a newline, each begins and ends in the terminal's default state.
// Where tints show, full blocks are sent as coloured blanks.
func (g *Grid) Encode(dst []byte, t *themes.Theme, d themes.Depth) []byte {
	for y := range g.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		var now themes.Look
		styled := false
		for _, c := range g.row(y) {
			if c.Rune == 0 {
				continue
			}
			if c.Rune == '█' && d >= themes.ANSI256 && !g.Glyphs.ASCII {
				// A full cell as background: a run of them is one short erase sequence on the line.
				c = Cell{' ', themes.Look{Fg: c.Look.Fg, Bg: c.Look.Fg}}
			}
			same := styled && (c.Look == now ||
				c.Rune == ' ' && d != themes.Mono && c.Look.Bg == now.Bg && c.Look.Attr|now.Attr == 0)
			if !same {
				dst = t.AppendSGR(dst, c.Look, d)
				now, styled = c.Look, true
			}
			r := c.Rune
			if g.Glyphs.ASCII && r >= 0x80 {
				r = asciiFor(r)
				if RuneWidth(c.Rune) == 2 {
					dst = append(dst, byte(r))
				}
			}
			dst = utf8.AppendRune(dst, r)
		}
		dst = append(dst, "\x1b[m"...)
	}
	return dst
}

// String is the text plane: the runes alone, without trailing spaces.
func (g *Grid) String() string {
	var b strings.Builder
	for y := range g.h {
		var line strings.Builder
		for _, c := range g.row(y) {
			r := c.Rune
			if r == 0 {
				continue
			}
			if g.Glyphs.ASCII && r >= 0x80 {
				r = asciiFor(r)
			}
			line.WriteRune(r)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// roleMarks are the letters of the role plane, in role order.
const roleMarks = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Roles is the role plane of golden screens: for each cell the letter of its
// foreground role, and in a second block of lines that of what its background is
// filled with, where it is: a tint's role or, in reverse video, the ink's.
func (g *Grid) Roles() string {
	var fg, bg strings.Builder
	for y := range g.h {
		var lf, lb strings.Builder
		for _, c := range g.row(y) {
			f, b := byte(' '), byte(' ')
			if c.Rune != ' ' {
				f = roleMarks[c.Look.Fg]
			}
			if c.Look.Bg != themes.Background {
				b = roleMarks[c.Look.Bg]
			}
			if c.Look.Attr&themes.Reverse != 0 {
				b = roleMarks[c.Look.Fg]
			}
			lf.WriteByte(f)
			lb.WriteByte(b)
		}
		fg.WriteString(strings.TrimRight(lf.String(), " ") + "\n")
		bg.WriteString(strings.TrimRight(lb.String(), " ") + "\n")
	}
	return fg.String() + "---\n" + bg.String()
}

// asciiFor is the stand-in for a rune where only ASCII may be sent.
func asciiFor(r rune) rune {
	switch {
	case r >= 0x2800 && r < 0x2900:
		return asciiBraille(byte(r - 0x2800))
	case r > '█' && r <= '▏':
		return '#'
	case r >= '▁' && r <= '█':
		return []rune("__===###")[r-'▁']
	}
	if a, ok := asciiTable[r]; ok {
		return a
	}
	return '?'
}

var asciiTable = map[rune]rune{
	'─': '-', '━': '=', '│': '|', '┃': '|', '┄': '~', '┈': '.', '╌': '-', '╶': '-', '╴': '-',
	'┌': '+', '┐': '+', '└': '+', '┘': '+', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+',
	'╭': '+', '╮': '+', '╰': '+', '╯': '+',
	'░': ':', '▒': '%', '▓': '&', '▀': '#', '▄': '=', '▌': '|', '▐': '|', '▔': ' ',
	'·': '.', '…': '~', '–': '-', '−': '-', '×': 'x', '÷': '/', '°': 'o', '±': '+', '≥': '>', '≤': '<', '≈': '~',
	'●': '*', '○': 'o', '■': '#', '□': 'o', '▲': '!', '△': 'i', '✓': 'v', '▶': '>', '◀': '<', '▸': '>', '▷': '>', '╳': 'x', '✗': 'x', '◂': '<', '▼': 'v', '◌': '?',
	'→': '>', '←': '<', '↑': '^', '↓': 'v', '↔': '-', '“': '"', '”': '"', '’': '\'', '‘': '\'', 'µ': 'u', '\u00a0': ' ',
}

// asciiBraille keeps the height of a braille line: top, middle, bottom, or a
// stroke across.
func asciiBraille(bits byte) rune {
	rows := 0
	top, low := -1, -1
	for i, mask := range brailleRows {
		if bits&mask != 0 {
			rows++
			if top < 0 {
				top = i
			}
			low = i
		}
	}
	switch {
	case rows == 0:
		return ' '
	case rows >= 3:
		return '|'
	case top == 0 && low <= 1:
		return '\''
	case top == 3:
		return '.'
	}
	return '-'
}

// ASCII replaces every rune of s that is not ASCII by its stand-in; escape
// sequences pass.
func ASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return asciiFor(r)
	}, s)
}
