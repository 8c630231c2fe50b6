package tail_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"benchtop/sources/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sink keeps what a Run delivered.
type sink struct {
	mu        sync.Mutex
	lines     []string // text; a history line is marked "h:", a partial one "p:"
	full      []tail.Line
	events    []string // kinds
	texts     []string
	kinds     []tail.Kind
	stats     tail.Stats
	followers []string
	idles     int
}

func (s *sink) handler() tail.Handler {
	return tail.Handler{
		Line: func(l tail.Line) {
			s.mu.Lock()
			defer s.mu.Unlock()
			text := string(l.Text)
			if len(text) > 100 {
				text = text[:100]
			}
			if l.Partial {
				text = "p:" + text
			}
			if l.History {
				text = "h:" + text
			}
			s.lines = append(s.lines, text)
			l.Text = nil
			s.full = append(s.full, l)
		},
		Event: func(kind, text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.events = append(s.events, kind)
			s.texts = append(s.texts, text)
		},
		Open: func(k tail.Kind) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.kinds = append(s.kinds, k)
		},
		Stats: func(st tail.Stats) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stats = st
			if n := len(s.followers); n == 0 || s.followers[n-1] != st.Follower {
				s.followers = append(s.followers, st.Follower)
			}
		},
		Idle: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.idles++
		},
	}
}

func (s *sink) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

func (s *sink) has(kind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.events, kind)
}

// told is how often something was told, and the text of the first.
func (s *sink) told() (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.texts) == 0 {
		return 0, ""
	}
	return len(s.texts), s.texts[0]
}

func (s *sink) total() tail.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// scene is a followed path in a bubble where time stands still while anything
// works.
type scene struct {
	*testing.T
	*sink
	dir, path string
	files     map[string]*os.File
}

// both runs a scene with the direct follower and with the library.
func both(t *testing.T, play func(s *scene, o tail.Options)) {
	t.Helper()
	for _, direct := range []bool{true, false} {
		name := "library"
		if direct {
			name = "direct"
		}
		t.Run(name, func(t *testing.T) {
			bubble(t, func(s *scene) {
				play(s, tail.Options{Spec: tail.Spec{Place: s.path}, Follow: true, Direct: direct})
			})
		})
	}
}

func bubble(t *testing.T, play func(s *scene)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{T: t, sink: &sink{}, dir: dir, path: filepath.Join(dir, "server.log"), files: map[string]*os.File{}}
		defer time.Sleep(time.Second) // the library's watcher ends within its poll
		defer func() {
			for _, f := range s.files {
				_ = f.Close()
			}
		}()
		play(s)
	})
}

// start runs o until the returned function is called, which waits for its end.
func (s *scene) start(o tail.Options) (stop func()) {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error, 1)
	go func() { done <- tail.Run(ctx, o, s.handler()) }()
	s.settle()
	return func() {
		s.Helper()
		cancel()
		if err := <-done; err != nil {
			s.Errorf("want no error, got %v", err)
		}
	}
}

// settle lets more than a poll of either follower pass.
func (s *scene) settle() {
	time.Sleep(600 * time.Millisecond)
	synctest.Wait()
}

// write appends to a file that stays open under this key.
func (s *scene) write(key, text string) {
	s.Helper()
	f := s.files[key]
	if f == nil {
		var err error
		if f, err = os.OpenFile(filepath.Join(s.dir, key), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
			s.Fatal(err)
		}
		s.files[key] = f
	}
	if _, err := f.WriteString(text); err != nil {
		s.Fatal(err)
	}
}

// rename moves a file; its writer keeps writing to it under the new key.
func (s *scene) rename(from, to string) {
	s.Helper()
	if err := os.Rename(filepath.Join(s.dir, from), filepath.Join(s.dir, to)); err != nil {
		s.Fatal(err)
	}
	if f := s.files[to]; f != nil {
		_ = f.Close()
	}
	s.files[to] = s.files[from]
	delete(s.files, from)
}

func (s *scene) truncate(key string) {
	s.Helper()
	if err := os.Truncate(filepath.Join(s.dir, key), 0); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) want(lines ...string) {
	s.Helper()
	if got := s.got(); !slices.Equal(lines, got) {
		s.Errorf("want lines\n%s\ngot\n%s\nevents %q", strings.Join(lines, "\n"), strings.Join(got, "\n"), s.texts)
	}
}

