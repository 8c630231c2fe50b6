package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"benchtop/model"
)

// TestNeighbourIsNamed looks at a made-up procfs in which one foreign process
// works hard, the server harder, and another began in between.
func TestNeighbourIsNamed(t *testing.T) {
	proc := t.TempDir()
	put := func(pid, ticks, start int, cmd string) {
		dir := filepath.Join(proc, strconv.Itoa(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		stat := strconv.Itoa(pid) + " (x y) S 1 1 1 0 -1 0 0 0 0 0 " + strconv.Itoa(ticks) + " 0 0 0 20 0 1 0 " + strconv.Itoa(start) + " 0 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
		for name, text := range map[string]string{"stat": stat, "cmdline": strings.ReplaceAll(cmd, " ", "\x00") + "\x00"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := &Sampler{o: Options{Proc: proc}}
	s.server.procs = []*process{{pid: 20}}
	var r Reading
	look := func(sec int, other float64) (model.Note, bool) {
		r.Clear()
		r.At = model.Instant(1_000+sec) * model.Instant(time.Second)
		r.Set(OtherCPU, other)
		return s.foreign.look(s, &r)
	}
	put(10, 100, 5, "/usr/bin/backup --all")
	put(20, 100, 5, "server")
	put(30, 100, 5, "idle")
	if _, ok := look(0, 0.05); ok {
		t.Error("a calm machine: want nobody named")
	}
	if _, ok := look(1, 0.5); ok {
		t.Error("one look tells no rate: want nobody named")
	}
	put(10, 100+1500, 5, "/usr/bin/backup --all")
	put(20, 100+9000, 5, "server")
	put(40, 8000, 77, "newcomer")
	if _, ok := look(3, 0.5); ok {
		t.Error("too soon: want no second look")
	}
	n, ok := look(11, 0.5)
	if want := "backup (PID 10, 1.5 cores)"; !ok || n.Text != want || n.Name != model.FactNeighbour {
		t.Errorf("want %q, got %q %v", want, n.Text, ok)
	}
}
