package serverlog

import (
	"bytes"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// template matches the plain sort of regular expression that log lines need,
// words and runs of one class of characters in a row, as the regexp package
// does and a good deal faster, since it works on bytes and costs no memory. It
// is made of an expression only where bytes can't be told from characters.
type template struct {
	steps  []templateStep
	groups int // places, two of each group
}

// fitting is one try of a template on a text.
type fitting struct {
	steps []templateStep
	text  []byte
	left  int                 // what it may still cost
	at    [templatePlaces]int // places of the groups, as regexp gives them
}

// templateStep is a word, a run of characters, the place of a group, or the
// end of the text.
type templateStep struct {
	word  []byte
	set   *[256]bool
	least int // of a run
	most  int // of a run, 0 is any number
	group int // index in at
	end   bool
}

// Bounds of a template. A line that would cost more steps and bytes is left to
// the regexp package, whose time never grows faster than the text.
const (
	templateCost   = 16 << 10
	templatePlaces = 32
)

// newTemplate makes one; nil if the expression is of another sort.
func newTemplate(expr string) *template {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	t := &template{groups: 2 * (re.MaxCap() + 1)}
	if t.groups > templatePlaces || !t.add(re) || len(t.steps) == 0 || t.steps[0].word == nil {
		return nil
	}
	return t
}

// add appends an expression's steps and reports whether it can.
func (t *template) add(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !t.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpCapture:
		t.steps = append(t.steps, templateStep{group: 2 * re.Cap})
		if !t.add(re.Sub[0]) {
			return false
		}
		t.steps = append(t.steps, templateStep{group: 2*re.Cap + 1})
		return true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return false
		}
		word := []byte(string(re.Rune))
		t.steps = append(t.steps, templateStep{word: word})
		return utf8.Valid(word) && !bytes.ContainsRune(word, utf8.RuneError)
	case syntax.OpCharClass:
		set, wide := byteSet(re)
		t.steps = append(t.steps, templateStep{set: set, least: 1, most: 1})
		return set != nil && !wide
	case syntax.OpPlus, syntax.OpStar:
		if re.Flags&syntax.NonGreedy != 0 || re.Sub[0].Op != syntax.OpCharClass {
			return false
		}
		set, _ := byteSet(re.Sub[0])
		s := templateStep{set: set}
		if re.Op == syntax.OpPlus {
			s.least = 1
		}
		t.steps = append(t.steps, s)
		return set != nil
	case syntax.OpEndText:
		t.steps = append(t.steps, templateStep{end: true})
		return true
	}
	return false
}

// byteSet is a class of characters as bytes; nil if it holds some of those
// beyond ASCII but not all. wide says that it holds all.
func byteSet(re *syntax.Regexp) (set *[256]bool, wide bool) {
	set = new([256]bool)
	beyond := 0
	for i := 0; i < len(re.Rune); i += 2 {
		lo, hi := re.Rune[i], re.Rune[i+1]
		for r := lo; r <= min(hi, utf8.RuneSelf-1); r++ {
			set[r] = true
		}
		if hi >= utf8.RuneSelf {
			beyond += int(hi - max(lo, utf8.RuneSelf) + 1)
		}
	}
	switch beyond {
	case 0:
		return set, false
	case unicode.MaxRune - utf8.RuneSelf + 1:
		for b := utf8.RuneSelf; b < len(set); b++ {
			set[b] = true
		}
		return set, true
	}
	return nil, false
}

// match gives the places of the first match and its groups, in f; nil if there
// is none. ok is false if it costs too much to tell.
func (t *template) match(text []byte, f *fitting) (at []int, ok bool) {
	f.steps, f.text, f.left = t.steps, text, templateCost
	for from := 0; ; from++ {
		i := bytes.Index(text[from:], t.steps[0].word)
		if i < 0 {
			return nil, true
		}
		from += i
		for k := range f.at[:t.groups] {
			f.at[k] = -1
		}
		if end := f.from(0, from); end >= 0 {
			f.at[0], f.at[1] = from, end
			return f.at[:t.groups], true
		}
		if f.left <= 0 {
			return nil, false
		}
	}
}

// from matches the steps from k on at place i and gives the end; -1 if they
// don't.
func (f *fitting) from(k, i int) int {
	for ; k < len(f.steps); k++ {
		s := &f.steps[k]
		if f.left--; f.left <= 0 {
			return -1
		}
		switch {
		case s.word != nil:
			if !bytes.HasPrefix(f.text[i:], s.word) {
				return -1
			}
			i += len(s.word)
		case s.set != nil:
			n := i
			for n < len(f.text) && s.set[f.text[n]] && (s.most == 0 || n-i < s.most) {
				n++
			}
			if f.left -= n - i; n-i < s.least {
				return -1
			}
			if k+1 == len(f.steps) || n-i == s.least {
				i = n
				continue
			}
			return f.longest(k+1, i+s.least, n)
		case s.end:
			if i != len(f.text) {
				return -1
			}
		default:
			f.at[s.group] = i
		}
	}
	return i
}

// longest matches the steps from k on at the last place of least to most at
// which they do.
func (f *fitting) longest(k, least, most int) int {
	for n := most; n >= least; n-- {
		if n < most && n < len(f.text) && f.text[n]&0xc0 == 0x80 && inRune(f.text, n) {
			continue // a run ends between characters
		}
		if end := f.from(k, n); end >= 0 {
			return end
		}
		if f.left <= 0 {
			break
		}
	}
	return -1
}

// inRune reports whether place n is inside a character.
func inRune(text []byte, n int) bool {
	for k := max(0, n-3); k < n; k++ {
		if _, size := utf8.DecodeRune(text[k:]); size > n-k {
			return true
		}
	}
	return false
}
