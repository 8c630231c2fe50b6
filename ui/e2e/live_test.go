package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// timed is a line of a recorded file, moved to now.
type timed struct {
	text  string
	after time.Duration // since the load began
}

// began is when the load of testdata's run began.
const began = 1796046687.80455

var (
	unixStamp = regexp.MustCompile(`"t": (\d+\.\d+)`)
	wallStamp = regexp.MustCompile(`^\S+Z `)
)

// shifted reads a file of testdata and moves its stamps so that the load begins
// now.
func shifted(t *testing.T, name string) []timed {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	var out []timed
	for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		x := timed{text: l}
		switch {
		case unixStamp.MatchString(l):
			at, err := strconv.ParseFloat(unixStamp.FindStringSubmatch(l)[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			x.after = time.Duration((at - began) * 1e9)
			x.text = unixStamp.ReplaceAllString(l, `"t": `+strconv.FormatFloat(float64(now.Add(x.after).UnixMicro())/1e6, 'f', 6, 64))
		case wallStamp.MatchString(l):
			stamp := strings.TrimSuffix(wallStamp.FindString(l), " ")
			at, err := time.Parse(time.RFC3339Nano, stamp)
			if err != nil {
				t.Fatal(err)
			}
			x.after = time.Duration(float64(at.UnixNano()) - began*1e9)
			x.text = now.Add(x.after).UTC().Format("2006-01-02T15:04:05.000000Z") + l[len(stamp):]
		}
		out = append(out, x)
	}
	return out
}

// write appends lines to a file at their times, as a program that logs does.
func write(name string, lines []timed) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	begin := time.Now()
	for _, l := range lines {
		if wait := l.after - time.Since(begin); wait > 0 {
			<-time.After(wait) // the pace is what is being imitated
		}
		if _, err := f.WriteString(l.text + "\n"); err != nil {
			_ = f.Close()
			return err
		}
	}
	return f.Close()
}

// TestFollowLiveFiles follows a server's log and a load generator's stream
// while they grow, stops the moment the last line was written, and wants every
// request of it.
func TestFollowLiveFiles(t *testing.T) {
	slow(t)
	dir := t.TempDir()
	log, load, file := filepath.Join(dir, "server.log"), filepath.Join(dir, "client.ndjson"), filepath.Join(dir, "run.btr")
	var out, errs bytes.Buffer
	cmd := command(t, "watch", "--headless", "--log", log, "--load", load, "--gpu", "off", "--record", file, "--summary", "-")
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 2)
	go func() { failed <- write(log, shifted(t, "server.stamped.log")) }()
	go func() { failed <- write(load, shifted(t, "client.ndjson")) }()
	for range 2 {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != 0 {
		t.Fatalf("want exit code 0, got %d: %s", code, errs.String())
	}
	s, c := parse(t, out.String())
	wantNumber(t, "requests", 21, c.Requests)
	wantNumber(t, "ok", 21, c.OK)
	wantNumber(t, "failed", 0, c.Failed)
	wantNumber(t, "unfinished", 0, c.Unfinished)
	wantNumber(t, "client concurrency's peak", 4, c.Concurrency.Peak)
	wantNumber(t, "good latencies", 21, c.LatencyOK.N)
	if len(s.Server) != 1 || s.Server[0].Engine != "llamacpp" {
		t.Fatalf("server: want one llamacpp, got %+v", s.Server)
	}
	wantNumber(t, "running's peak", 4, s.Server[0].Running.Peak)
	kinds := map[string]string{}
	for _, src := range s.Sources {
		kinds[src.Kind] = src.Name
		if src.Kind == "load" {
			wantNumber(t, "lines of the load stream", 54, src.Matched)
		}
	}
	if kinds["log"] == "" || kinds["load"] == "" {
		t.Errorf("sources: want the log and the load stream, got %+v", s.Sources)
	}
	if lines := strings.Count(errs.String(), "\n"); lines < 3 || !strings.Contains(errs.String(), "client 4") {
		t.Errorf("want a status line a second beside the summary, got:\n%s", errs.String())
	}

	wantWhole(t, file)
	replay := invoke(t, "replay", file, "--headless", "--summary", "-")
	r, _ := parse(t, replay.out)
	if !bytes.Equal(r.Client, s.Client) {
		t.Errorf("client: live %s\nreplay %s", s.Client, r.Client)
	}
}

// TestStopAfterAWhile ends by --for and has read what was there.
func TestStopAfterAWhile(t *testing.T) {
	slow(t)
	dir := t.TempDir()
	log, load := filepath.Join(dir, "server.log"), filepath.Join(dir, "client.ndjson")
	for _, f := range []struct{ name, from string }{{log, "server.stamped.log"}, {load, "client.ndjson"}} {
		var b strings.Builder
		for _, l := range shifted(t, f.from) {
			b.WriteString(l.text + "\n")
		}
		if err := os.WriteFile(f.name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := invoke(t, "watch", "--headless", "--log", log, "--load", load, "--from", "start", "--gpu", "off", "--no-record", "--for", "2s", "--summary", "-")
	if got.code != 0 {
		t.Fatalf("want exit code 0, got %d: %s", got.code, got.err)
	}
	_, c := parse(t, got.out)
	wantNumber(t, "requests", 21, c.Requests)
	wantNumber(t, "ok", 21, c.OK)
}

// TestStdinEnds reads a stream to its end and stops there.
func TestStdinEnds(t *testing.T) {
	var b strings.Builder
	for _, l := range shifted(t, "client.ndjson") {
		b.WriteString(l.text + "\n")
	}
	cmd := command(t, "--load", "-", "--headless", "--gpu", "off", "--no-record", "--exit", "--summary", "-")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(b.String()), &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if code := finish(t, cmd); code != 0 {
		t.Fatalf("want exit code 0, got %d: %s", code, errs.String())
	}
	_, c := parse(t, out.String())
	wantNumber(t, "requests", 21, c.Requests)
	wantNumber(t, "ok", 21, c.OK)
}
