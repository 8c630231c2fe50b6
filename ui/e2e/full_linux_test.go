package e2e_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestWrittenOnAFullDisk follows a log and a stream whose disk fills up while
// they are written: what got onto it is read, a line that was cut off there is
// read when the rest of it follows, and one whose rest never comes costs itself.
func TestWrittenOnAFullDisk(t *testing.T) {
	slow(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("NOT CHECKED: no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	name := func(s string) string { return filepath.Join(dir, s) }
	put(t, name("ballast"), strings.Repeat("x", 128<<10))
	put(t, name("server.log"), "")
	put(t, name("client.ndjson"), "")
	f := follow(t, nil, "watch", "--log", name("server.log"), "--load", name("client.ndjson"), "--from", "start", "--gpu", "off", "--host", "off", "--no-record")
	f.said("client ")

	vllm := "INFO 11-30 12:00:01 [loggers.py:257] Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 20.0 tokens/s, Running: 5 reqs, Waiting: 1 reqs, GPU KV cache usage: 50.0%, Prefix cache hit rate: 0.0%\n"
	put(t, name("server.log"), strings.Repeat(vllm, 4))
	f.said("server 5+1")
	text := load(0, 1500) // more than there is room for
	written := fill(t, name("client.ndjson"), text)
	if written < 20_000 || written > len(text)-20_000 {
		t.Fatalf("the disk took %d of %d bytes: the test proves nothing", written, len(text))
	}
	took := fill(t, name("server.log"), strings.Repeat(strings.ReplaceAll(vllm, "Running: 5", "Running: 6"), 40)) // to the end of its page
	if took%len(vllm) == 0 {
		t.Fatalf("the disk took whole lines, %d bytes: the test proves nothing", took)
	}
	whole := float64(4 + took/len(vllm) + 4)
	if err := os.Remove(name("ballast")); err != nil {
		t.Fatal(err)
	}
	put(t, name("client.ndjson"), text[written:])
	put(t, name("server.log"), "\n"+strings.Repeat(strings.ReplaceAll(vllm, "Running: 5", "Running: 7"), 4))
	f.said("server 7+1")
	s, c := f.end()
	wantNumber(t, "requests", 1500, c.Requests)
	wantNumber(t, "ok", 1500, c.OK)
	wantNumber(t, "unfinished", 0, c.Unfinished)
	for _, src := range s.Sources {
		if src.Kind == "log" && (src.Matched == nil || *src.Matched < whole || *src.Matched > whole+1) { // what is left of the cut one may say enough
			t.Errorf("want the log's %g whole lines, got %s", whole, number(src.Matched))
		}
		if src.State != "running" && src.State != "quiet" && src.Kind != "clock" {
			t.Errorf("%s: want it followed to the end, got %s", src.Name, src.State)
		}
	}
}

// fill writes until the disk is full and tells how much it took.
func fill(t *testing.T, name, text string) (written int) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for written < len(text) {
		n, err := f.WriteString(text[written:min(len(text), written+4096)])
		written += n
		if errors.Is(err, syscall.ENOSPC) {
			return written
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the disk did not fill up")
	return written
}
