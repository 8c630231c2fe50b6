package serverlog

import "strings"

// months are the short names of months as journals print them, lower case and
// without a full stop, in the languages whose own ones differ: C library
// locales of English, German, Spanish, French, Italian, Portuguese, Dutch,
// Swedish, Danish, Norwegian, Polish, Czech, Russian, Ukrainian, Turkish,
// Finnish, Hungarian, Romanian and Greek. Chinese, Japanese and Korean count.
var months = monthTable([]string{
	"jan janv ene gen sty led янв січ oca tammi ian ιαν",
	"feb févr fev fév lut úno фев лют şub helmi febr φεβ",
	"mar mars mär mrt mrz bře мар бер maalis márc μαρ",
	"apr avr avril abr kwi dub апр кві nis huhti ápr απρ",
	"may mai mei maj mag kvě май мая тра touko máj μαΐ",
	"jun juin giu cze čen čer июн чер haz kesä jún iun ιουν",
	"jul juil lug lip čec июл лип tem heinä júl iul ιουλ",
	"aug ago août aoû sie srp авг сер ağu elo αυγ",
	"sep sept set wrz zář сен сент вер eyl syys szept σεπ",
	"oct okt ott out paź říj окт жов eki loka οκτ",
	"nov lis ноя лис kas marras νοε",
	"dec dez dic déc des gru pro дек гру ara joulu δεκ",
})

func monthTable(lists []string) map[string]int32 {
	t := make(map[string]int32)
	for i, list := range lists {
		for _, name := range strings.Fields(list) {
			t[name] = int32(i + 1)
		}
	}
	return t
}

// monthMost bounds a month's name, in bytes.
const monthMost = 16

// parseMonthStamp reads `Mon DD hh:mm:ss`, with or without a year behind the
// day. A month that no language of ours has places nothing, but where a
// journal's host and unit follow it is a stamp all the same.
func parseMonthStamp(b []byte) (s stamp, n int) {
	e := 0
	for e < monthMost && e < len(b) && b[e] != ' ' {
		e++
	}
	if e < 1 || e == monthMost || e == len(b) {
		return s, 0
	}
	for n = e; n < len(b) && b[n] == ' '; n++ {
	}
	if n == len(b) || !isDigit(b[n]) {
		return s, 0
	}
	d, k := integer(b[n:])
	if k == 0 || k > 2 || d < 1 || d > 31 || n+k >= len(b) || b[n+k] != ' ' {
		return s, 0
	}
	n += k + 1
	year := int32(0)
	if y, k := integer(b[n:]); k == 4 && n+k < len(b) && b[n+k] == ' ' {
		year = int32(y)
		n += k + 1
	}
	if k = s.clock(b[n:]); k == 0 {
		return stamp{}, 0
	}
	n += k
	m := monthOf(b[:e])
	if m == 0 {
		if journal(b[n:]) == 0 {
			return stamp{}, 0
		}
		return stamp{}, n
	}
	s.year, s.month, s.day = year, m, int32(d)
	return s, n
}

// monthOf is the month that a name or `10月` stands for, 0 if none does.
func monthOf(w []byte) int32 {
	if v, n := integer(w); n > 0 {
		if t := string(w[n:]); v >= 1 && v <= 12 && (t == "\u6708" || t == "\uc6d4") {
			return int32(v)
		}
		return 0
	}
	return months[strings.ToLower(strings.TrimSuffix(string(w), "."))]
}
