package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
)

// toldAtEnd is a run of 60 s whose client tells nothing until its end, while the
// server has running and waiting requests.
func toldAtEnd(running, waiting float64, end ...model.Batch) *model.Snapshot {
	const second = model.Instant(1_000_000_000)
	start := 1_796_044_000 * second
	e := engine.New(engine.Options{Preset: []model.Note{
		{At: start, Seen: start, Kind: model.NoteConfig, Name: "max_batch", Value: 4, Text: "vllm start-up line"},
	}})
	in := make(chan *model.Batch, 200)
	in <- &model.Batch{Notes: []model.Note{
		{At: start, Seen: start, Source: 1, Kind: model.NoteSource, Name: "metrics", Text: "vllm|", Value: float64(model.KindMetrics)},
		{At: start, Seen: start, Source: 2, Kind: model.NoteSource, Name: "wrk", Text: "wrk|", Value: float64(model.KindLoad)},
	}}
	now := start
	for range 60 {
		now += second
		in <- &model.Batch{Events: []model.Event{
			{At: now, Seen: now, Source: 1, Series: model.ServerRunning, Kind: model.Level, Value: running},
			{At: now, Seen: now, Source: 1, Series: model.ServerWaiting, Kind: model.Level, Value: waiting},
			{At: now, Seen: now, Kind: model.Tick},
		}}
	}
	for i := range end {
		b := &end[i]
		for j := range b.Notes {
			b.Notes[j].At, b.Notes[j].Seen = now, now+second/5
		}
		for j := range b.Events {
			b.Events[j].At += start
			b.Events[j].Seen = now + second/5
		}
		in <- b
	}
	close(in)
	e.Run(in)
	return e.Latest()
}

func said(source model.SourceID, name, figures string) model.Batch {
	return model.Batch{Notes: []model.Note{{
		Source: source, Kind: model.NoteRun, Name: name, Text: `{"summary":{"format":"wrk",` + figures + `}}`,
	}}}
}

// A tool that says nothing until its end is judged by the server alone, and
// once more when its report is there.
func TestJudgedAgain(t *testing.T) {
	tests := []struct {
		name             string
		running, waiting float64
		end              []model.Batch
		before, want     string
		text             string
	}{
		{"nothing said", 3, 0, nil, "not_enough_evidence client", "not_enough_evidence client", ""},
		{
			"held back before the server", 1, 0,
			[]model.Batch{said(2, "reported", `"requests":6000,"ok":6000,"failed":0,"latency_ms":{"mean":320},"duration_s":60`)},
			"not_enough_evidence client", "before_server ", "31 of 32 client requests",
		},
		{
			"timeouts", 4, 2,
			[]model.Batch{said(2, "reported", `"requests":1000,"ok":400,"failed":600,"by_kind":{"timeout":600},"latency_ms":{"mean":320},"duration_s":60`)},
			"server_saturated ", "client_timeout ", "600 requests (60 %)",
		},
		{
			"too few", 1, 0,
			[]model.Batch{said(2, "reported", `"requests":20,"ok":20,"failed":0,"duration_s":60`)},
			"not_enough_evidence client", "not_enough_evidence too_few", "",
		},
		{
			"a bar is no report", 1, 0,
			[]model.Batch{said(2, "reported_bar", `"requests":6000,"duration_s":60`)},
			"not_enough_evidence client", "not_enough_evidence client", "",
		},
		{"records told at the end", 1, 0, []model.Batch{records(600)}, "not_enough_evidence client", "before_server ", "client requests"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := toldAtEnd(tt.running, tt.waiting, tt.end...)
			if got := s.Verdict.ID + " " + s.Verdict.Reason; strings.TrimSpace(tt.want) != strings.TrimSpace(got) || !strings.Contains(s.Verdict.Text, tt.text) {
				t.Errorf("want %s, %q, got %s, %q", tt.want, tt.text, got, s.Verdict.Text)
			}
			h := s.Verdicts
			if len(h) == 0 {
				t.Fatal("want a history of verdicts, got none")
			}
			last := len(h) - 1
			if tt.before != tt.want {
				if last == 0 {
					t.Fatalf("want the verdict before it kept, got %+v", h)
				}
				last--
			}
			if got := h[last].ID + " " + h[last].Reason; strings.TrimSpace(tt.before) != strings.TrimSpace(got) {
				t.Errorf("want %s before the report, got %s", tt.before, got)
			}
			if s.Verdict.ID != model.VerdictNotEnough && tt.before != tt.want && s.Verdict.Confidence != "suspected" {
				t.Errorf("want a verdict by totals suspected, got %s", s.Verdict.Confidence)
			}
		})
	}
}

// records are n requests, 32 at a time, as a file tells them that is written at
// the end.
func records(n int) model.Batch {
	var b model.Batch
	for i := range n {
		at := model.Instant(i/32)*3_000_000_000 + 1_000_000_000
		key := uint64(i + 1)
		b.Events = append(b.Events,
			model.Event{Source: 2, Series: model.ClientInFlight, Kind: model.Begin, At: at, Key: key, Late: true},
			model.Event{Source: 2, Series: model.ClientOK, Kind: model.End, At: at + 3_000_000_000, Key: key, Value: 3, Late: true})
	}
	return b
}

// What several outputs of one generator say is one report; what several
// generators say adds up.
func TestReportsAddUp(t *testing.T) {
	party := func(source model.SourceID, key uint64) model.Batch {
		return model.Batch{Notes: []model.Note{{Source: source, Kind: model.NoteRun, Name: "generator", Key: key}}}
	}
	of := func(source model.SourceID, n int) model.Batch {
		return said(source, "reported", fmt.Sprintf(`"requests":%d,"ok":%d,"failed":0,"latency_ms":{"mean":%d},"average_concurrency":8`, n, n, n))
	}
	tests := []struct {
		name           string
		end            []model.Batch
		requests, mean float64
		generators     int
	}{
		{"one", []model.Batch{of(2, 100)}, 100, 0.1, 1},
		{"two", []model.Batch{of(2, 100), of(3, 300)}, 400, 0.25, 2},
		{"two outputs of one", []model.Batch{party(2, 7), party(3, 7), of(2, 100), of(3, 40)}, 100, 0.1, 1},
		{"a report after a bar", []model.Batch{party(2, 7), party(3, 7), said(3, "reported_bar", `"requests":200`), of(2, 100)}, 100, 0.1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := toldAtEnd(1, 0, tt.end...).Reported
			if r == nil || tt.requests != r.Requests || tt.generators != r.Generators || tt.mean != r.Latency.Mean {
				t.Errorf("want %g requests, mean %g s, of %d, got %+v", tt.requests, tt.mean, tt.generators, r)
			}
		})
	}
}
