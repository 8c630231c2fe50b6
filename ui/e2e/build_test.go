package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait: a machine that is slow is no failure.
const patience = 60 * time.Second

// shop is where the program is built, once.
type shop struct {
	dir  string
	once sync.Once
	err  error
}

var bench shop

func TestMain(m *testing.M) { os.Exit(bench.run(m)) }

func (s *shop) run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "benchtop-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s.dir = dir
	return m.Run()
}

// binary is the path of the program.
func (s *shop) binary(t testing.TB) string {
	t.Helper()
	name := filepath.Join(s.dir, "benchtop")
	s.once.Do(func() {
		root := filepath.Join("..", "..")
		cmd := exec.Command("go", "build", "-o", name, ".")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			s.err = fmt.Errorf("go build: %w\n%s", err, out)
			return
		}
		s.err = touch(root)
	})
	if s.err != nil {
		t.Fatal(s.err)
	}
	return name
}

// touch looks at every file that the program is built from. The go command
// keeps a test's result as long as the files it looked at stay the same, and
// does not see what a compiler started by a test reads.
func touch(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.' {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		_, err = os.Stat(name)
		return err
	})
}

// environ is the test's own environment with a state folder of its own and
// without what would change how the program looks.
func environ(t testing.TB, extra ...string) []string {
	t.Helper()
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return strings.HasPrefix(name, "BENCHTOP_") || slices.Contains([]string{"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "SSH_TTY", "SSH_CONNECTION", "TMUX", "STY"}, name)
	})
	home := t.TempDir()
	return append(append(env, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state")), extra...)
}

// command is the program with its arguments; it is killed when patience ends.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	name := bench.binary(t) // what building takes is not the program's time
	ctx, stop := context.WithTimeout(t.Context(), patience+*soakFor)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = environ(t)
	return cmd
}

// outcome is what a finished command left.
type outcome struct {
	code     int
	out, err string
}

// finish waits for the end of a command that was started.
func finish(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", cmd.Args[1:], err)
	}
	return cmd.ProcessState.ExitCode()
}

// invoke runs the program to its end.
func invoke(t *testing.T, args ...string) outcome {
	t.Helper()
	cmd := command(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := finish(t, cmd)
	return outcome{code, out.String(), errs.String()}
}

// summary is the part of the summary JSON that the tests look at.
type summary struct {
	Schema string
	Run    struct {
		ID       string
		Duration float64 `json:"duration_s"`
	}
	Verdict struct {
		ID       string
		Reason   *string
		Severity string
	}
	Findings []struct {
		ID     string
		Active bool
	}
	Client json.RawMessage
	Server []struct {
		Engine  string
		Running struct{ Mean, Peak *float64 }
	}
	GPUs    []json.RawMessage
	Sources []struct {
		Name, Kind, State string
		Matched           *float64
	}
}

// client is the summary's account of requests.
type client struct {
	Requests, OK, Failed, Unfinished *float64
	Concurrency                      struct{ Mean, Peak *float64 }
	LatencyOK                        struct{ P50, Max, N *float64 } `json:"latency_ok_ms"`
}

func parse(t *testing.T, text string) (s summary, c client) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("summary: %v\n%s", err, text)
	}
	if want := "benchtop/summary/v1"; s.Schema != want {
		t.Errorf("schema: want %q, got %q", want, s.Schema)
	}
	if err := json.Unmarshal(s.Client, &c); err != nil {
		t.Fatalf("summary's client: %v\n%s", err, s.Client)
	}
	return s, c
}

// eventually looks again and again until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	end := time.NewTimer(patience)
	defer end.Stop()
	for !cond() {
		select {
		case <-look.C:
		case <-end.C:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// number prints what may be absent.
func number(p *float64) string {
	if p == nil {
		return "null"
	}
	return fmt.Sprint(*p)
}

// wantNumber compares a number of the summary.
func wantNumber(t *testing.T, name string, want float64, got *float64) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s: want %v, got %s", name, want, number(got))
	}
}

// slow skips a test that takes seconds when asked to be short.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
}

// lockedBuffer may be read while a program writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
