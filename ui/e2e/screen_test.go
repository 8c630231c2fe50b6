package e2e_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// demoArgs play a run whose verdict is there within some seconds.
func demoArgs(more ...string) []string {
	return append([]string{"demo", "--scenario", "saturated", "--speed", "10"}, more...)
}

// drawn waits for the dashboard with a verdict.
func (tm *terminal) drawn() {
	tm.t.Helper()
	tm.awaitText("concurrency", "the server is saturated")
}

func TestQuitGivesTheTerminalBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.btr")
	tm := open(t, 120, 40, nil, demoArgs("--record", file)...)
	tm.drawn()
	tm.wantUsed()
	tm.keys("q")
	if code := tm.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d", code)
	}
	tm.wantRestored()
	if text := tm.screen(); !strings.Contains(text, "verdict   the server is saturated") || !strings.Contains(text, "recorded") {
		t.Errorf("want the summary on the main screen, got:\n%s", text)
	}
	wantWhole(t, file)
}

func TestOtherWaysOut(t *testing.T) {
	slow(t)
	for _, c := range []struct {
		name string
		end  func(tm *terminal)
	}{
		{"ctrl+c", func(tm *terminal) { tm.keys("\x03") }},
		{"SIGINT", func(tm *terminal) { tm.signal(syscall.SIGINT) }},
		{"SIGTERM", func(tm *terminal) { tm.signal(syscall.SIGTERM) }},
		{"SIGQUIT", func(tm *terminal) { tm.signal(syscall.SIGQUIT) }},
		{"SIGHUP", func(tm *terminal) { tm.signal(syscall.SIGHUP) }},
		{"end of the time given", func(*terminal) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "run.btr")
			args := []string{"--record", file}
			if strings.HasPrefix(c.name, "end") {
				args = append(args, "--for", "4s")
			}
			tm := open(t, 100, 30, nil, demoArgs(args...)...)
			tm.awaitText("concurrency")
			tm.wantUsed()
			c.end(tm)
			if code := tm.wait(); code != 0 {
				t.Errorf("want exit code 0, got %d", code)
			}
			tm.wantRestored()
			if text := tm.screen(); !strings.Contains(text, "recorded") {
				t.Errorf("want the summary on the main screen, got:\n%s", text)
			}
			wantWhole(t, file)
		})
	}
}

// TestAbortGivesTheTerminalBack sends the signal that asks for a dump: the
// terminal must be as it was before that is written, and the process dead of
// that signal.
func TestAbortGivesTheTerminalBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.btr")
	tm := open(t, 100, 30, nil, demoArgs("--record", file)...)
	tm.awaitText("concurrency")
	tm.wantUsed()
	tm.signal(syscall.SIGABRT)
	tm.wait()
	if st, ok := tm.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !st.Signaled() || st.Signal() != syscall.SIGABRT {
		t.Errorf("want the process dead of SIGABRT, got %v", tm.cmd.ProcessState)
	}
	tm.wantRestored()
	tm.mu.Lock()
	raw := tm.raw.String()
	tm.mu.Unlock()
	if _, after, left := strings.Cut(raw, "\x1b[?1049l"); !left || !strings.Contains(after, "SIGABRT: abort") {
		t.Error("want the stacks on the main screen")
	}
	wantWhole(t, file)
}

// TestTerminalGoesAway closes the window under the running program: it must
// end, and with its recording whole.
func TestTerminalGoesAway(t *testing.T) {
	slow(t)
	file := filepath.Join(t.TempDir(), "run.btr")
	tm := open(t, 100, 30, nil, demoArgs("--record", file)...)
	tm.awaitText("concurrency")
	if err := tm.line.Close(); err != nil {
		t.Fatal(err)
	}
	if err := tm.master.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of a program without a terminal", func() bool {
		select {
		case err := <-tm.exited:
			tm.exited <- err
			return true
		default:
			return false
		}
	})
	wantWhole(t, file)
}

func TestFailedStartLeavesTheTerminalAlone(t *testing.T) {
	tm := open(t, 100, 30, nil, "replay", "/no/such/recording")
	if code := tm.wait(); code != 1 {
		t.Errorf("want exit code 1, got %d", code)
	}
	tm.wantRestored()
	if len(tm.modes) != 0 {
		t.Errorf("want no terminal mode touched, got %v", tm.modes)
	}
}

