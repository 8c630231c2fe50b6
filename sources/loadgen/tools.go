package loadgen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tool is a load generator whose command line is known.
type tool struct {
	name   string
	names  []string // of its program
	verb   string   // a word that must follow; flags go behind it
	says   string   // while it runs, as it is
	read   func(l *commandLine)
	assist func(l *commandLine) // adds what makes it readable; nil if nothing does
}

func nothing(*commandLine) {}

// tools lists the load generators that are known by name. How each must be
// started is in its project's manual; versions are those of the formats.
var tools = []tool{
	{
		name: "vegeta", names: []string{"vegeta"}, verb: "attack",
		says: "vegeta tells each request at its end, in binary on its output, which is read as it is",
		read: func(l *commandLine) {
			l.report("-output", vegetaGob.Name, false)
			l.report("--output", vegetaGob.Name, false)
		},
	},
	{
		name: "k6", names: []string{"k6"}, verb: "run",
		says:   "k6 prints a line a second that counts iterations; with --out json=FILE it tells each request",
		read:   readK6Outputs,
		assist: assistK6,
	},
	{
		name: "fortio", names: []string{"fortio"}, verb: "load",
		says: "fortio says nothing of good requests until its end; with an access log it tells each one",
		read: func(l *commandLine) { l.report("-access-log-file", "", false) },
		assist: func(l *commandLine) {
			if !l.has("-access-log-file", "--access-log-file") {
				l.add("-access-log-file", l.file("fortio.ndjson", fortioAccess.Name), "-access-log-format", "json")
			}
		},
	},
	{
		name: "hey", names: []string{"hey"}, read: nothing,
		says: "hey says nothing until its end, and no option makes it: its summary is read then (its CSV lacks the requests that got no answer)",
	},
	{
		name: "wrk", names: []string{"wrk", "wrk2"}, read: nothing,
		says:   "wrk says nothing until its end; a Lua script can print each start and answer, which costs wrk some speed",
		assist: assistWrk,
	},
	{
		name: "locust", names: []string{"locust"},
		says: "locust prints totals each 2 s; with --csv it writes a row of totals a second, every 10 s (only a listener in the locustfile tells each request)",
		read: func(l *commandLine) {
			if p, ok := l.value("--csv"); ok && p != "" {
				l.own = append(l.own, Output{Path: p + "_stats_history.csv", Format: locustHistory.Name})
			}
		},
		assist: func(l *commandLine) {
			if !l.has("--csv") {
				prefix := filepath.Join(l.dir, "locust")
				l.own = append(l.own, Output{Path: prefix + "_stats_history.csv", Format: locustHistory.Name})
				l.add("--csv", prefix)
			}
			if !l.has("--headless") {
				l.changes = append(l.changes, "(not added: --headless, without which locust waits for its web page)")
			}
		},
	},
	{
		name: "oha", names: []string{"oha"},
		says: "oha draws a screen and says nothing else until its end",
		read: func(l *commandLine) { l.report("-o", "", false); l.report("--output", "", false) },
		assist: func(l *commandLine) {
			if !l.has("--no-tui") {
				l.add("--no-tui")
			}
			if !l.has("--output-format", "-j", "--json") {
				l.add("--output-format", "json")
			}
		},
	},
	{
		name: "h2load", names: []string{"h2load"},
		says: "h2load says nothing until its end; with --log-file it tells each request",
		read: func(l *commandLine) { l.report("--log-file", h2loadLog.Name, true) },
		assist: func(l *commandLine) {
			if !l.has("--log-file") {
				l.add("--log-file=" + l.file("h2load.tsv", h2loadLog.Name))
			}
		},
	},
	{
		name: "siege", names: []string{"siege"}, read: nothing,
		says:   "siege prints a line an answer with -v and json_output = false, in bursts when its output is no terminal",
		assist: assistSiege,
	},
	{
		name: "ab", names: []string{"ab"}, read: nothing,
		says: "ab counts on its stderr each tenth of its requests, and no option tells more: its summary is read at its end",
	},
	{
		name: "bombardier", names: []string{"bombardier"}, read: nothing,
		says: "bombardier draws a bar of the time left; its result is read at its end",
		assist: func(l *commandLine) {
			if !l.has("-o", "--format") {
				l.add("-l", "-p", "r", "-o", "json")
			}
		},
	},
	{
		name: "autocannon", names: []string{"autocannon"}, read: nothing,
		says: "autocannon says nothing until its end",
		assist: func(l *commandLine) {
			if !l.has("-j", "--json") {
				l.add("-j")
			}
		},
	},
	{
		name: "ghz", names: []string{"ghz"},
		says: "ghz says nothing until its end; as JSON it then tells each call",
		read: func(l *commandLine) { l.report("-o", "", false); l.report("--output", "", false) },
		assist: func(l *commandLine) {
			if !l.has("-O", "--format") {
				l.add("-O", "json")
			}
		},
	},
	{
		name: "vllm bench serve", names: []string{"vllm"}, verb: "bench", read: readVLLMOutputs,
		says:   "vllm bench serve draws a bar that counts requests of any outcome; its result file then tells each one",
		assist: assistVLLM,
	},
	{
		name: "vllm bench serve", names: []string{"benchmark_serving"}, read: readVLLMOutputs,
		says:   "vLLM's benchmark draws a bar that counts requests of any outcome; its result file then tells each one",
		assist: assistVLLM,
	},
	{
		name: "sglang bench_serving", names: []string{"sglang.bench_serving", "bench_serving", "sglang.benchmark.serving"},
		says: "SGLang's benchmark draws a bar that counts requests of any outcome; with details its output file then tells each one",
		read: func(l *commandLine) { l.report("--output-file", sglangBench.Name, true) },
		assist: func(l *commandLine) {
			if !l.has("--output-file") {
				l.add("--output-file", l.file("sglang.jsonl", sglangBench.Name))
			}
			if !l.has("--output-details") {
				l.add("--output-details")
			}
			unbuffered(l)
		},
	},
	{
		name: "AIPerf", names: []string{"aiperf"}, verb: "profile",
		says: "AIPerf writes its records in batches of 100",
		read: func(l *commandLine) {
			if d, ok := l.value("--artifact-dir", "--output-artifact-dir"); ok && d != "" {
				l.own = append(l.own, Output{Path: filepath.Join(d, "profile_export.jsonl"), Format: aiperfJSONL.Name})
			}
		},
		assist: func(l *commandLine) {
			if !l.has("--artifact-dir", "--output-artifact-dir") {
				l.keep = "AIPerf's results"
				l.add("--artifact-dir", filepath.Dir(l.file("profile_export.jsonl", aiperfJSONL.Name)))
			}
			if !l.has("--export-level", "--profile-export-level") {
				l.add("--export-level", "records")
			}
			if !l.has("--ui", "--ui-type") {
				l.add("--ui", "simple")
			}
			l.set("AIPERF_RECORD_EXPORT_BATCH_SIZE=1")
		},
	},
	{
		name: "jmeter", names: []string{"jmeter"},
		says: "JMeter writes a line a sample, 8 KiB at a time",
		read: func(l *commandLine) { l.report("-l", "", true); l.report("--logfile", "", true) },
		assist: func(l *commandLine) {
			if !l.has("-l", "--logfile") {
				l.add("-l", l.file("jmeter.jtl", ""))
			}
			if !strings.Contains(strings.Join(l.argv, " "), "saveservice.autoflush") {
				l.add("-Jjmeter.save.saveservice.autoflush=true", "-Jsummariser.interval=6")
			}
		},
	},
	{
		name: "GuideLLM", names: []string{"guidellm"},
		says: "GuideLLM logs its counts when a benchmark begins and ends; its JSON report then tells each request",
		read: readGuideLLMOutputs,
		assist: func(l *commandLine) {
			if len(l.own) == 0 && l.verb("run") { // 0.6 and later; before, --output-path had a default of its own
				l.append("--output", "kind=json,path="+l.file("guidellm.json", guidellmReport.Name), "--output", "kind=console")
			}
		},
	},
}

