package report

import (
	"encoding/csv"
	"html"
	"io"
	"strings"

	"benchtop/ui/draw"
)

// Page is a document that is written as text, Markdown or HTML: headings,
// paragraphs, lists, tables and, in HTML, pictures.
type Page struct {
	Title  string
	Blocks []Block
}

// Block is one part of a page; exactly one of its fields is set.
type Block struct {
	Heading string
	Level   int // of the heading, 1 the largest
	Text    string
	List    []string
	Table   *Table
	Figure  *Figure
}

// Table has a head and rows of the same width.
type Table struct {
	Head  []string
	Rows  [][]string
	Right []bool // columns set to the right: numbers
}

// Figure is a picture with what it shows in words, for those who can't see it.
type Figure struct {
	SVG     string
	Caption string
}

func (p *Page) heading(level int, text string) {
	p.Blocks = append(p.Blocks, Block{Heading: text, Level: level})
}
func (p *Page) text(s string) { p.Blocks = append(p.Blocks, Block{Text: s}) }
func (p *Page) list(s []string) {
	if len(s) > 0 {
		p.Blocks = append(p.Blocks, Block{List: s})
	}
}
func (p *Page) table(t Table) { p.Blocks = append(p.Blocks, Block{Table: &t}) }
func (p *Page) figure(f Figure) {
	if f.SVG != "" {
		p.Blocks = append(p.Blocks, Block{Figure: &f})
	}
}

// WriteText writes the page for a terminal.
func (p *Page) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, k := range p.Blocks {
		switch {
		case k.Heading != "":
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(Clean(strings.ToUpper(k.Heading[:1])+k.Heading[1:]) + "\n")
		case k.Text != "":
			b.WriteString("  " + Clean(k.Text) + "\n")
		case k.List != nil:
			for _, l := range k.List {
				b.WriteString("  - " + Clean(l) + "\n")
			}
		case k.Table != nil:
			k.Table.text(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) text(b *strings.Builder) {
	wide := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, c := range row {
			wide[i] = max(wide[i], draw.Width(Clean(c)))
		}
	}
	line := func(row []string) {
		b.WriteString(" ")
		for i, c := range row {
			c = Clean(c)
			pad := strings.Repeat(" ", wide[i]-draw.Width(c))
			switch {
			case t.Right != nil && t.Right[i]:
				b.WriteString(" " + pad + c)
			case i == len(row)-1:
				b.WriteString(" " + c)
			default:
				b.WriteString(" " + c + pad)
			}
			if i < len(row)-1 {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	line(t.Head)
	rule := make([]string, len(wide))
	for i, n := range wide {
		rule[i] = strings.Repeat("─", n)
	}
	line(rule)
	for _, r := range t.Rows {
		line(r)
	}
}

// mdEscape keeps text from being read as Markdown's signs or as HTML.
var mdEscape = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "\n", " ")

// WriteMarkdown writes the page as Markdown; pictures are left out.
func (p *Page) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, k := range p.Blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		switch {
		case k.Heading != "":
			b.WriteString(strings.Repeat("#", k.Level) + " " + mdEscape.Replace(Clean(k.Heading)) + "\n")
		case k.Text != "":
			b.WriteString(mdEscape.Replace(Clean(k.Text)) + "\n")
		case k.List != nil:
			for _, l := range k.List {
				b.WriteString("- " + mdEscape.Replace(Clean(l)) + "\n")
			}
		case k.Table != nil:
			k.Table.markdown(&b)
		}
	}
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "\n\n\n", "\n\n"))
	return err
}

func (t *Table) markdown(b *strings.Builder) {
	line := func(row []string) {
		for _, c := range row {
			b.WriteString("| " + mdEscape.Replace(Clean(c)) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Head)
	for i := range t.Head {
		if t.Right != nil && t.Right[i] {
			b.WriteString("| ---: ")
		} else {
			b.WriteString("| --- ")
		}
	}
	b.WriteString("|\n")
	for _, r := range t.Rows {
		line(r)
	}
}

// WriteCSV writes a table as CSV.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	for _, r := range append([][]string{t.Head}, t.Rows...) {
		row := make([]string, len(r))
		for i, v := range r {
			row[i] = inert(Clean(v))
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// inert keeps a spreadsheet from reading a cell as a formula.
func inert(s string) string {
	if s == "" || !strings.ContainsRune("=+@\t", rune(s[0])) {
		return s
	}
	return "'" + s
}

func esc(s string) string { return html.EscapeString(Clean(s)) }