func (s *scene) wantEvent(kind string) {
	s.Helper()
	if !s.has(kind) {
		s.Errorf("want event %q, got %q", kind, s.events)
	}
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func TestHistoryThenLive(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", numbered(1, 500)+"unfini")
		o.History = 2
		stop := s.start(o)
		s.want("h:line 499", "h:line 500")
		s.write("server.log", "shed\r\nnew\n")
		s.settle()
		s.want("h:line 499", "h:line 500", "unfinished", "new")
		stop()
		if want, got := []tail.Kind{tail.File}, s.kinds; !slices.Equal(want, got) {
			t.Errorf("want %v, got %v", want, got)
		}
		size := int64(len(numbered(1, 500) + "unfinished\r\nnew\n"))
		if want, got := size, s.full[len(s.full)-1].Offset; want != got {
			t.Errorf("want offset %d, got %d", want, got)
		}
		if got := s.total(); got.Lag != 0 || got.Bytes != int64(len(numbered(499, 500)+"unfinished\r\nnew\n")) || got.Lines != 4 {
			t.Errorf("want no lag and what was read, got %+v", got)
		}
		follower := "library"
		if o.Direct {
			follower = "direct"
		}
		if !slices.Contains(s.followers, follower) {
			t.Errorf("want follower %s, got %v", follower, s.followers)
		}
	})
}

func TestWhereToBegin(t *testing.T) {
	tests := []struct {
		name    string
		history int
		start   bool
		held    string
		want    int // how many lines of history
	}{
		{"default", 0, false, numbered(1, 1000), tail.DefaultHistory},
		{"fewer than asked", 0, false, numbered(1, 3), 3},
		{"exactly as asked", 3, false, numbered(1, 3), 3},
		{"none", -1, false, numbered(1, 1000), 0},
		{"all", 0, true, numbered(1, 1000), 1000},
		{"empty file", 0, false, "", 0},
		{"long lines", 3, false, strings.Repeat(strings.Repeat("x", 200_000)+"\n", 5), 3},
		{"beyond the search", 3, false, strings.Repeat("x", 9<<20) + "\nend\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(s *scene) {
				s.write("server.log", tt.held)
				stop := s.start(tail.Options{Spec: tail.Spec{Place: s.path}, Follow: true, History: tt.history, FromStart: tt.start})
				s.write("server.log", "live\n")
				s.settle()
				stop()
				got := s.got()
				if want := tt.want + 1; want != len(got) {
					t.Fatalf("want %d lines, got %d", want, len(got))
				}
				if got[tt.want] != "live" {
					t.Errorf("want live, got %q", got[tt.want])
				}
				for _, l := range got[:tt.want] {
					if !strings.HasPrefix(l, "h:") {
						t.Errorf("want history, got %q", l)
					}
				}
			})
		})
	}
}

func TestReadOnce(t *testing.T) {
	bubble(t, func(s *scene) {
		s.write("server.log", "a\r\n\nb\xff\xfe\nlast")
		if err := tail.Run(t.Context(), tail.Options{Spec: tail.Spec{Place: s.path}}, s.handler()); err != nil {
			t.Fatal(err)
		}
		s.want("h:a", "h:", "h:b\xff\xfe", "h:p:last")
		if want, got := int64(12), s.full[3].Offset; want != got {
			t.Errorf("want offset %d, got %d", want, got)
		}
		if s.idles != 1 {
			t.Errorf("want one idle at the end, got %d", s.idles)
		}
	})
}

func TestAbsentAtStart(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		o.Place += ",formt=vllm"
		stop := s.start(o)
		s.wantEvent(tail.EventWaiting)
		if n, text := s.told(); n != 1 || !strings.Contains(text, "formt=vllm") {
			t.Errorf("want the odd option told once, got %d, %q", n, text)
		}
		s.write("server.log,formt=vllm", numbered(1, 300))
		s.settle()
		stop()
		s.wantEvent(tail.EventOpened)
		if got := s.got(); len(got) != 300 || got[0] != "line 1" {
			t.Errorf("want 300 live lines, got %d", len(got))
		}
	})
}

