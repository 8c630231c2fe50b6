package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"benchtop/model"
	"benchtop/sources/recording"
)

// wantWhole wants a recording that was closed in order.
func wantWhole(t *testing.T, file string) {
	t.Helper()
	r, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var b model.Batch
	for err == nil {
		err = r.Next(&b)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if r.Cut() || r.Damaged() > 0 || r.Lost() > 0 {
		t.Errorf("want a whole recording, got cut %v, %d damaged blocks, %d lost records", r.Cut(), r.Damaged(), r.Lost())
	}
}

// stored counts the requests that a recording's whole blocks hold.
func stored(t *testing.T, file string) (finished, ok int, cut bool) {
	t.Helper()
	r, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for {
		b := new(model.Batch)
		switch err := r.Next(b); {
		case errors.Is(err, io.EOF):
			return finished, ok, r.Cut()
		case err != nil:
			t.Fatal(err)
		}
		for _, e := range b.Events {
			if e.Kind == model.End && slices.Contains(model.Outcomes, e.Series) {
				finished++
				if e.Series == model.ClientOK {
					ok++
				}
			}
		}
	}
}

// TestKilledRunReplays ends a recorded run without warning and plays what is on
// the disk.
func TestKilledRunReplays(t *testing.T) {
	slow(t)
	file := filepath.Join(t.TempDir(), "run.btr")
	cmd := command(t, "demo", "--scenario", "saturated", "--headless", "--speed", "10", "--record", file)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Look at the file as it grows, until it holds some tens of requests.
	eventually(t, "100 requests in the recording", func() bool {
		if info, err := os.Stat(file); err != nil || info.Size() < 4096 {
			return false
		}
		n, _, _ := stored(t, file)
		return n >= 100
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != -1 {
		t.Fatalf("want a run that was killed, got exit code %d", code)
	}

	finished, ok, cut := stored(t, file)
	if !cut {
		t.Error("want the recording to say that it was cut short")
	}
	got := invoke(t, "replay", file, "--headless", "--summary", "-")
	if got.code != 0 || got.err != "" {
		t.Fatalf("want exit 0 and no message, got %d and %q", got.code, got.err)
	}
	s, c := parse(t, got.out)
	wantNumber(t, "requests", float64(finished), c.Requests)
	wantNumber(t, "ok", float64(ok), c.OK)
	if s.Run.Duration < 5 {
		t.Errorf("duration: want what was recorded, got %g s", s.Run.Duration)
	}
	if again := invoke(t, "replay", file, "--headless", "--summary", "-"); again.out != got.out {
		t.Error("want two replays to say the same")
	}
}

// TestRecordedRunReplaysTheSame compares a run with its replay.
func TestRecordedRunReplaysTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.btr")
	live := invoke(t, "demo", "--scenario", "client_pool", "--headless", "--speed", "max", "--record", file, "--summary", "-")
	replay := invoke(t, "replay", file, "--headless", "--summary", "-")
	if live.code != 0 || replay.code != 0 {
		t.Fatalf("want exit 0 twice, got %d %q and %d %q", live.code, live.err, replay.code, replay.err)
	}
	a, _ := parse(t, live.out)
	b, _ := parse(t, replay.out)
	if !bytes.Equal(a.Client, b.Client) {
		t.Errorf("client: live %s\nreplay %s", a.Client, b.Client)
	}
	if a.Verdict.ID != b.Verdict.ID || a.Run != b.Run {
		t.Errorf("want the same verdict and run, got %+v %+v and %+v %+v", a.Verdict, a.Run, b.Verdict, b.Run)
	}
	wantWhole(t, file)
}
