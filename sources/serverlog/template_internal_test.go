package serverlog

import (
	"regexp"
	"slices"
	"testing"
)

// templates are expressions, whether a template can be made of them, and texts
// on which both must agree.
var templates = []struct {
	name, expr string
	plain      bool
	texts      []string
}{
	{"words and numbers", `batch \d+ on (?P<engine>\S+): (\d+) of`, true, []string{
		"batch 1 on a: 5 of", "batch 1 on a:b: 5 of 7", "batch batch 12 on x::: 9 of", "batch 1 on : 5 of", "batch x on a: 5 of", "",
	}},
	{"end", `took ([0-9.]+)([^ 0-9.]+)$`, true, []string{"took 1.5ms", "took 1.5µs", "took 1.5ms ", "took 1took 2s", "took 1.5\xffs"}},
	{"star", `a([b-d]*)([c-e]*)f`, true, []string{"af", "abcdef", "xaabdf", "abd", "abcdcdef"}},
	{"one of a class", `id=[a-f]([0-9])`, true, []string{"id=a1", "id=g1 id=b2", "id=a"}},
	{"beyond ascii", `é(\S+)é`, true, []string{"ééé", "éaéaé é", "\xc3é1é"}},
	{"run of characters", `q(\S+)(\S+)`, true, []string{"qaé", "qéé", "q\xa9\xa9", "qé", "q\xe2\x82", "qa\xe2\x82\xac"}},
	{"either", `a|b`, false, nil},
	{"folded", `(?i)abc`, false, nil},
	{"lazy", `ab+?c`, false, nil},
	{"some beyond ascii", `a[b-é]+`, false, nil},
	{"class first", `\d+ requests`, false, nil},
}

func TestTemplate(t *testing.T) {
	for _, c := range templates {
		t.Run(c.name, func(t *testing.T) {
			p := newTemplate(c.expr)
			if want, got := c.plain, p != nil; want != got {
				t.Fatalf("want template %v, got %v", want, got)
			}
			for _, text := range c.texts {
				want := regexp.MustCompile(c.expr).FindSubmatchIndex([]byte(text))
				if got, ok := p.match([]byte(text), new(fitting)); !ok || !slices.Equal(want, got) {
					t.Errorf("%q: want %v, got %v (%v)", text, want, got, ok)
				}
			}
		})
	}
}

// TestTemplateGivesUp: an expression that would try without end is left to the
// regexp package.
func TestTemplateGivesUp(t *testing.T) {
	p := newTemplate(`a([a-z]+)([a-z]+)([a-z]+)([a-z]+)1`)
	text := make([]byte, 4<<10)
	for i := range text {
		text[i] = 'a'
	}
	if at, ok := p.match(text, new(fitting)); ok || at != nil {
		t.Errorf("want given up, got %v, %v", at, ok)
	}
}

// FuzzTemplate holds templates against the regexp package.
func FuzzTemplate(f *testing.F) {
	for _, c := range templates {
		for _, text := range c.texts {
			f.Add(c.expr, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, expr string, text []byte) {
		if len(expr) > 200 || len(text) > 1000 {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		p := newTemplate(expr)
		if p == nil {
			return
		}
		want := re.FindSubmatchIndex(text)
		if got, ok := p.match(text, new(fitting)); ok && !slices.Equal(want, got) {
			t.Errorf("%q on %q: want %v, got %v", expr, text, want, got)
		}
	})
}
