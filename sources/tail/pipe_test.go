package tail_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"benchtop/sources/tail"
)

// patience is how long a condition may take to come true; reaching it fails.
const patience = 5 * time.Second

// live is a Run in real time: pipes and children wait in the kernel, where a
// bubble's clock does not reach.
type live struct {
	*testing.T
	*sink
	news   chan struct{}
	done   chan error
	cancel context.CancelFunc
}

func startLive(t *testing.T, o tail.Options) *live {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &live{T: t, sink: &sink{}, news: make(chan struct{}, 1), done: make(chan error, 1), cancel: cancel}
	h := l.handler()
	idle, event := h.Idle, h.Event
	tell := func() {
		select {
		case l.news <- struct{}{}:
		default:
		}
	}
	h.Idle = func() { idle(); tell() }
	h.Event = func(kind, text string) { event(kind, text); tell() }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.done <- tail.Run(ctx, o, h)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return l
}

// until waits for a condition.
func (l *live) until(what string, true_ func() bool) {
	l.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for !true_() {
		select {
		case <-l.news:
		case <-limit.C:
			l.Fatalf("want %s within %v, got %q, events %q", what, patience, l.got(), l.texts)
		}
	}
}

func (l *live) lines(n int) {
	l.Helper()
	l.until(fmt.Sprintf("%d lines", n), func() bool { return len(l.got()) >= n })
}

// end waits for Run's end.
func (l *live) end() error {
	l.Helper()
	select {
	case err := <-l.done:
		return err
	case <-time.After(patience):
		l.Fatalf("want an end within %v", patience)
	}
	return nil
}

// stop cancels and waits.
func (l *live) stop() {
	l.Helper()
	l.cancel()
	if err := l.end(); err != nil {
		l.Errorf("want no error, got %v", err)
	}
}

func (l *live) wantLines(lines ...string) {
	l.Helper()
	if got := l.got(); !slices.Equal(lines, got) {
		l.Errorf("want %q, got %q", lines, got)
	}
}

func mkfifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "live.fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func openWriter(t *testing.T, path string) *os.File {
	t.Helper()
	w, err := os.OpenFile(path, os.O_WRONLY, 0) // returns once the reader is there
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func say(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

func TestFIFO(t *testing.T) {
	path := mkfifo(t)
	l := startLive(t, tail.Options{Spec: tail.Spec{Place: path}, Follow: true})
	w := openWriter(t, path)
	say(t, w, "a\nhal")
	l.lines(1)
	say(t, w, "f\nun")
	l.lines(2)
	_ = w.Close()
	l.until("gone", func() bool { return l.has(tail.EventGone) })
	l.wantLines("a", "half", "p:un")
	w = openWriter(t, path)
	say(t, w, "again\n")
	l.lines(4)
	l.until("back", func() bool { return l.has(tail.EventBack) })
	_ = w.Close()
	// Made anew while nobody writes.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w = openWriter(t, path)
	say(t, w, "new\n")
	_ = w.Close()
	l.lines(5)
	l.stop()
	l.wantLines("a", "half", "p:un", "again", "new")
	if !l.has(tail.EventReopened) {
		t.Errorf("want it reopened, got %q", l.events)
	}
	if want := []tail.Kind{tail.FIFO}; !slices.Equal(want, l.kinds) {
		t.Errorf("want %v, got %v", want, l.kinds)
	}
	if got := l.total(); got.Lag != -1 || got.Follower != "pipe" {
		t.Errorf("want an unknown lag of a pipe, got %+v", got)
	}
}

func TestFIFOOnce(t *testing.T) {
	path := mkfifo(t)
	l := startLive(t, tail.Options{Spec: tail.Spec{Place: path}})
	w := openWriter(t, path)
	say(t, w, "a\nlast")
	_ = w.Close()
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	l.wantLines("a", "p:last")
}

func TestCancelWakes(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	tests := []struct {
		name string
		o    tail.Options
	}{
		{"fifo without a writer", tail.Options{Spec: tail.Spec{Place: mkfifo(t)}, Follow: true}},
		{"silent stdin", tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: r}},
		{"silent command", tail.Options{Spec: tail.Spec{Place: "exec:sleep 60", Command: "sleep 60", Kind: tail.Exec}, Follow: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := startLive(t, tt.o)
			before := time.Now()
			l.stop()
			if took := time.Since(before); took > time.Second {
				t.Errorf("want an end within 1 s, got %v", took)
			}
		})
	}
}

func TestStdin(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	l := startLive(t, tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: r})
	say(t, w, "a\r\nb")
	l.lines(1)
	_ = w.Close()
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	l.wantLines("a", "p:b")
}