func TestRotation(t *testing.T) {
	steps := []struct {
		name string
		play func(s *scene)
		want []string
		kind string
	}{
		{"rename and create", func(s *scene) {
			s.rename("server.log", "server.log.1")
			s.write("server.log", "b\n")
		}, []string{"b"}, tail.EventRotated},
		{"the old one is written on", func(s *scene) {
			s.rename("server.log", "server.log-20261130")
			s.write("server.log", "b\n")
			s.settle()
			s.write("server.log-20261130", "a2\n")
			s.settle()
			s.write("server.log", "c\n")
		}, []string{"b", "a2", "c"}, tail.EventRotated},
		{"unread rest and unfinished line", func(s *scene) {
			s.write("server.log", "a2\nhalf")
			s.rename("server.log", "server.log.1")
			s.write("server.log", "b\n")
			time.Sleep(3 * time.Second)
		}, []string{"a2", "b", "p:half"}, tail.EventRotated},
		{"name missing for a while", func(s *scene) {
			s.rename("server.log", "server.log.1")
			s.settle()
			s.write("server.log.1", "a2\n")
			s.settle()
			s.write("server.log", "b\n")
		}, []string{"a2", "b"}, tail.EventRotated},
		{"removed and made anew", func(s *scene) {
			s.write("server.log", "a2\n")
			if err := os.Remove(s.path); err != nil {
				s.Fatal(err)
			}
			delete(s.files, "server.log")
			s.write("server.log", "b\n")
		}, []string{"a2", "b"}, tail.EventRotated},
		{"three within one poll", func(s *scene) {
			s.write("server.log", "a2\n")
			for i, text := range []string{"b\n", "c\n", "d\n"} {
				for n := i; n >= 1; n-- {
					s.rename(fmt.Sprintf("server.log.%d", n), fmt.Sprintf("server.log.%d", n+1))
				}
				s.rename("server.log", "server.log.1")
				s.write("server.log", text)
			}
		}, []string{"a2", "b", "c", "d"}, tail.EventRotated},
		{"truncated", func(s *scene) {
			s.truncate("server.log")
			s.settle()
			s.write("server.log", "b\n")
		}, []string{"b"}, tail.EventTruncated},
		{"truncated and regrown beyond", func(s *scene) {
			s.truncate("server.log")
			s.write("server.log", "k1\nk2\nk3\nk4\n")
		}, []string{"k1", "k2", "k3", "k4"}, tail.EventTruncated},
		{"truncated and regrown to the same size", func(s *scene) {
			s.truncate("server.log")
			s.write("server.log", "z\n")
		}, []string{"z"}, tail.EventTruncated},
		{"unfinished line truncated", func(s *scene) {
			s.write("server.log", "half")
			s.settle()
			s.truncate("server.log")
			s.write("server.log", "b\n")
		}, []string{"b"}, tail.EventTruncated},
	}
	for _, tt := range steps {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(s *scene, o tail.Options) {
				s.write("server.log", "a\n")
				stop := s.start(o)
				tt.play(s)
				s.settle()
				s.wantEvent(tt.kind)
				// The library keeps an unfinished line to itself.
				got := slices.DeleteFunc(s.got(), func(l string) bool { return tt.kind == tail.EventTruncated && l == "p:half" })
				if want := append([]string{"h:a"}, tt.want...); !slices.Equal(want, got) {
					t.Errorf("want %q, got %q, events %q", want, got, s.texts)
				}
				s.write("server.log", "after\n")
				time.Sleep(5 * time.Second)
				s.settle()
				if got := s.got(); got[len(got)-1] != "after" {
					t.Errorf("want it followed on, got %q", got)
				}
				stop()
			})
		})
	}
}

