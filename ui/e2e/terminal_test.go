package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminal is a pseudo terminal with an emulated screen on its far side, and
// the program that has it as its controlling terminal.
type terminal struct {
	t      *testing.T
	master *os.File
	line   *os.File // the near side, kept open to look at its settings
	before *term.State
	cmd    *exec.Cmd
	exited chan error

	mu      sync.Mutex
	emu     *vt.Emulator
	raw     bytes.Buffer
	modes   map[int]bool // as the program last set them
	broken  int          // sequences that the emulator could not take
	changed chan struct{}
}

// open starts the program on a terminal of w × h. stdin is the terminal unless
// given.
func open(t *testing.T, w, h int, stdin *os.File, args ...string) *terminal {
	t.Helper()
	master, line, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal here: %v", err)
	}
	tm := &terminal{
		t: t, master: master, line: line, cmd: command(t, args...), exited: make(chan error, 1),
		emu: vt.NewEmulator(w, h), modes: map[int]bool{}, changed: make(chan struct{}, 1),
	}
	set := func(on bool) func(ansi.Mode) {
		return func(m ansi.Mode) {
			if _, ok := m.(ansi.DECMode); ok {
				tm.modes[m.Mode()] = on // called from Write, under mu
			}
		}
	}
	tm.emu.SetCallbacks(vt.Callbacks{EnableMode: set(true), DisableMode: set(false)})
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		t.Fatal(err)
	}
	if tm.before, err = term.GetState(int(line.Fd())); err != nil {
		t.Fatal(err)
	}
	tm.cmd.Stdin, tm.cmd.Stdout, tm.cmd.Stderr = line, line, line
	if stdin != nil {
		tm.cmd.Stdin = stdin
	}
	tm.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := tm.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { tm.exited <- tm.cmd.Wait() }()
	var pumps sync.WaitGroup
	pumps.Go(tm.read)
	pumps.Go(func() { _, _ = io.Copy(master, tm.emu) }) // the emulator answers queries
	t.Cleanup(func() {
		_ = tm.cmd.Process.Kill()
		_ = line.Close()
		_ = master.Close()
		if in, ok := tm.emu.InputPipe().(io.Closer); ok {
			_ = in.Close() // ends the second pump; the emulator's own Close races with it
		}
		pumps.Wait()
		_ = tm.emu.Close()
	})
	return tm
}

// read feeds the screen until the terminal is gone.
func (tm *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := tm.master.Read(buf)
		tm.mu.Lock()
		tm.raw.Write(buf[:n])
		tm.feed(buf[:n])
		tm.mu.Unlock()
		select {
		case tm.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// feed gives the emulator one sequence after another. It breaks at some that
// were sent for a larger screen and come when it has shrunk (a scroll within
// margins outside of it); a real terminal ignores those, and so do we.
func (tm *terminal) feed(p []byte) {
	one := func(p []byte) {
		defer func() {
			if r := recover(); r != nil {
				tm.broken++
				_, _ = tm.emu.WriteString("\x1b7\x1b[r\x1b8") // no margins, the cursor where it is
			}
		}()
		_, _ = tm.emu.Write(p)
	}
	for len(p) > 0 {
		n := len(p)
		if i := bytes.IndexByte(p[1:], 0x1b); i >= 0 {
			n = i + 1
		}
		one(p[:n])
		p = p[n:]
	}
}

// screen is the text on the screen.
func (tm *terminal) screen() string {
	tm.mu.Lock()
	defer tm.mu.Unlock()
	return tm.emu.String()
}

// await waits until cond holds for the screen's text.
func (tm *terminal) await(what string, cond func(text string) bool) {
	tm.t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !cond(tm.screen()) {
		select {
		case <-tm.changed:
		case <-end.C:
			tm.t.Fatalf("not within %s: %s; the screen:\n%s", patience, what, tm.screen())
		}
	}
}

// awaitText waits until every text is on the screen.
func (tm *terminal) awaitText(texts ...string) {
	tm.t.Helper()
	tm.await(fmt.Sprintf("%q", texts), func(screen string) bool {
		return !slices.ContainsFunc(texts, func(x string) bool { return !strings.Contains(screen, x) })
	})
}

// keys types.
func (tm *terminal) keys(text string) {
	tm.t.Helper()
	if _, err := tm.master.WriteString(text); err != nil {
		tm.t.Fatal(err)
	}
}

func (tm *terminal) signal(s os.Signal) {
	tm.t.Helper()
	if err := tm.cmd.Process.Signal(s); err != nil {
		tm.t.Fatal(err)
	}
}

// resize changes the size of the terminal, of which the kernel tells the
// program.
func (tm *terminal) resize(w, h int) {
	tm.t.Helper()
	tm.mu.Lock()
	tm.emu.Resize(w, h)
	tm.mu.Unlock()
	if err := pty.Setsize(tm.master, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		tm.t.Fatal(err)
	}
}

// wait waits for the program's end and for the last it wrote, and gives its
// exit code.
func (tm *terminal) wait() int {
	tm.t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	select {
	case err := <-tm.exited:
		tm.exited <- err
	case <-end.C:
		tm.t.Fatalf("the program did not end within %s; the screen:\n%s", patience, tm.screen())
	}
	const last = "END-OF-TEST"
	if _, err := io.WriteString(tm.line, "\r\n"+last+"\r\n"); err != nil {
		tm.t.Fatal(err)
	}
	tm.awaitText(last)
	return tm.cmd.ProcessState.ExitCode()
}

// modes that are on in a terminal that nobody has touched.
var onByDefault = []int{
	7,  // lines wrap
	25, // the cursor is shown
}

// wantRestored wants the terminal as it was before the program.
func (tm *terminal) wantRestored() {
	tm.t.Helper()
	after, err := term.GetState(int(tm.line.Fd()))
	if err != nil {
		tm.t.Fatal(err)
	}
	if *after != *tm.before {
		tm.t.Errorf("line settings: want %+v, got %+v", *tm.before, *after)
	}
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if tm.emu.IsAltScreen() {
		tm.t.Error("want the main screen back")
	}
	for mode, on := range tm.modes {
		if want := slices.Contains(onByDefault, mode); on != want {
			tm.t.Errorf("terminal mode %d: want %v, got %v", mode, want, on)
		}
	}
	raw := tm.raw.String()
	for _, pair := range [][2]string{ // what is pushed must be popped
		{"\x1b[>1u", "\x1b[<1u"},
		{"\x1b[>4;2m", "\x1b[>4m"},
		{"\x1b[22;0t", "\x1b[23;0t"},
	} {
		if strings.LastIndex(raw, pair[0]) > strings.LastIndex(raw, pair[1]) {
			tm.t.Errorf("%q was not undone by %q", pair[0], pair[1])
		}
	}
}

// wantUsed wants the program to have taken the whole screen, or the test of
// giving it back says nothing.
func (tm *terminal) wantUsed() {
	tm.t.Helper()
	tm.mu.Lock()
	defer tm.mu.Unlock()
	if !tm.emu.IsAltScreen() {
		tm.t.Error("want the alternate screen while the program runs")
	}
	if on, told := tm.modes[25]; on || !told {
		tm.t.Error("want the cursor hidden while the program runs")
	}
	if !tm.modes[1002] && !tm.modes[1003] && !tm.modes[1000] {
		tm.t.Error("want the mouse while the program runs")
	}
	during, err := term.GetState(int(tm.line.Fd()))
	if err != nil {
		tm.t.Fatal(err)
	}
	if *during == *tm.before {
		tm.t.Error("want the terminal in raw mode while the program runs")
	}
}
