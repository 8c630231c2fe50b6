package cli

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/diagnose"
)

// TestFindingPages wants a page for each finding: what it is, what it does not
// prove, the next tool, and all of it printable on a narrow screen.
func TestFindingPages(t *testing.T) {
	for _, r := range diagnose.Rules() {
		code, out, errs := ask(t, "findings", r.ID)
		if code != 0 {
			t.Fatalf("%s: %s", r.ID, errs)
		}
		for _, want := range []string{r.ID, r.Title, "does not prove", "next change", "settled by", "next tool", "raised"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: want %q on its page, got\n%s", r.ID, want, out)
			}
		}
		for l := range strings.Lines(out) {
			if len([]rune(l)) > pageWidth+1 {
				t.Errorf("%s: want at most %d columns, got %q", r.ID, pageWidth, l)
			}
		}
		g, ok := model.GuideTo(r.ID)
		if !ok || g.Tool == "" {
			t.Errorf("%s: no guide", r.ID)
		}
		if r.Group != diagnose.GroupTrust && len(g.Rows) == 0 {
			t.Errorf("%s: no row of the quick reference", r.ID)
		}
	}
	for _, id := range []string{model.VerdictNone, model.VerdictNotEnough} {
		if code, out, _ := ask(t, "findings", id); code != 0 || !strings.Contains(out, "next tool") {
			t.Errorf("%s: want a page, got %q", id, out)
		}
	}
	if code, _, errs := ask(t, "findings", "termal"); code != exitUsage || !strings.Contains(errs, "is thermal meant?") {
		t.Errorf("want bad usage with the name that was meant, got %d %s", code, errs)
	}
}

// TestQuickRowsAreUsed wants every row to be opened from some finding.
func TestQuickRowsAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, r := range diagnose.Rules() {
		g, _ := model.GuideTo(r.ID)
		for _, q := range g.Rows {
			used[q.ID] = true
		}
	}
	for _, q := range model.QuickRows {
		if !used[q.ID] || q.See == "" || q.Causes == "" || q.Look == "" || q.Do == "" {
			t.Errorf("row %s: want it whole and opened from a finding", q.ID)
		}
	}
}