// What is in the pipe when the run ends is still delivered.
func TestStdinCancelReadsOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	say(t, w, "a\nb\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &sink{}
	if err := tail.Run(ctx, tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: r}, s.handler()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b"}; !slices.Equal(want, s.got()) {
		t.Errorf("want %q, got %q", want, s.got())
	}
}

func TestStdinOtherReader(t *testing.T) {
	tests := []struct {
		name string
		in   io.Reader
		want string
	}{
		{"to its end", strings.NewReader("a\nb\n"), ""},
		{"failing", io.MultiReader(strings.NewReader("a\nb\n"), failing{}), "read standard input: torn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &sink{}
			err := tail.Run(t.Context(), tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: tt.in}, s.handler())
			if got := fmt.Sprint(err); err != nil && got != tt.want || err == nil && tt.want != "" {
				t.Errorf("want %q, got %v", tt.want, err)
			}
			if want := []string{"a", "b"}; !slices.Equal(want, s.got()) {
				t.Errorf("want %q, got %q", want, s.got())
			}
		})
	}
}

// Lines are the same whatever pieces they come in.
func FuzzPieces(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nlast"), 1)
	f.Add([]byte("\r\n\r\r\n\xff\x00\n"), 2)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		read := func(in io.Reader) []string {
			s := &sink{}
			if err := tail.Run(t.Context(), tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: in}, s.handler()); err != nil {
				t.Fatal(err)
			}
			return s.got()
		}
		want := read(bytes.NewReader(text))
		if got := read(&pieces{text, 1 + max(0, size)%100}); !slices.Equal(want, got) {
			t.Errorf("want %q, got %q", want, got)
		}
		lines := bytes.Count(text, []byte("\n"))
		if n := len(text); n > 0 && text[n-1] != '\n' {
			lines++
		}
		if lines != len(want) {
			t.Errorf("want %d lines, got %q", lines, want)
		}
	})
}

// pieces gives text a few bytes at a time.
type pieces struct {
	text []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("torn") }

func TestStdinTerminal(t *testing.T) {
	_, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	err = tail.Run(t.Context(), tail.Options{Spec: tail.Spec{Place: "-", Kind: tail.Stdin}, Stdin: tty}, (&sink{}).handler())
	if err == nil || !strings.Contains(err.Error(), "is a terminal (pipe something into it") {
		t.Errorf("want a terminal refused, got %v", err)
	}
}

func TestBurstIsHistory(t *testing.T) {
	path := mkfifo(t)
	l := startLive(t, tail.Options{Spec: tail.Spec{Place: path}, Follow: true, BurstIsHistory: true})
	w := openWriter(t, path)
	defer func() { _ = w.Close() }()
	say(t, w, "old 1\nold 2\n")
	l.lines(2)
	time.Sleep(80 * time.Millisecond) // the wait that the rule is about
	say(t, w, "live\n")
	l.lines(3)
	l.stop()
	l.wantLines("h:old 1", "h:old 2", "live")
}

func command(c string) tail.Spec { return tail.Spec{Place: "exec:" + c, Command: c, Kind: tail.Exec} }

func TestCommandOnce(t *testing.T) {
	l := startLive(t, tail.Options{Spec: command("printf 'a\nb'; printf 'c\n' >&2")})
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	got := l.got()
	slices.Sort(got)
	if want := []string{"a", "c", "p:b"}; !slices.Equal(want, got) {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestCommandEnds(t *testing.T) {
	tests := []struct {
		name, command string
		follow        bool
		want          []string
	}{
		{"well, followed", "echo a", true, []string{"has ended", "such as -f"}},
		{"badly, followed", "echo a; echo why >&2; exit 3", true, []string{"exit status 3: why", "try: "}},
		{"badly, once", "echo why >&2; exit 3", false, []string{"exit status 3: why"}},
		{"silently", "exit 4", true, []string{"exit status 4 (it runs without a terminal"}},
		{"asking", "echo 'sudo: a password is required' >&2; exit 1", true, []string{"a password is required (it can't ask"}},
		{"unknown host", "echo 'Host key verification failed.' >&2; exit 255", true, []string{"verification failed. (it can't ask", "once by hand"}},
		{"asking and waiting", "printf 'me@gpu1 password: '; exec sleep 60", true, []string{`asks "me@gpu1 password:"`, "no terminal", "keys"}},
		{"asking for a yes and waiting", "echo new host >&2; printf 'Are you sure (yes/no/[fingerprint])? ' >&2; exec sleep 60", true, []string{"asks", "once by hand"}},
		{"without a window to ask in", "echo mode $SSH_ASKPASS_REQUIRE >&2; exit 3", true, []string{"mode never"}},
		{"after its work", "seq 30; echo 'prompt: secret' >&2; exit 1", true, []string{"exit status 1 after 31 lines"}},
		{"unknown", "no-such-command-here", true, []string{"exit status 127", "not found"}},
		{"leaving something behind", "sleep 60 & echo a; echo gone >&2; exit 5", true, []string{"exit status 5: gone"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := startLive(t, tail.Options{Spec: command(tt.command), Follow: tt.follow})
			err := l.end()
			if err == nil {
				t.Fatal("want an error, got none")
			}
			for _, want := range append(tt.want, "exec:") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in it, got %q", want, err)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line, got %q", err)
			}
			if strings.Contains(strings.TrimPrefix(err.Error(), "exec:"+tt.command), "secret") {
				t.Errorf("want no line of its log, got %q", err)
			}
			if !l.has(tail.EventEnded) {
				t.Errorf("want its end told")
			}
		})
	}
}

