package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestMixtures judges runs with up to three impairments of any severity by
// what a second simulation without each of them gains.
func TestMixtures(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of simulation")
	}
	const n = 60
	counts := map[string]int{}
	for seed := uint64(30_000); seed < 30_000+n; seed++ {
		w, err := weigh(context.Background(), seed)
		if err != nil {
			t.Fatal(err)
		}
		counts[w.class()]++
		if w.class() == worthFalse {
			t.Logf("seed %d: %s is worth %.1f %%, %s %.1f %%", seed, w.verdict, 100*w.worth, w.change, 100*w.best)
		}
	}
	t.Log(counts)
	if got := counts[worthFalse]; got > n*8/100 {
		t.Errorf("want at most 8 %% false accusations, got %d of %d", got, n)
	}
	if got := counts[worthBest] + counts[worthSome]; got < n*8/10 {
		t.Errorf("want a change worth making named in 80 %%, got %d of %d", got, n)
	}
}

func TestMixtureClasses(t *testing.T) {
	for _, c := range []struct {
		want        string
		verdict     string
		worth, best float64
	}{
		{worthBest, "client_pool", 0.5, 0.6},
		{worthSome, "client_pool", 0.06, 0.6},
		{worthBit, "client_pool", 0.03, 0.6},
		{worthFalse, "client_pool", 0.01, 0.6},
		{worthFalse, "client_pool", -0.2, 0},
		{worthNone, "none", 0, 0.05},
		{worthMiss, "none", 0, 0.3},
		{worthShy, "not_enough_evidence/not_warm", 0, 0.3},
	} {
		w := weighed{verdict: c.verdict, worth: c.worth, best: c.best}
		if got := w.class(); got != c.want {
			t.Errorf("%s worth %v of %v: want %q, got %q", c.verdict, c.worth, c.best, c.want, got)
		}
	}
	for _, c := range []struct{ with, without, want float64 }{{10, 15, 0.5}, {10, 8, 0}, {0, 3, 100}} {
		if got := (yield{good: c.without}).gain(yield{good: c.with}); got != c.want && c.want != 0 || c.want == 0 && got > 0 {
			t.Errorf("%v to %v: want a gain of %v, got %v", c.with, c.without, c.want, got)
		}
	}
	if got := (yield{good: 10}).gain(yield{good: 10, lost: 0.3}); got != 0.3 {
		t.Errorf("failures gone: want 0.3, got %v", got)
	}
}

// TestMatrix is the command as a user types it, on one scenario.
func TestMatrix(t *testing.T) {
	var out, errs bytes.Buffer
	code := Main(context.Background(), []string{"demo", "--matrix", "2", "--only", "client_pool", "--without", "host_source"}, Stdio{In: strings.NewReader(""), Out: &out, Err: &errs})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(out.String(), "!before_server 2") || !strings.Contains(out.String(), "2 runs: 0 right (0.0 %)") {
		t.Errorf("want both runs coarser for want of the host, got\n%s", out.String())
	}
}
