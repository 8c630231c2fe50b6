package recording

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"benchtop/model"
)

// keep makes a recording in dir of n events from started on, closed or cut.
func keep(t testing.TB, dir, id, label string, started model.Instant, n int, closed bool) string {
	t.Helper()
	path := filepath.Join(dir, id+Ext)
	w, err := Create(path, Header{ID: id, Label: label, Started: started})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		at := started.Add(time.Duration(i) * time.Second)
		w.Write(&model.Batch{Events: []model.Event{{At: at, Seen: at, Kind: model.Tick}}})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !closed {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, indexStart(data)+3); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestListAndPrune(t *testing.T) {
	dir := t.TempDir()
	oldest := keep(t, dir, "a", "base", t0, 5, true)
	cut := keep(t, dir, "b", "", t0+1e9, 9, false)
	newest := keep(t, dir, "c", "base", t0+3e9, 3, true)
	open := filepath.Join(dir, "open"+Ext)
	w, err := Create(open, Header{ID: "open", Started: t0 - 1e9})
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other"+Ext)
	if err := os.WriteFile(other, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("not ours either"), 0o600); err != nil {
		t.Fatal(err)
	}

	infos, err := List(dir)
	if !errors.Is(err, ErrNotRecording) || !strings.Contains(err.Error(), other) {
		t.Errorf("want the file that is no recording named, got %v", err)
	}
	type row struct {
		path     string
		duration time.Duration
		state    State
	}
	want := []row{{newest, 2 * time.Second, Closed}, {cut, 8 * time.Second, Cut}, {oldest, 4 * time.Second, Closed}, {open, 0, Running}}
	var total int64
	for i, info := range infos {
		if got := (row{info.Path, info.Duration(), info.State}); i >= len(want) || got != want[i] {
			t.Errorf("row %d: want %v, got %v", i, want[min(i, len(want)-1)], got)
		}
		total += info.Size
	}
	if len(infos) != len(want) {
		t.Fatalf("want %d recordings, got %d", len(want), len(infos))
	}

	prune := func(maxBytes int64, keep []string, want ...string) {
		t.Helper()
		got, err := Prune(dir, maxBytes, keep...)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("prune to %d: want %v removed, got %v, %v", maxBytes, want, got, err)
		}
	}
	prune(total, nil)
	prune(total-1, []string{oldest}, cut)
	prune(0, []string{newest}, oldest)
	prune(0, nil, newest)
	prune(0, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	prune(0, nil, open)
	if _, err := os.Stat(other); err != nil {
		t.Errorf("want what is no recording left alone: %v", err)
	}
	if infos, err := List(filepath.Join(dir, "none")); infos != nil || err != nil {
		t.Errorf("no folder: want nothing, got %v, %v", infos, err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	first := keep(t, dir, "20260101-000000-base", "base", t0, 1, true)
	second := keep(t, dir, "20260101-000100-base", "base", t0.Add(time.Minute), 1, true)
	third := keep(t, dir, "20260102-000000", "", t0.Add(24*time.Hour), 1, true)
	for _, tt := range []struct{ name, want, err string }{
		{first, first, ""},
		{"last", third, ""},
		{"20260102", third, ""},
		{"20260101-000000-base", first, ""},
		{"base", second, ""},
		{"20260101", "", `run "20260101": could be 20260101-000100-base, 20260101-000000-base (give more of the id)`},
		{"x", "", `run "x": not in ` + dir + ` (benchtop runs lists what is kept; or give a path)`},
		{"x.btr", "", "recording x.btr: no such file (benchtop runs lists what is kept)"},
	} {
		t.Run(filepath.Base(tt.name), func(t *testing.T) {
			got, err := Find(dir, tt.name)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if got != tt.want || said != tt.err {
				t.Errorf("want %q, %q, got %q, %q", tt.want, tt.err, got, said)
			}
		})
	}
}

func TestDir(t *testing.T) {
	for _, tt := range []struct{ name, xdg, home, want string }{
		{"from XDG", "/state", "/home/ada", "/state/benchtop/runs"},
		{"from home", "", "/home/ada", "/home/ada/.local/state/benchtop/runs"},
		{"relative is ignored", "state", "/home/ada", "/home/ada/.local/state/benchtop/runs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", tt.xdg)
			t.Setenv("HOME", tt.home)
			if got, err := Dir(); got != tt.want || err != nil {
				t.Errorf("want %q, got %q, %v", tt.want, got, err)
			}
		})
	}
}

func TestNewPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "runs")
	for _, tt := range []struct{ label, want string }{
		{"", "20260101-000000"},
		{"", "20260101-000000-2"},
		{"max batch 32", "20260101-000000-max-batch-32"},
		{"../../etc/passwd", "20260101-000000-etc-passwd"},
		{"größe=1", "20260101-000000-gr-e-1"},
		{"…", "20260101-000000-3"},
	} {
		id, path, err := NewPath(dir, t0, tt.label)
		if id != tt.want || path != filepath.Join(dir, tt.want+Ext) || err != nil {
			t.Errorf("label %q: want %q, got %q, %q, %v", tt.label, tt.want, id, path, err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("want a folder of the owner's alone, got %v, %v", fi.Mode(), err)
	}
}

// A recording is its owner's alone, and never overwrites anything.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := keep(t, dir, "a", "", t0, 1, true)
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("want mode 0600, got %v, %v", fi.Mode(), err)
	}
	if _, err := Create(path, Header{}); err == nil || err.Error() != "record to "+path+": the file exists (remove it or give another name)" {
		t.Errorf("existing: got %v", err)
	}
	if _, err := Create(dir, Header{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: got %v", err)
	}
	if _, err := Create(filepath.Join(dir, "none", "x.btr"), Header{}); err == nil || !strings.Contains(err.Error(), "no such file or directory") {
		t.Errorf("no folder: got %v", err)
	}
	empty := filepath.Join(dir, "empty.btr")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Create(empty, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if fi, err := os.Stat(empty); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("empty file reused: want mode 0600, got %v, %v", fi.Mode(), err)
	}
	w, err = Create(os.DevNull, Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if _, err := Create("/dev/full", Header{}); err == nil || err.Error() != "record to /dev/full: no space left on device (free some space, or give --record another place)" {
			t.Errorf("/dev/full: got %v", err)
		}
	}
}
