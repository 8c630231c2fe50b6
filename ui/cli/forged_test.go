package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/model/engine"
	"benchtop/sources"
	"benchtop/sources/loadgen"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"
)

// forgeries are lines that a client could make a server print, or a prompt a
// load generator: streams of our own, readings of other sources, notes, names.
func forgeries(t *testing.T) []string {
	t.Helper()
	host, err := os.ReadFile(filepath.Join("..", "..", "sources", "host", "testdata", "readings.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	return append(strings.Split(strings.TrimSpace(string(host)), "\n"),
		`{"v":1,"ev":"run","t":1796046687,"tool":"forged","target":"forged","concurrency":999}`,
		`{"v":1,"ev":"mark","t":1796046687,"text":"forged"}`,
		`{"v":1,"ev":"phase","t":1796046687,"name":"forged"}`,
		`{"ts":"2026-11-30T12:00:00Z","uuid":"GPU-forged","index":0,"name":"forged","sm_mhz":210,"temp_c":99,"reasons":64}`,
		`0, GPU-forged, forged, 210, 99, 0x0000000000000040`,
		`# scrape 2026-11-30T12:00:00Z forged`,
		`# TYPE vllm:num_requests_running gauge`, `vllm:num_requests_running{engine="forged"} 999`,
		`DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-forged"} 210`,
		`client: {"v":1,"ev":"start","t":1796046687,"id":"forged"}`,
		`gpu: {"uuid":"GPU-forged","sm_mhz":210}`, `host: forged`, `source 2 failed: forged`, `source=2 key=1 forged`,
		`NoteVerdict|forged|critical|high|forged`, `verdict: forged`, `mark: forged`, `benchtop: recording failed: forged`,
		"\x1b]0;forged\x07", "forged\x00forged", "client\tforged",
	)
}

// clientLines are four requests of a client of one's own, told twice each.
func clientLines(id string) (out []string) {
	for i := range 4 {
		out = append(out, fmt.Sprintf(`{"v":1,"ev":"start","t":%d.5,"id":"%s%d"}`, 1_796_046_687+i, id, i),
			fmt.Sprintf(`{"v":1,"ev":"end","t":%d.75,"id":"%s%d","dur_ms":250,"outcome":"ok"}`, 1_796_046_687+i, id, i))
	}
	return out
}

// told is what one source said.
type told struct {
	events []model.Event
	notes  []model.Note
}

// hear runs a server's log and a client's stream and sorts what comes by who
// said it: source 1 is the log, source 2 the client.
func hear(t *testing.T, log, client []string, logFormat, clientFormat string) (map[model.SourceID]*told, *model.Snapshot) {
	t.Helper()
	write := func(name string, lines []string) tail.Options {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return tail.Options{Spec: tail.Spec{Place: path, Label: name}, FromStart: true}
	}
	all := map[model.SourceID]*told{}
	of := func(id model.SourceID) *told {
		if all[id] == nil {
			all[id] = &told{}
		}
		return all[id]
	}
	g := sources.NewGroup()
	g.Start(t.Context(), serverlog.NewSource(write("log", log), serverlog.Options{Format: logFormat, Year: 2026}), sources.Block, true)
	g.Start(t.Context(), loadgen.NewSource(write("client", client), loadgen.Options{Format: clientFormat}), sources.Block, true)
	g.WhenFinite(func() { g.Wait(0) })
	e := engine.New(engine.Options{Record: func(b *model.Batch) {
		for _, ev := range b.Events {
			of(ev.Source).events = append(of(ev.Source).events, ev)
		}
		for _, n := range b.Notes {
			of(n.Source).notes = append(of(n.Source).notes, n)
		}
	}})
	e.Run(g.Batches())
	return all, e.Latest()
}

// speaksFor lists what a source said in another one's name.
func (s *told) speaksFor(side model.Side, kinds ...model.NoteKind) (out []string) {
	for _, ev := range s.events {
		if ev.Kind == model.State || ev.Kind == model.Tick || ev.Kind == model.Gap {
			continue
		}
		if d := ev.Series.Describe(); d.Side != side && d.Side != model.SideSelf {
			out = append(out, fmt.Sprintf("an event of %s (%v)", d.Name, ev.Value))
		}
	}
	for _, n := range s.notes {
		if !slices.Contains(kinds, n.Kind) {
			out = append(out, fmt.Sprintf("a note of kind %d: %s %s", n.Kind, n.Name, n.Text))
		}
	}
	return out
}

// TestLinesCantSpeakForOthers puts lines into a log, of each format, that look
// like everything else that we read, and into a client's stream, of each format.
// The other one's events stay as they are, and nobody speaks for anybody else.
func TestLinesCantSpeakForOthers(t *testing.T) {
	bad := forgeries(t)
	bad = append(bad, clientLines("forged")...)
	quiet := []string{"INFO: nothing to tell"}
	for _, format := range append(serverlog.Names(), "") {
		t.Run("log/"+format, func(t *testing.T) {
			all, snap := hear(t, append(slices.Clone(bad), vllmStats), clientLines("r"), format, "benchtop_ndjson")
			if snap.Client.Done != 4 {
				t.Errorf("want the client's 4 requests, got %d", snap.Client.Done)
			}
			if got := all[1].speaksFor(model.SideServer, model.NoteSource, model.NoteBadLine, model.NoteEngine, model.NoteMark, model.NoteConfig, model.NoteError, model.NoteRun); len(got) > 0 {
				t.Errorf("the log says %v", got)
			}
			if format == "vllm" && !slices.ContainsFunc(all[1].events, func(ev model.Event) bool { return ev.Series == model.ServerRunning && ev.Value == 3 }) {
				t.Error("want the log's own line heard among the others, or this proves nothing")
			}
			for _, n := range all[1].notes {
				if n.Kind == model.NoteRun && n.Name != model.FactUnrecognised || n.Kind == model.NoteMark && n.Name != "server" && n.Name != "source" {
					t.Errorf("the log tells of the run: %s %s", n.Name, n.Text)
				}
			}
			if len(snap.GPUs) > 0 {
				t.Errorf("want no GPU of a log line's, got %v", snap.GPUs)
			}
			for id := range all {
				if id > 2 {
					t.Errorf("want two sources, got one more: %d", id)
				}
			}
		})
	}
	loads := []string{""}
	for _, f := range loadgen.Formats {
		loads = append(loads, f.Name)
	}
	for _, format := range loads {
		t.Run("load/"+format, func(t *testing.T) {
			all, snap := hear(t, quiet, append(append([]string(nil), bad[:len(bad)-8]...), vllmStats), "vllm", format)
			if got := all[2].speaksFor(model.SideClient, model.NoteSource, model.NoteBadLine, model.NoteMark, model.NoteConfig, model.NoteError, model.NoteRun); len(got) > 0 {
				t.Errorf("the client's stream says %v", got)
			}
			if len(snap.GPUs) > 0 || len(snap.Engines) > 0 {
				t.Errorf("want no GPU and no engine of a client's line, got %v, %v", snap.GPUs, snap.Engines)
			}
			for id := range all {
				if id > 2 {
					t.Errorf("want two sources, got one more: %d", id)
				}
			}
		})
	}
}

const vllmStats = "INFO 11-30 12:00:00 [loggers.py:118] Engine 000: Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 200.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 10.0%, Prefix cache hit rate: 0.0%"
