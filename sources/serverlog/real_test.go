package serverlog_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/serverlog"
)

var recordings = []string{"b-matched", "c-queue-grows", "d-client-timeout"}

type busySample struct {
	T     time.Time `json:"t"`
	Busy  float64   `json:"busy"`
	Slots float64   `json:"slots"`
}

func readTruth(t *testing.T, path string) []busySample {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []busySample
	for _, l := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var s busySample
		if err := json.Unmarshal(l, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// drain reads a whole feed the way Merge does and gives its events.
func drain(t *testing.T, f *sources.Feed) []model.Event {
	t.Helper()
	b := newBench(t, serverlog.Options{})
	for {
		at, ok, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return b.evs
		}
		f.Emit(b.out, at)
		b.now = at
		b.collect()
	}
}

// agreement is the share of truth samples within one of the rebuilt curve.
func agreement(evs []model.Event, truth []busySample) (near, exact float64, n int) {
	var curve []model.Event
	for _, e := range evs {
		if e.Series == model.ServerRunning {
			curve = append(curve, e)
		}
	}
	i, level := 0, math.NaN()
	for _, s := range truth {
		for i < len(curve) && curve[i].At <= model.InstantOf(s.T) {
			level = curve[i].Value
			i++
		}
		if math.IsNaN(level) {
			continue
		}
		n++
		if math.Abs(level-s.Busy) <= 1 {
			near++
		}
		if level == s.Busy {
			exact++
		}
	}
	return near / float64(n), exact / float64(n), n
}

func TestRealBusySlots(t *testing.T) {
	for _, name := range recordings {
		dir := "testdata/real/" + name + "/"
		truth := readTruth(t, dir+"truth-busy.ndjson")
		for _, log := range []string{"server.stamped.log", "server.log"} {
			t.Run(name+"/"+log, func(t *testing.T) {
				f, err := os.Open(dir + log)
				if err != nil {
					t.Fatal(err)
				}
				o := serverlog.Options{}
				if log == "server.log" {
					o.Start = startOf(t, dir)
				}
				feed := serverlog.NewFeed(f, log, o)
				defer feed.Close()
				evs := drain(t, feed)
				near, exact, n := agreement(evs, truth)
				t.Logf("%d samples: %.1f %% equal, %.1f %% within one", n, 100*exact, 100*near)
				if feed.Format != "llamacpp" || near < .95 || n < len(truth)*9/10 {
					t.Errorf("want llamacpp and ≥ 95 %% of samples within one, got %s and %.1f %% of %d", feed.Format, 100*near, n)
				}
				for _, e := range evs {
					if e.Series == model.ServerWaiting {
						t.Fatal("want no queue from this log, got one")
					}
				}
			})
		}
	}
}

// startOf takes second 0 of the plain log from the stamped one: the smallest
// distance between arrival and clock.
func startOf(t *testing.T, dir string) model.Instant {
	t.Helper()
	b, err := os.ReadFile(dir + "server.stamped.log")
	if err != nil {
		t.Fatal(err)
	}
	stamp, clock, _ := strings.Cut(string(b), " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil || !strings.HasPrefix(clock, "0.00.0") {
		t.Fatalf("unexpected first line %q", stamp)
	}
	return model.InstantOf(at.Add(-20 * time.Millisecond))
}

func TestFeedNeedsAStart(t *testing.T) {
	f, err := os.Open("testdata/real/b-matched/server.log")
	if err != nil {
		t.Fatal(err)
	}
	feed := serverlog.NewFeed(f, "server.log", serverlog.Options{})
	defer feed.Close()
	_, _, err = feed.Next()
	if err == nil || !strings.Contains(err.Error(), ",start=TIME") {
		t.Errorf("want an error that names start=, got %v", err)
	}
}

func TestFeedOrder(t *testing.T) {
	text := "banner\n" + vllmLine("12:00:01", 1, 0) + "\nno stamp\n" + vllmLine("12:00:05", 2, 0)
	feed := serverlog.NewFeed(io.NopCloser(strings.NewReader(text)), "x", serverlog.Options{Year: 2026})
	if feed.Format != "vllm" || feed.Kind != model.KindServerLog {
		t.Errorf("want a vllm server log, got %s %v", feed.Format, feed.Kind)
	}
	var at []int
	for {
		x, ok, err := feed.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		at = append(at, x.Time().UTC().Second())
	}
	if len(at) != 4 || at[0] != 1 || at[1] != 1 || at[2] != 1 || at[3] != 5 {
		t.Errorf("want 1 1 1 5, got %v", at)
	}
}

// A log of December that was last written to in January.
func TestFeedOverNewYear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.log")
	text := strings.ReplaceAll(v1line, "11-05 10:00:02", "12-31 23:59:58") + "\n" + strings.ReplaceAll(v1line, "11-05 10:00:02", "01-01 00:00:08") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := time.Date(2027, 1, 1, 0, 0, 8, 0, time.UTC)
	if err := os.Chtimes(path, wrote, wrote); err != nil {
		t.Fatal(err)
	}
	for _, year := range []int{0, 2027} { // as found by the feed, and as found for it
		r, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		feed := serverlog.NewFeed(r, "server.log", serverlog.Options{Year: year, Zone: time.UTC})
		b := newBench(t, serverlog.Options{})
		for i, want := range []string{"2026-12-31T23:59:58Z", "2027-01-01T00:00:08Z"} {
			at, ok, err := feed.Next()
			if got := at.Time().UTC().Format(time.RFC3339); !ok || err != nil || got != want {
				t.Errorf("year %d, line %d: want %s, got %s %v %v", year, i+1, want, got, ok, err)
			}
			feed.Emit(b.out, at)
		}
		feed.Close()
	}
}

type broken struct{ io.Reader }

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }
func (broken) Close() error             { return nil }

func TestFeedTellsReadErrors(t *testing.T) {
	feed := serverlog.NewFeed(broken{}, "x.log", serverlog.Options{})
	if _, _, err := feed.Next(); err == nil || !strings.Contains(err.Error(), "x.log") {
		t.Errorf("want an error that names the file, got %v", err)
	}
}

// The same lines live: busy slots do not depend on stamps.
func TestRealLive(t *testing.T) {
	f, err := os.Open("testdata/real/b-matched/server.stamped.log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := newBench(t, serverlog.Options{})
	sc := bufio.NewScanner(f)
	launches := 0
	for sc.Scan() {
		_, line, _ := strings.Cut(sc.Text(), " ")
		if strings.Contains(line, "processing task") {
			launches++
		}
		b.live(line)
	}
	if name, _ := b.d.Format(); name != "llamacpp" {
		t.Errorf("want llamacpp, got %q", name)
	}
	if got := len(b.of(model.ServerStarted)); got != launches || launches == 0 {
		t.Errorf("want %d started, got %d", launches, got)
	}
	run := b.of(model.ServerRunning)
	if last := run[len(run)-1]; last != 0 {
		t.Errorf("want no slot busy at the end, got %v", last)
	}
	if n := b.note(model.NoteError, ""); n != nil {
		t.Errorf("want no complaint, got %q", n.Text)
	}
}
