package gpu

import (
	"strings"
	"testing"
	"time"
)

// TestWatchdogOutlivesAPanic: a job that panics is told once, with its stack,
// and the next one runs.
func TestWatchdogOutlivesAPanic(t *testing.T) {
	var w watchdog
	if done := w.start(func() { panic("driver gone") }); !waitAll(time.Minute, done) {
		t.Fatal("want the job's end seen")
	}
	if got := w.panicked(); !strings.Contains(got, "internal error: driver gone") || !strings.Contains(got, "watchdog_test.go") {
		t.Errorf("want what it died of and where, got %q", got)
	}
	ran := false
	if done := w.start(func() { ran = true }); done == nil || !waitAll(time.Minute, done) || !ran {
		t.Error("want the next job run")
	}
	if got := w.panicked(); got != "" {
		t.Errorf("want the panic told once, got %q", got)
	}
}