// What logrotate's copytruncate copied before we had read it comes from the copy.
func TestCopyTruncate(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", numbered(1, 100))
		o.History = -1
		stop := s.start(o)
		s.write("server.log", "read\n")
		s.settle()
		s.write("server.log", "unread 1\nunread 2\n")
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path+".1", text, 0o600); err != nil {
			t.Fatal(err)
		}
		// An older copy that begins alike must not be taken for it.
		if err := os.WriteFile(s.path+".0", []byte(numbered(1, 100)+"other\nlines\nlonger than ours\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.truncate("server.log")
		s.write("server.log", "new\n")
		s.settle()
		s.want("read", "unread 1", "unread 2", "new")
		stop()
		if want, got := int64(1), s.total().Truncations; want != got {
			t.Errorf("want %d, got %d", want, got)
		}
	})
}

// A whole generation that came and went before it was read comes from the copy.
func TestCopyTruncateBeforeRead(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", "")
		stop := s.start(o)
		s.write("server.log", numbered(1, 100))
		if o.Direct {
			s.settle()
		} else {
			time.Sleep(100 * time.Millisecond) // we have looked, the library has not
			synctest.Wait()
		}
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.path+".1", text, 0o600); err != nil {
			t.Fatal(err)
		}
		s.truncate("server.log")
		s.write("server.log", "new\n")
		s.settle()
		s.want(append(strings.Split(strings.TrimSpace(numbered(1, 100)), "\n"), "new")...)
		stop()
	})
}

func TestSymlinkSwap(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("run-1.log", "a\n")
		link := func(to string) {
			tmp := filepath.Join(s.dir, "tmp")
			if err := os.Symlink(to, tmp); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(tmp, s.path); err != nil {
				t.Fatal(err)
			}
		}
		link("run-1.log")
		stop := s.start(o)
		s.write("run-2.log", "b\n")
		s.write("run-1.log", "a2\n")
		link("run-2.log")
		s.settle()
		s.write("run-1.log", "a3\n")
		s.settle()
		s.write("run-2.log", "c\n")
		s.settle()
		s.want("h:a", "a2", "b", "a3", "c")
		stop()
	})
}

func TestLongLines(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", "a\n")
		stop := s.start(o)
		long := strings.Repeat("x", 3*tail.MaxLine+5)
		s.write("server.log", long+"\n\nb\n"+strings.Repeat("y", tail.MaxLine)+"\nc\n")
		s.settle()
		s.want("h:a", long[:100], "", "b", strings.Repeat("y", 100), "c")
		stop()
		if want, got := 2*tail.MaxLine+5, s.full[1].Cut; want != got {
			t.Errorf("want %d cut, got %d", want, got)
		}
		if want, got := int64(1), s.total().Cuts; want != got {
			t.Errorf("want %d cut lines, got %d", want, got)
		}
		if want, got := int64(2*tail.MaxLine+5), s.total().CutBytes; want != got {
			t.Errorf("want %d cut bytes, got %d", want, got)
		}
	})
}

func TestHalfWrittenLine(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", "a\n")
		stop := s.start(o)
		for _, piece := range []string{"hel", "lo", " wor", "ld\nne"} {
			s.write("server.log", piece)
			s.settle()
		}
		s.want("h:a", "hello world")
		stop()
		s.want("h:a", "hello world")
	})
}

// What is there already when the run ends is still delivered.
func TestCancelReadsOnce(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", "a\n")
		stop := s.start(o)
		s.write("server.log", "last words\n")
		stop()
		s.want("h:a", "last words")
	})
}

// The library hands over when it gets more lines than it is safe with.
func TestHandoverByRate(t *testing.T) {
	bubble(t, func(s *scene) {
		s.write("server.log", "a\n")
		stop := s.start(tail.Options{Spec: tail.Spec{Place: s.path}, Follow: true, History: -1})
		n := 0
		for range 40 {
			s.write("server.log", numbered(n+1, n+600))
			n += 600
			time.Sleep(100 * time.Millisecond)
		}
		s.settle()
		stop()
		s.wantEvent(tail.EventHandover)
		if !slices.Equal([]string{"library", "direct"}, s.followers) && !slices.Equal([]string{"direct", "library", "direct"}, s.followers) {
			t.Errorf("want the library, then the direct follower, got %v", s.followers)
		}
		got := s.got()
		if len(got) != n {
			t.Fatalf("want %d lines, got %d", n, len(got))
		}
		for i, l := range got {
			if want := fmt.Sprintf("line %d", i+1); want != l {
				t.Fatalf("want %q at %d, got %q", want, i, l)
			}
		}
	})
}

