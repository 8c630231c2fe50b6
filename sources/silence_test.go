package sources_test

import (
	"bufio"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/sources"
)

// TestHeard: silence is told once, at its time, and again only after something
// came; what comes is read whole, whenever.
func TestHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		began := time.Now()
		var told []float64
		in := bufio.NewReader(sources.Heard(near, 15*time.Second, func() { told = append(told, time.Since(began).Seconds()) }))
		go func() {
			for _, part := range []struct {
				at   float64
				text string
			}{{40, "hal"}, {50, "f\n"}, {51, "whole\n"}, {100, "late\n"}} {
				time.Sleep(time.Until(began.Add(time.Duration(part.at * 1e9))))
				_, _ = far.Write([]byte(part.text))
			}
			_ = far.Close()
		}()
		var got []string
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				break
			}
			got = append(got, line)
		}
		if want := []string{"half\n", "whole\n", "late\n"}; !slices.Equal(got, want) {
			t.Errorf("want %q, got %q", want, got)
		}
		if want := []float64{15, 66}; !slices.Equal(told, want) {
			t.Errorf("want silence told at %v s, got %v", want, told)
		}
	})
}

// TestHeardWithoutDeadlines: what can't wait for a time is read as it is.
func TestHeardWithoutDeadlines(t *testing.T) {
	in := strings.NewReader("x")
	if got := sources.Heard(in, time.Second, nil); got != in {
		t.Errorf("want the stream itself, got %T", got)
	}
}
