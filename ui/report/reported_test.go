package report_test

import (
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/ui/report"
)

// A tool that says nothing until its end still gives the client's figures then.
func TestReportedFigures(t *testing.T) {
	s := &model.Snapshot{}
	r := model.NoReport()
	r.Format, r.Requests, r.OK, r.Failed, r.Timeouts = "hey", 96, 80, 16, 2
	r.Latency.Mean, r.Latency.P50, r.Latency.N = 0.0305, 0.028, 96
	r.Mean, r.Duration, r.Rate = 7.5, 4, 24
	s.Reported = &r
	c := report.Summarize(s).Client
	if c.Requests != 96 || c.OK != 80 || c.Failed != 16 || c.ByKind.Timeout != 2 || c.RateRPS != 24 || c.GoodputRPS != 20 {
		t.Errorf("want the report's counts, got %+v", c)
	}
	if c.ByKind.Rejected == c.ByKind.Rejected {
		t.Errorf("want an unknown kind to stay unknown, got %g", c.ByKind.Rejected)
	}
	if c.LatencyMS == nil || c.LatencyMS.Mean != 30.5 || c.LatencyMS.N != 96 || c.LatencyOKMS != nil {
		t.Errorf("want the report's latency and no other, got %+v, %+v", c.LatencyMS, c.LatencyOKMS)
	}
	if got := report.Closing(s); !strings.Contains(got, "96 requests, 80 ok, 16 failed") || !strings.Contains(got, "by its own report") {
		t.Errorf("want the closing lines to say so, got:\n%s", got)
	}
}

// A count of 0 of a kind that the stream can't tell is no count.
func TestKindsThatNobodyTells(t *testing.T) {
	s := &model.Snapshot{}
	s.Client = model.ClientTotals{Known: true, Done: 3, Begun: 3, ByOutcome: map[model.SeriesID]uint64{model.ClientOK: 2, model.ClientRejected: 1}}
	s.Run.Facts = map[string]string{"kinds_unknown": "timeout,reset"}
	k := report.Summarize(s).Client.ByKind
	if k.Timeout == k.Timeout || k.Reset == k.Reset || k.Rejected != 1 || k.HTTPError != 0 {
		t.Errorf("want timeout and reset unknown, 1 rejected, 0 other statuses, got %+v", k)
	}
}

// TestImplicitKeys lists what neither a source, a flag nor the run file said.
func TestImplicitKeys(t *testing.T) {
	s := &model.Snapshot{Run: model.RunInfo{
		Facts:  map[string]string{"load.keep_alive": "true", "load.payload": "p.json", "config.threads": "4", "env.OMP_NUM_THREADS": "4"},
		Config: map[string]model.Setting{"target_concurrency": {Value: 4}, "max_batch": {Value: 8}},
	}}
	want := []string{
		"implicit in the load (stated by nobody): target, connections, request_timeout, duration, report_json",
		"implicit in the configuration: model path, warm-up rounds, input data path, log level",
	}
	var b strings.Builder
	if err := report.Run(s).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(b.String(), w+"\n") {
			t.Errorf("want %q in the report, got\n%s", w, b.String())
		}
	}
}
