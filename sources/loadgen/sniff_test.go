package loadgen_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"benchtop/sources/loadgen"
)

// TestSniffMatrix: every recording is taken for its own format by its first
// lines, already by its first few, and clearly before any other.
func TestSniffMatrix(t *testing.T) {
	seen := make(map[string]bool)
	for _, file := range corpusFiles(t) {
		base := filepath.Base(file)
		t.Run(base, func(t *testing.T) {
			want, ok := formats[base]
			if !ok {
				t.Fatal("want this file in the table of formats")
			}
			seen[want] = true
			all := bytes.Split(readFile(t, file), []byte("\n"))
			for _, n := range []int{50, 3} {
				if f := loadgen.FormatNamed(want); n < 50 && (f == nil || f.Document) {
					continue // it shows only further down
				}
				m := loadgen.Sniff(all[:min(n, len(all))])
				if len(m) == 0 || m[0].Format.Name != want {
					t.Fatalf("from %d lines: want %s, got %v", n, want, names(m))
				}
				if len(m) > 1 && m[1].Score >= m[0].Score {
					t.Errorf("from %d lines: want a clear lead, got %v", n, names(m))
				}
			}
		})
	}
	for _, f := range loadgen.Formats {
		if !seen[f.Name] {
			t.Errorf("%s: want a recording of every format", f.Name)
		}
	}
}

func names(m []loadgen.Match) (all []any) {
	for _, x := range m {
		all = append(all, x.Format.Name, x.Score)
	}
	return all
}

// formats says which format each recording is in.
var formats = map[string]string{
	"bench_client.ndjson":                        "benchtop_ndjson",
	"bench_client-sse.ndjson":                    "benchtop_ndjson",
	"autocannon-stream.ndjson":                   "benchtop_ndjson",
	"guidellm.stderr.txt":                        "guidellm_log",
	"jmeter-summary.composed.txt":                "jmeter_summary",
	"locust-listener.ndjson":                     "benchtop_ndjson",
	"wrk-lua.ndjson":                             "benchtop_ndjson",
	"vegeta.ndjson":                              "vegeta_json",
	"vegeta.csv":                                 "vegeta_csv",
	"k6.json":                                    "k6_json",
	"k6.ms.csv":                                  "k6_csv",
	"k6.seconds.csv":                             "k6_csv",
	"fortio.access.ndjson":                       "fortio_access",
	"h2load.log":                                 "h2load_log",
	"aiperf.composed.jsonl":                      "aiperf_jsonl",
	"jmeter.composed.csv":                        "jmeter_csv",
	"siege.txt":                                  "siege",
	"hey.csv":                                    "hey_csv",
	"oha.composed.csv":                           "oha_csv",
	"vegeta.gob":                                 "vegeta_gob",
	"gatling-simulation.composed.log":            "gatling_binary",
	"jmeter.composed.xml":                        "jmeter_xml",
	"ab.gnuplot.tsv":                             "ab_gnuplot",
	"ab.percentiles.csv":                         "ab_percentiles",
	"locust.stderr.txt":                          "locust_console",
	"evalscope-perf.composed.log":                "evalscope",
	"k6.stdout.txt":                              "k6",
	"k6.rest-metrics.ndjson":                     "k6_rest",
	"mlperf_log_detail.composed.txt":             "mlperf_detail",
	"ghz.csv":                                    "ghz_csv",
	"vllm-bench.composed.json":                   "vllm_bench",
	"vllm-bench-progress.composed.txt":           "vllm_bench_text",
	"sglang-bench.composed.jsonl":                "sglang_bench",
	"guidellm.composed.json":                     "guidellm",
	"genai-perf-profile-export.composed.json":    "genai_perf",
	"inference-perf-per-request.composed.json":   "inference_perf",
	"llm-load-test.composed.json":                "llm_load_test",
	"llmperf-individual-responses.composed.json": "llmperf",
	"ghz.json":                                   "ghz_json",
	"gatling-simulation-text.composed.log":       "gatling_text",
	"mlperf_log_trace.composed.json":             "mlperf_trace",
	"wrk.txt":                                    "wrk",
	"wrk2.composed.txt":                          "wrk",
	"hey.txt":                                    "hey",
	"ab.txt":                                     "ab",
	"ab-timeout-abort.txt":                       "ab",
	"h2load.txt":                                 "h2load",
	"siege.stderr.txt":                           "siege_summary",
	"locust.stats_history.csv":                   "locust_history",
	"locust.stats.csv":                           "locust_stats",
	"bombardier.json":                            "bombardier_json",
	"bombardier.txt":                             "bombardier",
	"autocannon.json":                            "autocannon_json",
	"autocannon.txt":                             "autocannon",
	"fortio.json":                                "fortio_report",
	"oha.composed.json":                          "oha_report",
	"k6.summary.json":                            "k6_summary",
	"vegeta.report.json":                         "vegeta_report_json",
	"vegeta.report.txt":                          "vegeta_report",
	"vegeta.report-every.txt":                    "vegeta_report",
	"trtllm-bench-report.composed.json":          "trtllm_bench",
	"client_report.json":                         "client_report",
	"siege.json":                                 "siege_json",
	"tqdm-piped.txt":                             "tqdm",
	"ab-timeout-abort.stderr.txt":                "ab_progress",
	"locust.failures.csv":                        "locust_failures",
	"k6.stderr.txt":                              "k6_log",
	"k6-dashboard.sse":                           "k6_dashboard",
	"fortio.stderr.txt":                          "fortio_log",
	"vegeta.hist.txt":                            "vegeta_hist",
	"tgi-benchmark.composed.txt":                 "tgi_benchmark",
	"aiperf-progress.composed.json":              "aiperf_progress",
	"client_report-camel.composed.json":          "client_report",
	"client_report-nested.composed.json":         "client_report",
}
