package scrape_test

import (
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/sources/scrape"
)

// manySchedulers is a page of n schedulers with labels of their own.
func manySchedulers(n, from int) string {
	var b strings.Builder
	for _, name := range []string{"num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "prompt_tokens_total", "generation_tokens_total"} {
		for i := range n {
			fmt.Fprintf(&b, "vllm:%s{engine=\"e%d\",model_name=\"m\"} 1\n", name, from+i)
		}
	}
	return b.String()
}

// TestManySchedulers reads pages with ten thousand labels, and pages whose
// labels change each time. What comes of it is bounded and told once.
func TestManySchedulers(t *testing.T) {
	const most = 256
	m := scrape.NewMeter()
	out, read := outlet(t)
	apply(t, m, out, 1, manySchedulers(10_000, 0))
	apply(t, m, out, 3, manySchedulers(10_000, 0))
	evs, notes := read()
	n := map[model.SeriesID]int{}
	for _, e := range evs {
		if e.Kind == model.Level {
			n[e.Series]++
		}
	}
	if n[model.ServerRunning] != 2*most || n[model.ServerKV] != 2*most {
		t.Errorf("want %d values of each gauge from two pages, got %d and %d", 2*most, n[model.ServerRunning], n[model.ServerKV])
	}
	told, named := 0, 0
	for _, x := range notes {
		switch {
		case x.Kind == model.NoteError && strings.Contains(x.Text, "more than 256 schedulers"):
			told++
		case x.Kind == model.NoteEngine:
			named++
		}
	}
	if told != 1 || named != most {
		t.Errorf("want it told once and %d names, got %d and %d", most, told, named)
	}

	for i := range 40 {
		apply(t, m, out, 5+2*i, manySchedulers(most, 1_000_000+i*most))
	}
	evs, _ = read()
	gaps := 0
	for _, e := range evs {
		if e.Kind == model.Gap {
			gaps++
		}
	}
	if want := 40 * 3 * most; gaps != want {
		t.Errorf("want the %d gauges of those that went declared unknown, got %d", want, gaps)
	}
}
