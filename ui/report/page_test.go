package report_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/compare"
	"benchtop/ui/report"
)

// hostile is text as a log or a label may hold it.
const hostile = "a|b <script>alert(1)</script> *x* `y` \x1b[31m\u202e"

func hostileRow() compare.Row {
	return compare.Row{
		Round: 1, Run: hostile, Change: "=HYPERLINK(\"x\")", Arm: hostile, Label: hostile, Notes: []string{hostile},
		Values: map[string]float64{compare.OutputTPS: 10}, OK: 1, Concurrency: math.NaN(), Target: math.NaN(), Batch: math.NaN(),
	}
}

// TestPagesAreEscaped puts hostile text through every form.
func TestPagesAreEscaped(t *testing.T) {
	res := compare.Compare([]compare.Row{hostileRow(), hostileRow()}, compare.Options{})
	page := report.Comparison(&res)
	for name, write := range map[string]func(*strings.Builder) error{
		"html": func(b *strings.Builder) error { return page.WriteHTML(b, report.ComparisonHead(&res)) },
		"md":   func(b *strings.Builder) error { return page.WriteMarkdown(b) },
		"text": func(b *strings.Builder) error { return page.WriteText(b) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		out := b.String()
		if name != "text" && strings.Contains(out, "<script>") {
			t.Errorf("%s: a script got through", name)
		}
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("%s: control characters got through", name)
		}
		if name == "md" {
			head, _, _ := strings.Cut(out, "## figures")
			for _, l := range strings.Split(head, "\n") {
				if strings.HasPrefix(l, "| 1 |") && strings.Count(strings.ReplaceAll(l, `\|`, ""), "|") != 8 {
					t.Errorf("md: want seven cells in the row, got %q", l)
				}
			}
		}
	}
}

// TestCSVIsInert keeps formulas out of spreadsheets, and rows of one width.
func TestCSVIsInert(t *testing.T) {
	table := report.RowCSV([]compare.Row{hostileRow()})
	var b strings.Builder
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("want a head and a row, got %v, %v", rows, err)
	}
	if got := rows[1][1]; !strings.HasPrefix(got, "'=") {
		t.Errorf("want the formula made text, got %q", got)
	}
	if rows[1][2] != "" {
		t.Errorf("want nothing for what nobody measured, got %q", rows[1][2])
	}
}

// TestWriteJSON: numbers nobody measured are null, lists are never null, and
// embedded structs lie flat.
func TestWriteJSON(t *testing.T) {
	type Inner struct {
		A float64 `json:"a"`
	}
	v := struct {
		Schema string `json:"schema"`
		Inner
		Pub  []float64          `json:"list"`
		M    map[string]float64 `json:"map"`
		P    *Inner             `json:"none"`
		Skip int                `json:"-"`
		Text string             `json:"text"`
	}{"s", Inner{math.NaN()}, nil, map[string]float64{"b": math.Inf(1), "a": 1}, nil, 3, "<b>"}
	var b strings.Builder
	if err := report.WriteJSON(&b, v); err != nil {
		t.Fatal(err)
	}
	var compact strings.Builder
	for _, l := range strings.Split(b.String(), "\n") {
		compact.WriteString(strings.TrimSpace(l))
	}
	if want := `{"schema": "s","a": null,"list": [],"map": {"a": 1,"b": null},"none": null,"text": "<b>"}`; compact.String() != want {
		t.Errorf("want %s, got %s", want, compact.String())
	}
	res := compare.Compare([]compare.Row{hostileRow()}, compare.Options{})
	b.Reset()
	if err := report.WriteJSON(&b, res); err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(b.String())) {
		t.Error("a comparison is no valid JSON")
	}
}

// TestEmptyRun writes the report of a run in which nothing happened.
func TestEmptyRun(t *testing.T) {
	for _, s := range []*model.Snapshot{{}, {Start: 1e18, Now: 1e18 + 5e9, Final: true}} {
		page := report.Run(s)
		for _, write := range []func(*strings.Builder) error{
			func(b *strings.Builder) error { return page.WriteHTML(b, report.RunHead(s)) },
			func(b *strings.Builder) error { return page.WriteMarkdown(b) },
			func(b *strings.Builder) error { return page.WriteText(b) },
		} {
			var b strings.Builder
			if err := write(&b); err != nil || strings.Contains(b.String(), "NaN") {
				t.Errorf("want a page without NaN, got %v:\n%.300s", err, b.String())
			}
		}
	}
}
