package host

import (
	"fmt"
	"maps"
	"net"
	"testing"
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
