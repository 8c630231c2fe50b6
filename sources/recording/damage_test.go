package recording

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// few is a small recording of three blocks, and where its blocks end.
func few(t testing.TB) (data []byte, want [][]item) {
	t.Helper()
	var batches []*model.Batch
	for i := range 3 {
		at := t0.Add(time.Duration(i) * 1100 * time.Millisecond)
		b := &model.Batch{
			Events: []model.Event{
				{At: at, Seen: at, Series: model.ClientInFlight, Source: 1, Key: uint64(i), Kind: model.Begin},
				{At: at, Seen: at + 5, Series: model.ServerRunning, Source: 2, Value: float64(i) + 0.5, Kind: model.Level},
				{At: at + 1e9, Seen: at + 1e9, Kind: model.Tick},
			},
			Notes: []model.Note{{At: at, Seen: at, Name: "n", Text: strconv.Itoa(i)}},
		}
		batches = append(batches, b)
		want = append(want, items(nil, b))
	}
	m := memory{}
	w, err := newWriter("memory", Header{ID: "few"}, m.disk())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		w.Write(b)
		settle(w)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return m.data, want
}

// A file that ends anywhere opens up to its last whole block, or is refused if
// it ends within its header.
func TestCutAnywhere(t *testing.T) {
	data, want := few(t)
	whole, err := readerOf(data)
	if err != nil {
		t.Fatal(err)
	}
	x, _, _ := whole.survey()
	for n := range data {
		r, err := readerOf(data[:n])
		if int64(n) < whole.begin {
			if !errors.Is(err, ErrNotRecording) {
				t.Fatalf("%d bytes: want a refusal, got %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		var expect []item
		for i := range x.entries {
			end := indexStart(data)
			if i+1 < len(x.entries) {
				end = x.entries[i+1].offset
			}
			if int64(n) >= end {
				expect = append(expect, want[i]...)
			}
		}
		got := readAll(t, r)
		same(t, expect, got)
		hasEnd := int64(n) >= int64(len(data))-trailerSize
		if r.Cut() == hasEnd {
			t.Fatalf("%d of %d bytes: cut %v", n, len(data), r.Cut())
		}
		first, last, err := r.Span()
		if err != nil || len(expect) > 0 && (first != t0 || last != expect[len(expect)-1].ev.Seen) {
			t.Fatalf("%d bytes: span %d..%d, %v", n, first, last, err)
		}
	}
}

func indexStart(data []byte) int64 {
	return int64(binary.LittleEndian.Uint64(data[len(data)-trailerSize+8:]))
}

// No flipped bit goes unnoticed: what is read is what was written, or the
// recording is refused, cut or damaged.
func TestBitFlips(t *testing.T) {
	data, want := few(t)
	flat := append(append(append([]item(nil), want[0]...), want[1]...), want[2]...)
	indexAt := int(indexStart(data))
	for bit := range 8 * len(data) {
		bad := bytes.Clone(data)
		bad[bit/8] ^= 1 << (bit % 8)
		r, err := readerOf(bad)
		if err != nil {
			if !errors.Is(err, ErrNotRecording) && !errors.Is(err, ErrNewer) {
				t.Fatalf("bit %d: want a refusal, got %v", bit, err)
			}
			continue
		}
		if int64(bit/8) < r.begin {
			t.Fatalf("bit %d of the header: want a refusal", bit)
		}
		got := readAll(t, r)
		switch {
		case bit/8 >= indexAt: // nothing of the run is there
			same(t, flat, got)
		case r.Damaged() == 0 && !r.Cut():
			t.Fatalf("bit %d: want the damage noticed", bit)
		default:
			lost := 0
			for _, w := range want {
				if !contains(got, w) {
					lost++
				}
			}
			if lost != 1 {
				t.Fatalf("bit %d: want one block lost, got %d", bit, lost)
			}
		}
	}
}

func contains(all, part []item) bool {
	for i := range all {
		if i+len(part) <= len(all) && all[i] == part[0] {
			for j := range part {
				if all[i+j] != part[j] {
					return false
				}
			}
			return true
		}
	}
	return false
}

// A damaged block is told where it was, with a gap for who told of requests.
func TestDamageIsTold(t *testing.T) {
	data, want := few(t)
	r, err := readerOf(data)
	if err != nil {
		t.Fatal(err)
	}
	x, _, _ := r.survey()
	data[x.entries[1].offset+blockHead+3] ^= 4
	var b model.Batch
	var got []item
	for r.Next(&b) == nil {
		got = items(got, &b)
	}
	n := len(want[0])
	if len(got) != 2*n+2 {
		t.Fatalf("want two blocks, a note and a gap, got %d items", len(got))
	}
	if note := got[n].note; note.Kind != model.NoteMark || !strings.Contains(note.Text, "damaged") || note.Seen != x.entries[1].first {
		t.Errorf("want a mark about the damage where it is, got %+v", note)
	}
	if gap := got[n+1].ev; gap.Kind != model.Gap || gap.Series != model.ClientInFlight || gap.Source != 1 {
		t.Errorf("want a gap of client in-flight of source 1, got %+v", gap)
	}
	same(t, want[2], got[n+2:])
}

func TestRefusals(t *testing.T) {
	data, _ := few(t)
	newer := bytes.Clone(data)
	newer[8] = 9
	big := bytes.Clone(data[:headFixed])
	binary.LittleEndian.PutUint32(big[12:], 1<<31)
	tests := []struct {
		name string
		data []byte
		is   error
		want string
	}{
		{"empty", nil, ErrNotRecording, "open recording memory: not a benchtop recording: the file is empty"},
		{"text", []byte("INFO 01-01 00:00:00 engine.py:1] Running: 1 reqs\n"), ErrNotRecording, "open recording memory: not a benchtop recording (raw logs and load streams are replayed with --log and --load)"},
		{"short text", []byte("x"), ErrNotRecording, "open recording memory: not a benchtop recording (raw logs and load streams are replayed with --log and --load)"},
		{"line ends changed", bytes.Replace(data, []byte("\r\n"), []byte("\n"), 1), ErrNotRecording, "open recording memory: not a benchtop recording (raw logs and load streams are replayed with --log and --load)"},
		{"from the future", newer, ErrNewer, "open recording memory: written by a newer benchtop: its format is 9, this one reads up to 1 (update benchtop)"},
		{"huge header", big, ErrNotRecording, "open recording memory: not a benchtop recording: its header is damaged"},
		{"only a head", data[:40], ErrNotRecording, "open recording memory: not a benchtop recording: it ends within its header, nothing was recorded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readerOf(tt.data)
			if !errors.Is(err, tt.is) || err.Error() != tt.want {
				t.Errorf("want %q, got %v", tt.want, err)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.btr")
	if _, err := Open(missing); err == nil || err.Error() != "open recording "+missing+": no such file or directory" {
		t.Errorf("missing: got %v", err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("folder: got %v", err)
	}
}

// A recorder that is killed loses at most what is younger than a second and
// the block on its way.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "killed.btr")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var newest model.Instant
	lines := bufio.NewScanner(pipe)
	for n := 0; n < 15 && lines.Scan(); n++ {
		v, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			t.Fatalf("child says %q", lines.Text())
		}
		newest = model.Instant(v)
	}
	if info, err := Stat(path); err != nil || info.State != Running {
		t.Errorf("while it runs: want running, got %v, %v", info.State, err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, pipe)
	_ = cmd.Wait()

	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := readAll(t, r)
	if !r.Cut() || r.Damaged() != 0 {
		t.Errorf("want a cut and nothing damaged, got %v, %d", r.Cut(), r.Damaged())
	}
	var want []item
	s := newStream(7, false)
	for len(want) < len(got)+5000 {
		for _, b := range s.second() {
			want = items(want, b)
		}
	}
	same(t, want[:len(got)], got)
	if _, last, _ := r.Span(); last < newest.Add(-3*time.Second) {
		t.Errorf("want all but the last second and a block, got %v less", newest.Sub(last))
	}
	if info, err := Stat(path); err != nil || info.State != Cut {
		t.Errorf("after the kill: want cut, got %v, %v", info.State, err)
	}
}

// TestKilledHundredTimes kills a recorder at a hundred moments, chosen by how
// large its file has just become, so that many fall into a write: each file
// opens, is cut and not damaged, holds what was given up to its last whole
// block, and replays as just that.
func TestKilledHundredTimes(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 10
	}
	rng := rand.New(rand.NewPCG(9, 9))
	var want []item
	s := newStream(7, false)
	torn := 0
	for i := range kills {
		path := filepath.Join(t.TempDir(), "killed.btr")
		killAt(t, path, rng.Int64N(150_000))
		r, err := Open(path)
		if err != nil {
			if errors.Is(err, ErrNotRecording) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "no such file") {
				continue // before it had a header
			}
			t.Fatalf("kill %d: %v", i, err)
		}
		got := readAll(t, r)
		if !r.Cut() || r.Damaged() != 0 {
			t.Errorf("kill %d: want a cut and nothing damaged, got %v, %d", i, r.Cut(), r.Damaged())
		}
		x, _, _ := r.survey()
		size, _ := r.size()
		if r.off < size {
			torn++
		}
		if x.records != uint64(len(got)) {
			t.Errorf("kill %d: want the %d records of the whole blocks, got %d", i, x.records, len(got))
		}
		_ = r.Close() // read only
		for len(want) < len(got) {
			for _, b := range s.second() {
				want = items(want, b)
			}
		}
		same(t, want[:len(got)], got)
		g := play(t, t.Context(), NewReplay(path, sources.NewPacer(sources.Max)), nil)
		same(t, want[:len(got)], g.items[:len(got)])
		if end := g.items[len(got):]; len(end) != 1 || end[0].note.Name != "recording" {
			t.Errorf("kill %d: want the replay to end with a note that it is cut short, got %v", i, end)
		}
	}
	t.Logf("%d of %d files ended within a block", torn, kills)
}

// killAt starts a recorder and kills it once its file has so many bytes.
func killAt(t *testing.T, path string, size int64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() { // a line a second of the run: the file grows between them
		if fi, err := os.Stat(path); err == nil && fi.Size() >= size {
			break
		}
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, pipe)
	_ = cmd.Wait()
}

// A full disk ends the recording and is told once asked; the run goes on and
// the file is whole up to there.
func TestDiskFull(t *testing.T) {
	var m memory
	d := m.disk()
	room := 40_000
	d.write = func(p []byte) (int, error) {
		n := min(len(p), room-len(m.data))
		m.data = append(m.data, p[:n]...)
		if n < len(p) {
			return n, syscall.ENOSPC
		}
		return n, nil
	}
	w, err := newWriter("full.btr", Header{}, d)
	if err != nil {
		t.Fatal(err)
	}
	s := newStream(1, false)
	for w.Stats().Err == nil {
		for _, b := range s.second() {
			w.Write(b)
		}
	}
	for range 100 { // and nobody waits for it
		for _, b := range s.second() {
			w.Write(b)
		}
	}
	want := "recording full.btr stopped: no space left on device (the run goes on; free some space or give --record another place)"
	if err := w.Close(); err == nil || err.Error() != want || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("close: want %q, got %v", want, err)
	}
	r, err := readerOf(m.data)
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, r); len(got) == 0 || !r.Cut() || r.Damaged() != 0 {
		t.Errorf("want a cut recording, got %d items, cut %v, damaged %d", len(got), r.Cut(), r.Damaged())
	}
	if st := w.Stats(); st.Bytes != int64(len(m.data)) {
		t.Errorf("size: want %d as in the file, got %d", len(m.data), st.Bytes)
	}
}

// While the disk stands still Write goes on at once; what does not fit is
// dropped, counted, and told by the recording where it is missing.
func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memory
		d := m.disk()
		gate := make(chan struct{})
		head := true
		write := d.write
		d.write = func(p []byte) (int, error) {
			if !head {
				<-gate
			}
			head = false
			return write(p)
		}
		w, err := newWriter("slow.btr", Header{}, d)
		if err != nil {
			t.Fatal(err)
		}
		var want []item
		now := t0
		feed := func() {
			now += 1e9
			b := &model.Batch{
				Events: []model.Event{{At: now, Seen: now, Key: uint64(now), Source: 4, Kind: model.Begin}},
				Notes:  []model.Note{{At: now, Seen: now, Text: strings.Repeat("x", 60_000), Key: uint64(now)}},
			}
			want = items(want, b)
			w.Write(b)
		}
		began := time.Now()
		for w.Stats().Lost < 3 {
			feed()
		}
		if d := time.Since(began); d != 0 {
			t.Errorf("want Write never to wait, it took %v", d)
		}
		close(gate)
		synctest.Wait()
		feed()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		st := w.Stats()
		r, err := readerOf(m.data)
		if err != nil {
			t.Fatal(err)
		}
		var got []item
		marks, gaps := 0, 0
		for _, it := range readAll(t, r) {
			switch {
			case it.note.Kind == model.NoteMark:
				marks++
			case it.ev.Kind == model.Gap:
				gaps++
			default:
				got = append(got, it)
			}
		}
		if r.Lost() != st.Lost || r.Damaged() != 0 || r.Cut() {
			t.Errorf("lost: want %d told by the file, got %d (damaged %d, cut %v)", st.Lost, r.Lost(), r.Damaged(), r.Cut())
		}
		if marks != 1 || gaps != 1 {
			t.Errorf("want one mark and one gap, got %d and %d", marks, gaps)
		}
		if len(got)+int(st.LostEvents) != len(want) {
			t.Errorf("want every event kept or counted: %d of %d kept, %d counted", len(got), len(want), st.LostEvents)
		}
		same(t, want[len(want)-2:], got[len(got)-2:])
	})
}

