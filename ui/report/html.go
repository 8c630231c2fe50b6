package report

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
)

//go:embed page.css
var pageCSS string

// Card is one large figure at the top of an HTML page.
type Card struct{ Value, Name string }

// Badge is the claim at the top of an HTML page; Class decides its colour.
type Badge struct {
	Class, Title, Aside string
	Lines               []string
}

// Head is what an HTML page begins with.
type Head struct {
	Sub    string
	Badges []Badge
	Cards  []Card
}

// WriteHTML writes the page as one file that needs nothing beside it: style and
// pictures are inside, there is no script, and it follows the reader's choice
// of light or dark.
func (p *Page) WriteHTML(w io.Writer, head Head) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", esc(p.Title), pageCSS)
	fmt.Fprintf(&b, "<h1>%s</h1>\n<p class=\"sub\">%s</p>\n", esc(p.Title), esc(head.Sub))
	for _, g := range head.Badges {
		fmt.Fprintf(&b, "<section class=\"verdict %s\"><strong>%s</strong><span class=\"sev\">%s</span>\n", g.Class, esc(g.Title), esc(g.Aside))
		for _, l := range g.Lines {
			fmt.Fprintf(&b, "<p>%s</p>\n", esc(l))
		}
		b.WriteString("</section>\n")
	}
	if len(head.Cards) > 0 {
		b.WriteString("<div class=\"cards\">\n")
		for _, c := range head.Cards {
			fmt.Fprintf(&b, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", esc(c.Value), esc(c.Name))
		}
		b.WriteString("</div>\n")
	}
	for _, k := range p.Blocks {
		k.html(&b)
	}
	b.WriteString("<p class=\"foot\">Written by benchtop from a recording. A dash is a number nobody measured, never a zero.</p>\n</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (k *Block) html(b *strings.Builder) {
	switch {
	case k.Heading != "":
		n := min(k.Level+1, 4)
		if k.Level <= 2 {
			n = 2
		}
		fmt.Fprintf(b, "<h%d>%s</h%d>\n", n, esc(k.Heading), n)
	case k.Text != "":
		fmt.Fprintf(b, "<p>%s</p>\n", esc(k.Text))
	case k.List != nil:
		b.WriteString("<ul>\n")
		for _, l := range k.List {
			fmt.Fprintf(b, "<li>%s</li>\n", esc(l))
		}
		b.WriteString("</ul>\n")
	case k.Table != nil:
		k.Table.html(b)
	case k.Figure != nil:
		fmt.Fprintf(b, "<figure>\n%s\n<figcaption>%s</figcaption>\n</figure>\n", k.Figure.SVG, esc(k.Figure.Caption))
	}
}

func (t *Table) html(b *strings.Builder) {
	class := func(i int) string {
		if t.Right != nil && t.Right[i] {
			return ` class="r"`
		}
		return ""
	}
	b.WriteString("<div class=\"wide\"><table>\n<thead><tr>")
	for i, h := range t.Head {
		fmt.Fprintf(b, "<th%s>%s</th>", class(i), esc(h))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, r := range t.Rows {
		b.WriteString("<tr>")
		for i, c := range r {
			k := class(i)
			if k == "" && len([]rune(c)) <= 34 {
				k = ` class="n"`
			}
			fmt.Fprintf(b, "<td%s>%s</td>", k, esc(c))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}
