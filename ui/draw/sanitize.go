package draw

import (
	"strings"
	"unicode"
)

// Sanitize makes outside text (log lines, names, error texts) safe to show:
// control characters, escape sequences' lead bytes, direction overrides,
// zero-width and private-use runes go, tabs and line ends become spaces.
func Sanitize(s string) string {
	clean := true
	for _, r := range s {
		if !printable(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	escape := escapeNone
	for _, r := range s {
		switch next := escape.step(r); {
		case escape != escapeNone || next != escapeNone:
			escape = next
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case printable(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escapeState follows an escape sequence, so that its visible tail ("[31m")
// goes with it.
type escapeState uint8

const (
	escapeNone escapeState = iota
	escapeLead
	escapeCSI
	escapeString
	escapeStringEnd
)

func (e escapeState) step(r rune) escapeState {
	switch e {
	case escapeNone:
		switch r {
		case 0x1b:
			return escapeLead
		case 0x9b:
			return escapeCSI
		case 0x90, 0x9d, 0x9e, 0x9f:
			return escapeString
		}
		return escapeNone
	case escapeLead:
		switch r {
		case '[':
			return escapeCSI
		case ']', 'P', '^', '_', 'X':
			return escapeString
		}
		if r >= 0x20 && r < 0x30 {
			return escapeLead
		}
		return escapeNone
	case escapeCSI:
		if r >= 0x40 && r <= 0x7e || r == 0x1b {
			return escapeNone
		}
		return escapeCSI
	case escapeString:
		switch r {
		case 0x07, 0x9c:
			return escapeNone
		case 0x1b:
			return escapeStringEnd
		}
		return escapeString
	case escapeStringEnd:
		if r == '\\' {
			return escapeNone
		}
		return escapeString
	}
	return escapeNone
}

// printable reports whether a rune may reach a cell.
func printable(r rune) bool {
	if r >= 0x20 && r < 0x7f {
		return true
	}
	switch {
	case r < 0xa0, r == 0xad, r == unicode.ReplacementChar:
		return false
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000:
		return false
	case r >= 0xe000 && r <= 0xf8ff, r == 0x061c, r == 0x180e:
		return false
	}
	return unicode.IsGraphic(r) && !unicode.Is(unicode.M, r)
}
