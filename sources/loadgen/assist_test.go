package loadgen_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"benchtop/sources/loadgen"
)

func TestAdvise(t *testing.T) {
	tests := []struct {
		command string
		want    string   // with advice taken; "" if it stays as it is
		env     string   // added
		own     []string // files that the command as given writes to: path=format
		outputs []string // and as changed
	}{
		{"vegeta attack -rate=10", "", "", nil, nil},
		{"vegeta attack -rate=10 -output r.bin", "", "", []string{"r.bin=vegeta_gob"}, []string{"r.bin=vegeta_gob"}},
		{"vegeta report r.bin", "", "", nil, nil},
		{"k6 run s.js", "k6 run --out json=D/k6.json s.js", "", nil, []string{"D/k6.json=k6_json"}},
		{"k6 run --out json=x.json s.js", "", "", []string{"x.json=k6_json"}, []string{"x.json=k6_json"}},
		{"k6 run -o csv=x.csv s.js", "", "", []string{"x.csv=k6_csv"}, []string{"x.csv=k6_csv"}},
		{"env A=1 k6 run s.js", "env A=1 k6 run --out json=D/k6.json s.js", "", nil, []string{"D/k6.json=k6_json"}},
		{"fortio load -c 2 URL", "fortio load -access-log-file D/fortio.ndjson -access-log-format json -c 2 URL", "", nil, []string{"D/fortio.ndjson=fortio_access"}},
		{"fortio load -access-log-file=a.log URL", "", "", []string{"a.log="}, []string{"a.log="}},
		{"hey -z 10s URL", "", "", nil, nil},
		{"wrk -t1 -s mine.lua URL", "wrk --latency -t1 -s mine.lua URL", "", nil, nil},
		{"wrk -t1 URL", "wrk --latency -s D/wrk.lua -t1 URL", "", nil, []string{"D/wrk.ndjson=benchtop_ndjson"}},
		{"locust -f f.py --headless", "locust --csv D/locust -f f.py --headless", "", nil, []string{"D/locust_stats_history.csv=locust_history"}},
		{"locust -f f.py --headless --csv p", "", "", []string{"p_stats_history.csv=locust_history"}, []string{"p_stats_history.csv=locust_history"}},
		{"oha -z 10s URL", "oha --output-format json --no-tui -z 10s URL", "", nil, nil},
		{"h2load -n 10 URL", "h2load --log-file=D/h2load.tsv -n 10 URL", "", nil, []string{"D/h2load.tsv=h2load_log"}},
		{"ab -n 10 URL", "", "", nil, nil},
		{"bombardier -c 2 URL", "bombardier -l -p r -o json -c 2 URL", "", nil, nil},
		{"autocannon -c 2 URL", "autocannon -j -c 2 URL", "", nil, nil},
		{"ghz -n 10 H", "ghz -O json -n 10 H", "", nil, nil},
		{
			"vllm bench serve --model m", "vllm bench serve --model m --save-result --save-detailed --result-dir D --result-filename vllm.json",
			"PYTHONUNBUFFERED=1", nil,
			[]string{"D/vllm.json=vllm_bench"},
		},
		{
			"python -m sglang.bench_serving --model m", "python -m sglang.bench_serving --output-details --output-file D/sglang.jsonl --model m",
			"PYTHONUNBUFFERED=1", nil,
			[]string{"D/sglang.jsonl=sglang_bench"},
		},
		{
			"aiperf profile -m m --ui none", "aiperf profile --export-level records --artifact-dir D -m m --ui none",
			"AIPERF_RECORD_EXPORT_BATCH_SIZE=1", nil,
			[]string{"D/profile_export.jsonl=aiperf_jsonl"},
		},
		{
			"jmeter -n -t p.jmx", "jmeter -Jjmeter.save.saveservice.autoflush=true -Jsummariser.interval=6 -l D/jmeter.jtl -n -t p.jmx",
			"", nil,
			[]string{"D/jmeter.jtl="},
		},
		{
			"guidellm run --profile kind=synchronous", "guidellm run --profile kind=synchronous --output kind=json,path=D/guidellm.json --output kind=console",
			"", nil,
			[]string{"D/guidellm.json=guidellm"},
		},
		{"guidellm run --output kind=json,path=r.json", "", "", []string{"r.json=guidellm"}, []string{"r.json=guidellm"}},
		{"k6 run --out json=a.json --out csv=b.csv s.js", "", "", []string{"a.json=k6_json"}, []string{"a.json=k6_json"}},
		{"./bench_client --report-json r.json", "", "", []string{"r.json="}, []string{"r.json="}},
		{"sh -c 'k6 run s.js'", "", "", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			argv := strings.Fields(tt.command)
			before := slices.Clone(argv)
			a := loadgen.Advise(argv, "D")
			if !slices.Equal(before, argv) {
				t.Errorf("want the command given left alone, got %q", argv)
			}
			want := tt.want
			if want == "" {
				want = tt.command
			}
			if got := strings.Join(a.Argv, " "); got != want {
				t.Errorf("want %q, got %q", want, got)
			}
			if got := strings.Join(a.Env, " "); got != tt.env {
				t.Errorf("environment: want %q, got %q", tt.env, got)
			}
			if changed := tt.want != "" || tt.env != ""; changed != (len(a.Changes) > 0) {
				t.Errorf("want every change told, got %q", a.Changes)
			}
			for _, w := range strings.Fields(tt.want) {
				if !slices.Contains(before, w) && !strings.Contains(strings.Join(a.Changes, " "), w) {
					t.Errorf("want %q among the changes told, got %q", w, a.Changes)
				}
			}
			if got := places(a.Own); !slices.Equal(tt.own, got) {
				t.Errorf("own files: want %q, got %q", tt.own, got)
			}
			if got := places(a.Outputs); !slices.Equal(tt.outputs, got) {
				t.Errorf("files: want %q, got %q", tt.outputs, got)
			}
			if a.Why == "" {
				t.Error("want to be told what it says while it runs")
			}
			for _, f := range a.Outputs {
				if f.Format != "" && loadgen.FormatNamed(f.Format) == nil {
					t.Errorf("want a known format, got %q", f.Format)
				}
			}
		})
	}
}