func TestResize(t *testing.T) {
	slow(t)
	tm := open(t, 120, 40, nil, demoArgs()...)
	tm.drawn()
	for _, size := range [][2]int{{80, 24}, {200, 60}, {60, 15}, {20, 4}, {1, 1}, {500, 200}, {132, 43}} {
		w, h := size[0], size[1]
		tm.resize(w, h)
		if w < 60 {
			continue // all it has to do there is live
		}
		tm.await("a screen that fills the new size", func(text string) bool {
			lines := strings.Split(text, "\n")
			return len(lines) == h && strings.Contains(text, "saturated") && strings.Contains(lines[h-1], "help")
		})
		widest := 0
		for _, l := range strings.Split(tm.screen(), "\n") {
			widest = max(widest, len([]rune(strings.TrimRight(l, " "))))
		}
		if widest > w || widest < w*3/4 {
			t.Errorf("%d×%d: want the width used, got %d columns", w, h, widest)
		}
	}
	tm.keys("q")
	if code := tm.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d", code)
	}
	tm.wantRestored()
}

// TestBytesOverTheLine counts what a live screen sends at its highest rate,
// charts moving: a slow line must carry it.
func TestBytesOverTheLine(t *testing.T) {
	slow(t)
	for _, size := range []struct{ w, h, most int }{{120, 40, 3000}, {200, 60, 6000}} {
		t.Run(fmt.Sprintf("%dx%d", size.w, size.h), func(t *testing.T) {
			t.Parallel()
			tm := open(t, size.w, size.h, nil, "demo", "--scenario", "tour", "--fps", "10")
			sent := func() int {
				tm.mu.Lock()
				defer tm.mu.Unlock()
				return tm.raw.Len()
			}
			tm.awaitText("00:00:08")
			from := sent()
			tm.awaitText("00:00:26") // by the run's own clock
			rate := (sent() - from) / 18
			t.Logf("%d bytes a second", rate)
			if rate > size.most || rate < 100 {
				t.Errorf("want 100 to %d bytes a second, got %d", size.most, rate)
			}
		})
	}
}

func TestKeysOnTheScreen(t *testing.T) {
	slow(t)
	tm := open(t, 120, 40, nil, demoArgs()...)
	tm.drawn()
	tm.keys("?")
	tm.awaitText("this help")
	tm.keys("\x1b")
	tm.await("the dashboard without help", func(text string) bool {
		return strings.Contains(text, "concurrency") && !strings.Contains(text, "this help")
	})
	tm.keys(" ")
	tm.awaitText("go on") // the footer's word while paused
	tm.keys("l")
	tm.await("the word for pausing", func(text string) bool { return !strings.Contains(text, "go on") })
	tm.keys("q")
	if code := tm.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d", code)
	}
	tm.wantRestored()
}

// TestKeysWhileStdinIsData pipes the load stream in: keys come from the
// terminal device then, and q ends the program though the pipe is still open.
func TestKeysWhileStdinIsData(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	tm := open(t, 120, 40, r, "--load", "-", "--gpu", "off", "--no-record")
	_ = r.Close() // the child has it
	for _, l := range shifted(t, "client.ndjson") {
		if _, err := io.WriteString(w, l.text+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	tm.awaitText("concurrency", "ndjson")
	tm.wantUsed()
	tm.keys("?")
	tm.awaitText("this help")
	tm.keys("q")
	if code := tm.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d", code)
	}
	tm.wantRestored()
	if text := tm.screen(); !strings.Contains(text, "21 requests, 21 ok, 0 failed") {
		t.Errorf("want the piped requests in the summary, got:\n%s", text)
	}
}

// TestDumbTerminal wants plain lines where the terminal can't do more.
func TestDumbTerminal(t *testing.T) {
	slow(t)
	tm := open(t, 100, 30, nil, demoArgs("--headless", "--for", "1500ms")...)
	if code := tm.wait(); code != 0 {
		t.Errorf("want exit code 0, got %d", code)
	}
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if raw := tm.raw.String(); strings.Contains(raw, "\x1b") || !strings.Contains(raw, "client ") {
		t.Errorf("want plain lines, got %q", raw)
	}
}
