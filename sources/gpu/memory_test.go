package gpu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSharedMemoryBySMI: nvidia-smi has no memory to tell of a chip that is one
// with its CPU; this machine's stands in where it runs here, not elsewhere.
func TestSharedMemoryBySMI(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "meminfo"), []byte("MemTotal: 1048576 kB\nMemAvailable: 786432 kB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const rows = "index, uuid, name, memory.used [MiB], memory.total [MiB]\n0, GPU-a, NVIDIA GB10, [N/A], [N/A]\n1, GPU-b, NVIDIA L4, [N/A], [N/A]\n2, GPU-c, NVIDIA L4, 100 MiB, 200 MiB\n"
	for _, tt := range []struct {
		name string
		smi  []string
		want [3]MemoryKind
	}{
		{"here", []string{"nvidia-smi"}, [3]MemoryKind{MemoryShared, MemoryOwn, MemoryOwn}},
		{"elsewhere", []string{"ssh", "gpu1", "nvidia-smi"}, [3]MemoryKind{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &smiReader{o: Options{SMI: tt.smi, proc: dir}, up: make(chan struct{}), shelves: make(map[int]*shelf), bus: make(map[int]string)}
			s.layout = layoutOf("index,uuid,name,memory.used,memory.total")
			for line := range strings.Lines(rows) {
				s.line(strings.TrimSpace(line), time.Unix(1, 0))
			}
			for i, want := range tt.want {
				r := s.shelves[i].take(time.Unix(1, 0), time.Minute)
				if r.Memory != want {
					t.Errorf("GPU %d: want memory %q, got %q", i, want, r.Memory)
				}
				if want == MemoryShared && (r.Get(MemUsed) != 256 || r.Get(MemTotal) != 1024) {
					t.Errorf("want 256 of 1024 MiB, got %v of %v", r.Get(MemUsed), r.Get(MemTotal))
				}
				if r.Has(MemUsed) != (i == 2 || want == MemoryShared) {
					t.Errorf("GPU %d: want no memory invented, got %v", i, r.Get(MemUsed))
				}
			}
		})
	}
}

// TestSystemMemory reads what the kernel writes, and nothing out of what is none.
func TestSystemMemory(t *testing.T) {
	for _, tt := range []struct {
		name, text  string
		used, total float64
		ok          bool
	}{
		{"as the kernel has it", "MemTotal:       127600640 kB\nMemFree:        90000000 kB\nMemAvailable:   118566912 kB\n", 8822, 124610, true},
		{"an old kernel", "MemTotal: 1024 kB\nMemFree: 512 kB\n", 0, 0, false},
		{"more available than there is", "MemTotal: 1024 kB\nMemAvailable: 2048 kB\n", 0, 0, false},
		{"no numbers", "MemTotal: lots kB\nMemAvailable: some kB\n", 0, 0, false},
		{"empty", "", 0, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "meminfo"), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			used, total, err := systemMemory(dir)
			if used != tt.used || total != tt.total || (err == nil) != tt.ok {
				t.Errorf("want %v of %v, %v, got %v of %v, %v", tt.used, tt.total, tt.ok, used, total, err)
			}
		})
	}
	if _, _, err := systemMemory(t.TempDir()); err == nil {
		t.Error("want an error without the file")
	}
}