func places(files []loadgen.Output) (all []string) {
	for _, f := range files {
		all = append(all, f.Path+"="+f.Format)
	}
	return all
}

func TestAdviseSiege(t *testing.T) {
	a := loadgen.Advise([]string{"siege", "-c", "2", "URL"}, "D")
	got := strings.Join(a.Argv, " ")
	want := "siege -R D/siegerc -v -c 2 URL"
	if p, err := exec.LookPath("stdbuf"); err == nil {
		want = p + " -oL " + want
	}
	if got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	if text := a.Scripts["D/siegerc"]; !strings.Contains(text, "\njson_output = false\n") {
		t.Errorf("want its lines switched on, got:\n%s", text)
	}
	if a = loadgen.Advise([]string{"siege", "-R", "my.rc", "URL"}, "D"); len(a.Scripts) > 0 {
		t.Errorf("want the user's own settings left alone, got %q", a.Argv)
	}
}

// What a tool writes into our folder and the user would have kept stays there.
func TestAdviseKeeps(t *testing.T) {
	for command, want := range map[string]bool{
		"aiperf profile -m m": true, "aiperf profile --artifact-dir A -m m": false, "fortio load URL": false, "locust -f f.py": false,
	} {
		if a := loadgen.Advise(strings.Fields(command), "D"); want != (a.Keep != "") {
			t.Errorf("%s: want kept %v, got %q", command, want, a.Keep)
		}
	}
}

// The script for wrk is whole and names its own stream.
func TestAdviseScript(t *testing.T) {
	a := loadgen.Advise([]string{"wrk", "URL"}, "/tmp/d")
	text := a.Scripts["/tmp/d/wrk.lua"]
	for _, want := range []string{`io.open("/tmp/d/wrk.ndjson", "a")`, `"%d.%06d"`, "function request()", "function response(status)"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %s in the script, got:\n%s", want, text)
		}
	}
	if strings.Contains(text, "%%") || strings.Contains(text, "%s") {
		t.Errorf("want no verbs left, got:\n%s", text)
	}
}
