package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/recording"
	"benchtop/themes"
	"benchtop/ui/report"
)

// bomb is a text that a reader which expands its aliases would not survive.
const bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
	"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\nlog: *f\n"

// FuzzRunFile: whatever a run file holds, it is read or refused with one line.
func FuzzRunFile(f *testing.F) {
	for _, text := range []string{
		"", "log: server.log\nload: [a, b]\nfor: 10s\n", bomb, "load:\n  concurrency: 32\n  payload: {a: 1}\ngoal: sla\nconfig:\n  env: {A: b}\n",
		"arms:\n  - name: a\n    run: sleep 1\n  - {name: b, run: sleep 2, meta: {k: v}}\npasses: 3\ncool_below: 45C\nknob: k\n",
		"thresholds: {batch_fill: 0.5}\n", "a: &a *a\n", "? {a: b}\n: c\n", "log: !!binary x\n", "- a\n- b\n",
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "run.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if run, err := readRunFile(path); err == nil {
			run.notes(1)
			run.implicit()
		}
		if rounds, err := readRounds(path); err == nil && (rounds.Passes+rounds.Warmup)*len(rounds.Arms) > mostRounds {
			t.Fatalf("want at most %d rounds, got %d of %d arms", mostRounds, rounds.Passes+rounds.Warmup, len(rounds.Arms))
		}
		if d := time.Since(began); d > 20*time.Second {
			t.Fatalf("took %s for %d bytes", d, len(text))
		}
	})
}

// FuzzRecording replays what a stranger may have sent, through the engine, the
// screen and each kind of report. Nothing panics, and no byte that a terminal
// would act on gets through.
func FuzzRecording(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("..", "..", "sources", "recording", "testdata", "*.btr"))
	if err != nil || len(names) == 0 {
		f.Fatalf("want samples of recordings, got %v, %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 64<<10 {
			f.Add(data)
			f.Add(data[:len(data)*2/3])
		}
	}
	dir := f.TempDir()
	all, err := themes.Builtin()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "stranger.btr")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		showAll(t, path, all[0])
	})
}

// showAll replays a recording, if it can be, and draws and reports what stands
// at its end in each way there is.
func showAll(t *testing.T, path string, theme *themes.Theme) {
	t.Helper()
	run, err := play(t.Context(), path, 0)
	if err != nil {
		if strings.Contains(err.Error(), "internal error") {
			var c *sources.Crash
			if errors.As(err, &c) {
				t.Logf("%s", c.Stack)
			}
			t.Fatal(err)
		}
		return
	}
	sf := &shotFlags{colour: "24bit"}
	frame, err := sf.draw(run.Snap, theme, "text", 120, 40)
	if err != nil {
		t.Fatal(err)
	}
	wantInert(t, "screen", frame)
	var b bytes.Buffer
	if err := report.Run(run.Snap).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteString(report.Closing(run.Snap))
	wantInert(t, "report", b.Bytes())
	b.Reset()
	if err := report.Run(run.Snap).WriteHTML(&b, report.RunHead(run.Snap)); err != nil {
		t.Fatal(err)
	}
	if err := report.WriteSummary(&b, run.Snap); err != nil {
		t.Fatal(err)
	}
}

// wantInert wants text that a terminal only shows.
func wantInert(t *testing.T, what string, text []byte) {
	t.Helper()
	for _, r := range string(text) {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar) {
			t.Fatalf("%s: want nothing that a terminal acts on, got %U", what, r)
		}
	}
}

// batchOf makes events and notes of bytes: each kind, any series, source, key,
// time and value, as whoever writes a recording could.
func batchOf(data []byte, text string) *model.Batch {
	b := &model.Batch{}
	const start = 1_796_046_687_000_000_000
	for i := 0; len(data) >= 12; data, i = data[12:], i+1 {
		d := data
		at := model.Instant(start) + model.Instant(int16(binary.LittleEndian.Uint16(d[4:])))*50_000_000
		seen := at + model.Instant(int8(d[6]))*1_000_000
		switch d[7] {
		case 1:
			at = model.Instant(binary.LittleEndian.Uint64(d[4:]))
		case 2:
			seen = math.MaxInt64 - model.Instant(d[6])
		}
		value := float64(math.Float32frombits(binary.LittleEndian.Uint32(d[8:])))
		if d[0]&0x80 != 0 {
			cut := min(len(text), int(d[8])<<4)
			b.Notes = append(b.Notes, model.Note{
				At: at, Seen: seen, Kind: model.NoteKind(d[0] & 0x0f), Source: model.SourceID(d[1]), Key: uint64(d[2]),
				Name: strings.ToValidUTF8(text[cut:min(len(text), cut+int(d[9]))], ""), Text: strings.ToValidUTF8(text[:cut], ""), Value: value,
			})
			continue
		}
		b.Events = append(b.Events, model.Event{
			At: at, Seen: seen, Kind: model.Kind(d[0]) % (model.Reset + 1), Series: model.SeriesID(d[3]) % model.SeriesID(model.NumSeries),
			Source: model.SourceID(d[1]), Key: uint64(d[2]), Value: value, Late: d[7] == 3,
		})
	}
	return b
}

// FuzzStranger writes a whole recording with nonsense in it, which no checksum
// gives away, and shows it.
func FuzzStranger(f *testing.F) {
	all, err := themes.Builtin()
	if err != nil {
		f.Fatal(err)
	}
	seed := make([]byte, 0, 12*600)
	for i := range 600 {
		seed = append(seed, byte(i*37), byte(i%5), byte(i%3), byte(i), byte(i), byte(i>>4), 5, 0, 0, 0, byte(i), 0x42)
	}
	f.Add(seed, "\x1b]0;pwned\x07 exec:touch /tmp/x http://me:pw@h/ \u202e\u200b|a|b\x00")
	f.Add([]byte("\x85\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00"), "x")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(data) > 1<<14 || len(text) > 1<<12 {
			return
		}
		path := filepath.Join(dir, "stranger.btr")
		_ = os.Remove(path) // of the run before
		w, err := recording.Create(path, recording.Header{ID: text, Label: text, Started: 1, Benchtop: text})
		if err != nil {
			t.Fatal(err)
		}
		for b := batchOf(data, text); len(b.Events)+len(b.Notes) > 0; {
			n, m := min(len(b.Events), 50), min(len(b.Notes), 10)
			w.Write(&model.Batch{Events: b.Events[:n], Notes: b.Notes[:m]})
			b.Events, b.Notes = b.Events[n:], b.Notes[m:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		showAll(t, path, all[0])
	})
}
