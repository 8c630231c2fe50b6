package host

import (
	"fmt"
	"maps"
	"net"
	"testing"
	"time"
)

// TestDiagAgreesWithProcfs opens real sockets of both families and wants the
// kernel's two ways of telling them to agree.
func TestDiagAgreesWithProcfs(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::]:0", "[::1]:0"} {
		t.Run(listen, func(t *testing.T) {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				t.Skipf("SKIPPED: %v", err)
			}
			defer l.Close()
			to := l.Addr().(*net.TCPAddr)
			port := uint16(to.Port)
			for i := range 5 {
				where := l.Addr().String()
				if listen == "[::]:0" { // an IPv4 client of a listener for both
					where = fmt.Sprintf("127.0.0.1:%d", to.Port)
				}
				c, err := net.Dial("tcp", where)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if i < 2 {
					a, err := l.Accept()
					if err != nil {
						t.Fatal(err)
					}
					defer a.Close()
				}
			}
			var asked, read table
			if err := asked.ask(port); err != nil {
				t.Skipf("SKIPPED: the kernel's socket diagnostics: %v", err)
			}
			var f procFiles
			read.read(&f, "/proc/self/net", port)
			if !asked.known || !read.known || asked.listening != read.listening || asked.queue != read.queue {
				t.Errorf("want the listener alike with 3 not accepted, got %v, %v and %v, %v", asked.listening, asked.queue, read.listening, read.queue)
			}
			if len(asked.established) != 5 || !maps.Equal(asked.established, read.established) || !maps.Equal(asked.opened, read.opened) {
				t.Errorf("want the same 5 connections, got %v and %v", asked.established, read.established)
			}
		})
	}
}

// TestIdleConnections: of real connections, the one that was answered and is
// silent since waits for its client; one that waits for its answer does not, nor
// does one that nobody used yet. Both ends say so.
func TestIdleConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	defer l.Close()
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	for i := range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		s, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		one := make([]byte, 1)
		if i > 0 { // asked
			fmt.Fprint(c, "?")
			if _, err := s.Read(one); err != nil {
				t.Fatal(err)
			}
		}
		if i > 1 { // and answered, after a while: the kernel's clock is coarse
			wait(t, 50*time.Millisecond)
			fmt.Fprint(s, "!")
			if _, err := c.Read(one); err != nil {
				t.Fatal(err)
			}
		}
	}
	var asked table
	for range 100 {
		if err := asked.ask(port); err != nil {
			t.Skipf("SKIPPED: the kernel's socket diagnostics: %v", err)
		}
		if len(asked.idle[0]) > 0 && len(asked.idle[1]) > 0 {
			break
		}
		wait(t, 50*time.Millisecond)
	}
	if len(asked.idle[0]) != 1 || !maps.Equal(asked.idle[0], asked.idle[1]) || asked.idling() != 1 {
		t.Errorf("want the answered connection alone idle at both ends, got %v and %v", asked.idle[0], asked.idle[1])
	}
}

// wait waits in real time: the kernel's sockets are real.
func wait(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
}

// BenchmarkSockets compares the two ways.
func BenchmarkSockets(b *testing.B) {
	var t table
	var f procFiles
	b.Run("diag", func(b *testing.B) {
		for b.Loop() {
			if err := t.ask(1); err != nil {
				b.Skip(err)
			}
		}
	})
	b.Run("procfs", func(b *testing.B) {
		for b.Loop() {
			t.read(&f, "/proc/self/net", 1)
		}
	})
}
