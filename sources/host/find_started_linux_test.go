package host_test

import (
	"os"
	"testing"

	"benchtop/sources/host"
)

// The client that we start ourselves is known as soon as it runs, whoever else
// has connections or a known name.
func TestFinderKnowsWhatWeStarted(t *testing.T) {
	pid := 0
	f := host.NewFinder(host.FinderOptions{Started: func() int { return pid }})
	if got := f.Find().Client; got != 0 {
		t.Errorf("want no client before it runs, got %d", got)
	}
	pid = os.Getppid()
	if got := f.Find().Client; got != pid {
		t.Errorf("want process %d at once, got %d", pid, got)
	}
}
