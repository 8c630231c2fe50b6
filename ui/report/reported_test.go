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
	s.Run.Facts = map[string]string{
		"tool":     "hey",
		"reported": `{"summary":{"kind":"load","format":"hey","requests":96,"ok":80,"failed":16,"by_kind":{"timeout":2,"rejected":null},"latency_ms":{"mean":30.5,"p50":28,"n":96},"latency_ok_ms":{"mean":null},"average_concurrency":7.5,"duration_s":4,"rate_rps":24}}`,
	}
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
