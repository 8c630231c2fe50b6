package tail_test

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"benchtop/model"
	"benchtop/sources/tail"
)

// program is a shell's script as a program of its own.
func program(script string) tail.Options {
	return tail.Options{Spec: tail.Spec{Place: "program", Kind: tail.Exec}, Argv: []string{"/bin/sh", "-c", script}, Returns: true}
}

func TestProgramStreams(t *testing.T) {
	var out, errs []string
	var pid int
	var state *os.ProcessState
	err := tail.Run(t.Context(), program("echo a; echo b >&2; printf c; exit 3"), tail.Handler{
		Line: func(l tail.Line) {
			if l.Stream == tail.Stderr {
				errs = append(errs, string(l.Text))
				return
			}
			out = append(out, string(l.Text))
		},
		Started: func(p int) { pid = p },
		Exited:  func(s *os.ProcessState) { state = s },
	})
	if err != nil {
		t.Fatalf("want a program's code to be no error, got %v", err)
	}
	if want := []string{"a", "c"}; !slices.Equal(want, out) {
		t.Errorf("stdout: want %q, got %q", want, out)
	}
	if want := []string{"b"}; !slices.Equal(want, errs) {
		t.Errorf("stderr: want %q, got %q", want, errs)
	}
	if pid == 0 || state == nil || state.Pid() != pid || state.ExitCode() != 3 {
		t.Errorf("want process %d to have ended with 3, got %v", pid, state)
	}
}

func TestProgramSignals(t *testing.T) {
	tests := []struct {
		name, script string
		send         []os.Signal
		want         []string
		code         int
		killed       bool
	}{
		{"forwarded", `trap 'echo got int; exit 7' INT; echo up; while :; do sleep 0.02; done`, []os.Signal{syscall.SIGINT}, []string{"up", "got int"}, 7, false},
		{"its own kind", `trap 'echo got hup; exit 8' HUP; echo up; while :; do sleep 0.02; done`, []os.Signal{syscall.SIGHUP}, []string{"up", "got hup"}, 8, false},
		{"to the group", `sh -c 'trap "echo inner; exit 0" TERM; echo up; while :; do sleep 0.02; done' & trap 'wait; exit 9' TERM; wait`, []os.Signal{syscall.SIGTERM}, []string{"up", "inner"}, 9, false},
		{"at once is one", `trap 'echo got int' INT; echo up; n=0; while [ $n -lt 20 ]; do n=$((n+1)); sleep 0.02; done; exit 6`, []os.Signal{syscall.SIGINT, syscall.SIGINT}, []string{"up", "got int"}, 6, false},
		{"the second kills", `trap '' INT; echo up; sleep 0.5; echo up; while :; do sleep 0.02; done`, []os.Signal{syscall.SIGINT}, []string{"up", "up"}, -1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if signal.Ignored(tt.send[0]) {
				t.Skipf("%v is ignored here, as under nohup, and a shell can't catch what it was born to ignore", tt.send[0])
			}
			signals := make(chan os.Signal, len(tt.send))
			o := program(tt.script)
			o.Signals = signals
			var got []string
			var state *os.ProcessState
			err := tail.Run(t.Context(), o, tail.Handler{
				Line: func(l tail.Line) {
					if got = append(got, string(l.Text)); string(l.Text) == "up" {
						for _, s := range tt.send {
							signals <- s
						}
					}
				},
				Exited: func(s *os.ProcessState) { state = s },
			})
			if err != nil || state == nil {
				t.Fatalf("want its end, got %v, %v", state, err)
			}
			got = slices.CompactFunc(got, func(a, b string) bool { return a == b && a == "got int" })                        // two at once may be two or one
			got = slices.DeleteFunc(got, func(l string) bool { return strings.HasPrefix(l, "Terminated") || l == "Hangup" }) // what a shell says of its children
			if !slices.Equal(tt.want, got) {
				t.Errorf("want %q, got %q", tt.want, got)
			}
			if status := state.Sys().(syscall.WaitStatus); status.Signaled() != tt.killed || state.ExitCode() != tt.code {
				t.Errorf("want code %d, killed %v, got %v", tt.code, tt.killed, state)
			}
		})
	}
}

// Cancelling interrupts a program and lets it write its report.
func TestProgramCancelled(t *testing.T) {
	l := startLive(t, program(`trap 'echo report; exit 0' INT; echo up; while :; do sleep 0.02; done`))
	l.lines(1)
	l.stop()
	if want, got := []string{"up", "report"}, l.got(); !slices.Equal(want, got) {
		t.Errorf("want %q, got %q", want, got)
	}
}

func TestProgramInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("GET http://127.0.0.1/\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	o := program("cat")
	o.Stdin = r
	l := startLive(t, o)
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	if want, got := []string{"GET http://127.0.0.1/"}, l.got(); !slices.Equal(want, got) {
		t.Errorf("want %q, got %q", want, got)
	}
}

// A bar is drawn over itself: what a carriage return ends is a line as soon as
// it comes, whatever pieces it comes in.
func TestReturns(t *testing.T) {
	tests := []struct {
		name, script string
		want         []string
	}{
		{"bar", `printf '\r 0%%|'; printf '\r10%%|'; printf '\r20%%|\n'; echo done`, []string{" 0%|", "10%|", "20%|", "done"}},
		{"line ends of two bytes", `printf 'a\r\n'; printf '\r\nb\r\n'`, []string{"a", "", "b"}},
		{"cut between them", `printf 'a\r'; sleep 0.1; printf '\nb\r'; sleep 0.1; printf 'c\n'`, []string{"a", "b", "c"}},
		{"none", `printf 'a\nb'`, []string{"a", "p:b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := startLive(t, program(tt.script))
			if err := l.end(); err != nil {
				t.Fatal(err)
			}
			if got := l.got(); !slices.Equal(tt.want, got) {
				t.Errorf("want %q, got %q", tt.want, got)
			}
		})
	}
}

// A block that Raw takes becomes no line.
func TestRaw(t *testing.T) {
	var raw, lines []string
	err := tail.Run(t.Context(), program(`printf '\000bin\nary'; echo text >&2`), tail.Handler{
		Line: func(l tail.Line) { lines = append(lines, string(l.Text)) },
		Raw: func(stream uint8, block []byte, base int64, _ model.Instant) bool {
			if stream == tail.Stdout {
				raw = append(raw, string(block))
			}
			return stream == tail.Stdout
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(raw, ""); got != "\x00bin\nary" {
		t.Errorf("want the block as it came, got %q", got)
	}
	if want := []string{"text"}; !slices.Equal(want, lines) {
		t.Errorf("want %q, got %q", want, lines)
	}
}