// readGuideLLMOutputs follows the JSON report that --output kind=json,path=FILE
// or the older --output-path names.
func readGuideLLMOutputs(l *commandLine) {
	l.report("--output-path", "", false)
	for i, a := range l.argv {
		v, ok := strings.CutPrefix(a, "--output=")
		if a == "--output" && i+1 < len(l.argv) {
			v, ok = l.argv[i+1], true
		}
		if !ok || !strings.Contains(v, "kind=json") {
			continue
		}
		for part := range strings.SplitSeq(v, ",") {
			if path, ok := strings.CutPrefix(part, "path="); ok && path != "" {
				l.own = append(l.own, Output{Path: path, Format: guidellmReport.Name})
			}
		}
	}
}

// readK6Outputs follows what --out json= and csv= name.
func readK6Outputs(l *commandLine) {
	for i := l.at + 1; i < len(l.argv); i++ {
		v := strings.TrimPrefix(strings.TrimPrefix(l.argv[i], "--out="), "-o=")
		for _, k := range [...]struct{ kind, format string }{{"json=", k6JSON.Name}, {"csv=", k6CSV.Name}} {
			path, ok := strings.CutPrefix(v, k.kind)
			if ok && path != "-" && path != "" && !strings.HasSuffix(path, ".gz") {
				path, _, _ = strings.Cut(path, "?")
				if len(l.own) > 0 { // it tells the same requests once more
					continue
				}
				l.own = append(l.own, Output{Path: path, Format: k.format})
			}
		}
	}
}

