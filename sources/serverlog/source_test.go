package serverlog_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/serverlog"
	"benchtop/sources/tail"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spec(t *testing.T, text string) tail.Spec {
	t.Helper()
	s, err := tail.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runSource runs a source once to its end and collects what it said.
func runSource(t *testing.T, b *bench, s *serverlog.Source) error {
	t.Helper()
	err := s.Run(context.Background(), b.out)
	b.now = sources.Now()
	b.collect()
	return err
}

func TestSourceReadsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.log")
	text := vllmLine("12:00:01", 1, 2) + "\n" + vllmLine("12:00:11", 3, 4)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, serverlog.Options{})
	s := serverlog.NewSource(tail.Options{Spec: spec(t, "gpu1="+path+",year=2026"), FromStart: true}, serverlog.Options{})
	if s.Name() != path {
		t.Errorf("want the place as name, got %q", s.Name())
	}
	if err := runSource(t, b, s); err != nil {
		t.Fatal(err)
	}
	b.want(model.ServerRunning, 1, 3)
	b.want(model.SourceLines, 2)
	b.want(model.SourceBytes, float64(len(text)+1))
	n := b.note(model.NoteSource, "vllm")
	if n == nil || n.Text != "vllm|gpu1" || n.Name != path {
		t.Errorf("want the source described with format and label, got %+v", n)
	}
}

func TestSourceUnknownFormat(t *testing.T) {
	b := newBench(t, serverlog.Options{})
	s := serverlog.NewSource(tail.Options{Spec: spec(t, "x.log,format=nginx")}, serverlog.Options{})
	err := runSource(t, b, s)
	if err == nil || !strings.Contains(err.Error(), `"nginx"`) {
		t.Errorf("want an error that names the format, got %v", err)
	}
}

// A command that is started again prints what it printed before.
func TestSourceDropsRepeats(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "v.log")
	write := func(lines ...string) {
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t, serverlog.Options{})
	s := serverlog.NewSource(tail.Options{Spec: spec(t, "exec:cat "+path+",format=vllm,year=2026")}, serverlog.Options{})
	write(vllmLine("12:00:01", 1, 0), "no stamp", vllmLine("12:00:11", 2, 0))
	if err := runSource(t, b, s); err != nil {
		t.Fatal(err)
	}
	write(vllmLine("12:00:01", 1, 0), "no stamp", vllmLine("12:00:11", 2, 0), vllmLine("12:00:21", 3, 0))
	if err := runSource(t, b, s); err != nil {
		t.Fatal(err)
	}
	b.want(model.ServerRunning, 1, 2, 3)
	b.want(model.SourceDropped) // nothing was lost
	b.want(model.SourceLines, 3, 1)
	if b.note(model.NoteMark, "3 lines were printed again") == nil {
		t.Error("want the repeats told")
	}
}

// Lines of the same second, and lines without a date, are known by their text.
func TestSourceKnowsLinesAgain(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []string
		want          float64 // lines counted, those of the command's last word included
	}{
		{
			"the same second",
			[]string{vllmLine("12:00:01", 1, 0), vllmLine("12:00:11", 2, 0)},
			[]string{vllmLine("12:00:11", 2, 0), vllmLine("12:00:11", 3, 0), vllmLine("12:00:12", 4, 0)},
			2 + 1 + 2 + 1,
		},
		{
			"no date",
			[]string{"Avg prompt throughput: 1.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs", "x", "Avg prompt throughput: 1.0 tokens/s, Running: 2 reqs, Waiting: 0 reqs"},
			[]string{"x", "Avg prompt throughput: 1.0 tokens/s, Running: 2 reqs, Waiting: 0 reqs", "Avg prompt throughput: 1.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs"},
			3 + 1 + 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "v.log")
			b := newBench(t, serverlog.Options{})
			s := serverlog.NewSource(tail.Options{Spec: spec(t, "exec:cat "+path+" && sleep 0.1 && echo Running && exit 3,format=vllm,year=2026"), Follow: true}, serverlog.Options{})
			for _, lines := range [][]string{c.before, c.after} {
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := runSource(t, b, s); err == nil {
					t.Fatal("want the command's end told")
				}
			}
			got := 0.0
			for _, v := range b.of(model.SourceLines) {
				got += v
			}
			if got != c.want {
				t.Errorf("want %v lines, got %v", c.want, got)
			}
		})
	}
}

// A server that says nothing since we came shows its history all the same.
func TestSourceShowsAnIdleServersHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.log")
	if err := os.WriteFile(path, []byte(vllmLine("12:00:01", 1, 0)+"\n"+vllmLine("12:00:11", 2, 0)+"\n"+vllmLine("12:00:21", 3, 0)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	ch := make(chan *model.Batch, 1024)
	out := sources.NewOutlet(ctx, ch, 1, sources.Block, nil)
	s := serverlog.NewSource(tail.Options{Spec: spec(t, path+",year=2026"), Follow: true}, serverlog.Options{})
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, out) }()
	n, began := 0, time.Now()
	for n < 3 {
		select {
		case b := <-ch:
			for _, e := range b.Events {
				if e.Series == model.ServerRunning && e.Late {
					n++
				}
			}
		case <-ctx.Done():
			t.Fatal("want the history within 30 s")
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("want it after 2 s or so, got %v", took)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The history of a server that counts from its start and says nothing more
// stands where the file was last written.
func TestSourcePlacesClocksByTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.log")
	text := "0.10.000.000 I srv    load_model: initializing, n_slots = 2, n_ctx_slot = 512\n" +
		"0.20.000.000 I slot launch_slot_: id  0 | task 1 | processing task, is_child = 0\n" +
		"0.21.000.000 I srv  log_server_r: nothing of ours\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	written := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, written, written); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, serverlog.Options{})
	s := serverlog.NewSource(tail.Options{Spec: spec(t, path+",format=llamacpp"), FromStart: true}, serverlog.Options{})
	if err := runSource(t, b, s); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range b.evs {
		if e.Series == model.ServerStarted {
			n++
			if want := model.InstantOf(written.Add(-time.Second)); e.At != want || !e.Late {
				t.Errorf("want it at %v as history, got %v", want.Time(), e.At.Time())
			}
		}
	}
	if n != 1 || b.note(model.NoteMark, "file's last change") == nil {
		t.Errorf("want one start and a word on how it was placed, got %d and %+v", n, b.notes)
	}
}

func TestClocksWithoutAPlace(t *testing.T) {
	b := newBench(t, serverlog.Options{Format: "llamacpp"})
	b.past("0.20.000.000 I slot launch_slot_: id  0 | task 1 | processing task, is_child = 0")
	b.d.Close(b.now, b.out)
	b.collect()
	b.want(model.ServerStarted)
	if b.note(model.NoteError, ",start=TIME") == nil {
		t.Errorf("want it told what would place them, got %+v", b.notes)
	}
}

// A command that fails again in the same words has nothing to tell of repeats.
func TestSourceFailsAgainInSilence(t *testing.T) {
	b := newBench(t, serverlog.Options{})
	s := serverlog.NewSource(tail.Options{Spec: spec(t, "exec:echo 'Permission denied (publickey).' >&2; exit 255"), Follow: true}, serverlog.Options{})
	for range 3 {
		if err := runSource(t, b, s); err == nil {
			t.Fatal("want its end told")
		}
	}
	if n := b.note(model.NoteMark, "printed again"); n != nil {
		t.Errorf("want no word on repeats, got %q", n.Text)
	}
}
