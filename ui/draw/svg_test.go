package draw_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"benchtop/themes"
	"benchtop/ui/draw"
)

// TestSVGIsXML draws every kind of rune and wants a document that parses, holds
// the words escaped, and nothing from outside.
func TestSVGIsXML(t *testing.T) {
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	g := draw.NewGrid(24, 3)
	for i, r := range []rune("a<b>&\"c ▁█▀▔▌░▓⣿─┄┼╭日") {
		g.Put(i, 0, r, themes.Text)
	}
	for i, r := range "two words" {
		g.Put(i, 1, r, themes.Warn)
	}
	svg := string(g.SVG(nil, all[0]))
	d := xml.NewDecoder(strings.NewReader(svg))
	var text strings.Builder
	shapes := 0
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
		switch v := tok.(type) {
		case xml.CharData:
			text.Write(v)
		case xml.StartElement:
			if v.Name.Local == "rect" {
				shapes++
			}
		}
	}
	for _, want := range []string{`a<b>&"c`, "two words"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("want %q among the words, got %q", want, text.String())
		}
	}
	if shapes < 12 {
		t.Errorf("want a shape for each block, dot and line, got %d", shapes)
	}
	if strings.Count(svg, "http") != 1 { // the namespace
		t.Errorf("the document reaches outside itself:\n%s", svg)
	}
}