// assistK6 adds an output with each request: both k6 outputs tell the same, so
// one is enough.
func assistK6(l *commandLine) {
	if len(l.own) == 0 {
		l.add("--out", "json="+l.file("k6.json", k6JSON.Name))
	}
}

// wrkScript prints each start and answer: wrk calls it in every thread, and
// gives requests no names.
const wrkScript = `local ffi = require("ffi")
ffi.cdef[[ typedef struct { long s; long ns; } benchtop_time; int clock_gettime(int, benchtop_time *); ]]
local t = ffi.new("benchtop_time")
local out = io.open("%s", "a")
out:setvbuf("line")
local function now()
  ffi.C.clock_gettime(0, t)
  return string.format("%%d.%%06d", tonumber(t.s), math.floor(tonumber(t.ns) / 1000))
end
function request()
  out:write('{"ev":"start","t":', now(), '}\n')
  return wrk.format()
end
function response(status)
  out:write('{"ev":"end","t":', now(), ',"status":', status, '}\n')
end
`

func assistWrk(l *commandLine) {
	if !l.has("-s", "--script") {
		stream, script := l.file("wrk.ndjson", ndjson.Name), filepath.Join(l.dir, "wrk.lua")
		l.scripts = map[string]string{script: strings.NewReplacer("%s", stream, "%%", "%").Replace(wrkScript)}
		l.add("-s", script)
	}
	if !l.has("--latency", "-L") {
		l.add("--latency")
	}
}

func assistSiege(l *commandLine) {
	if !l.has("-v", "--verbose") {
		l.add("-v")
	}
	if !l.has("-R", "--rc") { // its default since 4.0.5 prints one JSON object at the end and no lines, and no option undoes it
		rc := filepath.Join(l.dir, "siegerc")
		l.scripts = map[string]string{rc: siegeSettings() + "\nverbose = true\njson_output = false\ncolor = off\n"}
		l.add("-R", rc)
	}
	if p, err := exec.LookPath("stdbuf"); err == nil && l.at == 0 {
		l.argv = append([]string{p, "-oL"}, l.argv...)
		l.changes = append(l.changes, "put "+p+" -oL before it")
	}
}

// siegeSettings are the user's own settings of siege; "" if there are none.
func siegeSettings() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(home, ".siege", "siege.conf"))
	if err != nil {
		return ""
	}
	return string(text)
}

func readVLLMOutputs(l *commandLine) {
	if v, ok := l.value("--result-filename"); ok && v != "" {
		if d, ok := l.value("--result-dir"); ok {
			v = filepath.Join(d, v)
		}
		l.own = append(l.own, Output{Path: v, Format: vllmBench.Name})
	}
}

func assistVLLM(l *commandLine) {
	if !l.has("--result-filename") {
		path := l.file("vllm.json", vllmBench.Name)
		l.argv = append(l.argv, "--save-result", "--save-detailed", "--result-dir", filepath.Dir(path), "--result-filename", filepath.Base(path))
		l.changes = append(l.changes, "added --save-result --save-detailed --result-dir "+filepath.Dir(path)+" --result-filename "+filepath.Base(path))
	}
	unbuffered(l)
}

// unbuffered makes a Python program print at once what it prints.
func unbuffered(l *commandLine) { l.set("PYTHONUNBUFFERED=1") }
