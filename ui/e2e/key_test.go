package e2e_test

import (
	"bytes"
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
)

// BenchmarkKeyUnderLoad is the time from a key to the page that it asks for, on
// a quiet screen and while a load stream delivers 200,000 events a second: what
// holds up a frame holds up this one.
func BenchmarkKeyUnderLoad(b *testing.B) {
	for _, events := range []int{0, 200_000} {
		b.Run(fmt.Sprintf("%d events/s", events), func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "client.ndjson")
			put(b, name, "")
			cmd := command(b, "watch", "--load", name, "--gpu", "off", "--no-record")
			master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
			if err != nil {
				b.Skipf("no pseudo terminal here: %v", err)
			}
			drawn := make(chan []byte, 1024)
			go func() {
				defer close(drawn)
				for {
					buf := make([]byte, 64<<10)
					n, err := master.Read(buf)
					drawn <- buf[:n]
					if err != nil {
						return
					}
				}
			}()
			until := func(text string) {
				var seen bytes.Buffer
				for p := range drawn {
					if seen.Write(p); bytes.Contains(seen.Bytes(), []byte(text)) {
						return
					}
				}
				b.Fatal("the program ended")
			}
			until("concurrency")
			stop, stopped := make(chan struct{}), make(chan error, 1)
			go func() { stopped <- flood(name, events, stop) }()
			var took []float64
			pace := time.NewTicker(370 * time.Millisecond)
			for b.Loop() {
				<-pace.C
				for len(drawn) > 0 {
					<-drawn
				}
				began := time.Now()
				if _, err := io.WriteString(master, "?"); err != nil {
					b.Fatal(err)
				}
				until("this help")
				took = append(took, float64(time.Since(began).Microseconds())/1e3)
				if _, err := io.WriteString(master, "?"); err != nil {
					b.Fatal(err)
				}
				until("concurrency")
			}
			close(stop)
			if err := <-stopped; err != nil {
				b.Error(err)
			}
			_ = cmd.Process.Signal(syscall.SIGTERM)
			go func() {
				for range drawn { // it must not block while it ends
				}
			}()
			finish(b, cmd)
			_ = master.Close()
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "ms-median")
			b.ReportMetric(took[len(took)-1], "ms-longest")
		})
	}
}

// flood appends events a second to a file, a start and an end for each request,
// until stop is closed.
func flood(name string, events int, stop <-chan struct{}) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	began, id := time.Now(), 0
	var lines strings.Builder
	for {
		select {
		case <-stop:
			return nil
		case <-tick.C:
		}
		now := time.Now()
		lines.Reset()
		for ; float64(2*id) < now.Sub(began).Seconds()*float64(events); id++ {
			t := float64(now.UnixMicro()) / 1e6
			fmt.Fprintf(&lines, `{"v":1,"ev":"start","t":%.6f,"id":%d}`+"\n"+`{"v":1,"ev":"end","t":%.6f,"id":%d,"dur_ms":100,"outcome":"ok"}`+"\n", t-0.1, id, t, id)
		}
		if _, err := f.WriteString(lines.String()); err != nil {
			return err
		}
	}
}