func TestSlowLogStaysWithLibrary(t *testing.T) {
	bubble(t, func(s *scene) {
		s.write("server.log", "a\n")
		stop := s.start(tail.Options{Spec: tail.Spec{Place: s.path}, Follow: true})
		before := time.Now()
		for range 30 {
			s.write("server.log", numbered(1, 100))
			time.Sleep(100 * time.Millisecond)
		}
		s.settle()
		if s.has(tail.EventHandover) {
			t.Errorf("want no handover, got %q", s.texts)
		}
		if got := s.total().Follower; got != "library" {
			t.Errorf("want the library, got %s", got)
		}
		stop()
		// Seen is when the bytes were there, not when the library got round to
		// them: every write's lines within a poll of it.
		for i, l := range s.full[1:] {
			at := l.Seen.Time().Sub(before.Add(time.Duration(i/100) * 100 * time.Millisecond))
			if at < 0 || at > 50*time.Millisecond {
				t.Fatalf("want line %d seen within 50 ms of its writing, got %v", i, at)
			}
		}
	})
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything; TestDirectoryInTheWay covers trouble with the path")
	}
	chmod := func(s *scene, path string, mode os.FileMode) {
		s.Helper()
		if err := os.Chmod(path, mode); err != nil {
			s.Fatal(err)
		}
		s.settle()
	}
	t.Run("folder loses it", func(t *testing.T) {
		both(t, func(s *scene, o tail.Options) {
			s.write("server.log", "a\n")
			stop := s.start(o)
			chmod(s, s.dir, 0o600)
			s.write("server.log", "b\n")
			s.settle()
			s.wantEvent(tail.EventTrouble)
			chmod(s, s.dir, 0o700)
			s.wantEvent(tail.EventOpened)
			s.want("h:a", "b")
			stop()
		})
	})
	t.Run("file has none at first", func(t *testing.T) {
		both(t, func(s *scene, o tail.Options) {
			s.write("server.log", "a\n")
			chmod(s, s.path, 0)
			stop := s.start(o)
			s.settle()
			if n, text := s.told(); n != 1 || !strings.Contains(text, "permission denied (give this user read access") {
				t.Errorf("want it told once with the next step, got %d, %q", n, text)
			}
			chmod(s, s.path, 0o600)
			s.wantEvent(tail.EventOpened)
			s.want("h:a")
			stop()
		})
	})
	t.Run("new file has none", func(t *testing.T) {
		both(t, func(s *scene, o tail.Options) {
			s.write("server.log", "a\n")
			stop := s.start(o)
			s.rename("server.log", "server.log.1")
			s.write("server.log", "b\n")
			chmod(s, s.path, 0)
			s.wantEvent(tail.EventTrouble)
			chmod(s, s.path, 0o600)
			s.want("h:a", "b")
			stop()
		})
	})
}

func TestDirectoryInTheWay(t *testing.T) {
	both(t, func(s *scene, o tail.Options) {
		s.write("server.log", "a\n")
		stop := s.start(o)
		s.rename("server.log", "server.log.1")
		if err := os.Mkdir(s.path, 0o700); err != nil {
			t.Fatal(err)
		}
		s.settle()
		s.write("server.log.1", "b\n")
		s.settle()
		s.wantEvent(tail.EventTrouble)
		if n, text := s.told(); n != 1 {
			t.Errorf("want one trouble, got %d, %q", n, text)
		}
		if err := os.Remove(s.path); err != nil {
			t.Fatal(err)
		}
		s.write("server.log", "c\n")
		s.settle()
		s.want("h:a", "b", "c")
		stop()
	})
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	tests := []struct {
		name, place, want string
		follow            bool
	}{
		{"directory", dir, "is a directory", true},
		{"absent, not followed", filepath.Join(dir, "none"), "no such file", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tail.Run(t.Context(), tail.Options{Spec: tail.Spec{Place: tt.place}, Follow: tt.follow}, (&sink{}).handler())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want %q, got %v", tt.want, err)
			}
		})
	}
}
