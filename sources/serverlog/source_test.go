package serverlog_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	write(vllmLine("12:00:01", 1, 0), vllmLine("12:00:11", 2, 0))
	if err := runSource(t, b, s); err != nil {
		t.Fatal(err)
	}
	write(vllmLine("12:00:01", 1, 0), "no stamp", vllmLine("12:00:11", 2, 0), vllmLine("12:00:21", 3, 0))
	if err := runSource(t, b, s); err != nil {
		t.Fatal(err)
	}
	b.want(model.ServerRunning, 1, 2, 3)
	b.want(model.SourceDropped, 3)
	if b.note(model.NoteMark, "3 lines were printed again") == nil {
		t.Error("want the repeats told")
	}
}