// A command sees neither our terminal nor our input, and leads a session of
// its own.
func TestCommandAlone(t *testing.T) {
	l := startLive(t, tail.Options{Spec: command(`cat; (: </dev/tty) 2>/dev/null && echo terminal; echo $$; cut -d' ' -f6 /proc/$$/stat`)})
	if err := l.end(); err != nil {
		t.Skipf("no /proc here: %v", err)
	}
	if got := l.got(); len(got) != 2 || got[0] != got[1] {
		t.Errorf("want its own process as its session and no terminal, got %q", got)
	}
}

// Lines of the two outputs stay whole although their pieces alternate.
func TestCommandLinesStayWhole(t *testing.T) {
	l := startLive(t, tail.Options{Spec: command("printf one; sleep 0.05; printf 'two\n' >&2; sleep 0.05; printf 'three\n'")})
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	got := l.got()
	slices.Sort(got) // a busy machine may read both at once
	if want := []string{"onethree", "two"}; !slices.Equal(want, got) {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestCommandStops(t *testing.T) {
	tests := []struct {
		name, command string
		want          []string
		atMost        time.Duration
	}{
		{"last words", `trap 'echo bye; exit 0' TERM; echo a; while :; do sleep 0.02; done`, []string{"a", "bye"}, time.Second},
		{"group", `sh -c 'echo a; sleep 60'; echo never`, []string{"a"}, time.Second},
		{"stubborn", `trap '' TERM; echo a; while :; do sleep 0.05; done`, []string{"a"}, 4 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := startLive(t, tail.Options{Spec: command(tt.command), Follow: true})
			l.lines(1)
			before := time.Now()
			l.stop()
			if took := time.Since(before); took > tt.atMost {
				t.Errorf("want an end within %v, got %v", tt.atMost, took)
			}
			// A shell may add that its child was terminated.
			got := slices.DeleteFunc(l.got(), func(l string) bool { return strings.HasPrefix(l, "Terminated") })
			if !slices.Equal(tt.want, got) {
				t.Errorf("want %q, got %q", tt.want, got)
			}
		})
	}
}

// A handler that panics leaves no child behind: the source's Group recovers,
// and nobody would read it any more.
func TestCommandAfterPanic(t *testing.T) {
	var pid string
	func() {
		defer func() {
			if recover() == nil {
				t.Error("want the panic passed on")
			}
		}()
		_ = tail.Run(t.Context(), tail.Options{Spec: command("echo $$; exec sleep 60")}, tail.Handler{
			Line: func(l tail.Line) { pid = string(l.Text); panic("broken parser") },
		})
	}()
	if _, err := os.Stat("/proc/" + pid); pid == "" || err == nil {
		t.Errorf("want process %q gone, got %v", pid, err)
	}
}

// Nothing stays open, whatever was read.
func TestNoFilesLeak(t *testing.T) {
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc here")
		}
		return len(list)
	}
	path := filepath.Join(t.TempDir(), "server.log")
	if err := os.WriteFile(path, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fifo := mkfifo(t)
	before := count()
	for _, o := range []tail.Options{
		{Spec: tail.Spec{Place: path}, Follow: true},
		{Spec: tail.Spec{Place: path}, Follow: true, Direct: true},
		{Spec: tail.Spec{Place: path}},
		{Spec: tail.Spec{Place: fifo}, Follow: true},
		{Spec: command("echo a; sleep 60"), Follow: true},
		{Spec: command("echo a")},
	} {
		l := startLive(t, o)
		if o.Place != fifo {
			l.lines(1)
		}
		l.cancel()
		if err := l.end(); err != nil {
			t.Errorf("%s: want no error, got %v", o.Place, err)
		}
	}
	if after := count(); after > before {
		t.Errorf("want %d files open, got %d", before, after)
	}
}