// A disk that never comes back doesn't keep the program from ending.
func TestCloseGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m memory
		d := m.disk()
		gate := make(chan struct{})
		head := true
		d.write = func(p []byte) (int, error) {
			if !head {
				<-gate
			}
			head = false
			return len(p), nil
		}
		w, err := newWriter("stuck.btr", Header{}, d)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(&model.Batch{Events: []model.Event{{At: t0, Seen: t0, Kind: model.Tick}}})
		began := time.Now()
		if err := w.Close(); !errors.Is(err, errSlow) {
			t.Errorf("want %v, got %v", errSlow, err)
		}
		if d := time.Since(began); d != closeWait {
			t.Errorf("want %v of waiting, got %v", closeWait, d)
		}
		close(gate)
	})
}

// A panic on the way to the disk ends the recording, not the program.
func TestDiskPanic(t *testing.T) {
	var m memory
	d := m.disk()
	d.sync = func() error { panic("boom") }
	w, err := newWriter("panic.btr", Header{}, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "internal error: boom") {
		t.Errorf("want the panic as an error, got %v", err)
	}
	w.Write(&model.Batch{Events: []model.Event{{Kind: model.Tick}}})
	if err := w.Close(); err != nil {
		t.Errorf("second close: want nothing, got %v", err)
	}
}
