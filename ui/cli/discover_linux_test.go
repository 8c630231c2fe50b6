package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"benchtop/ui/cli"
)

// bench runs a command line and returns what it prints.
func bench(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	code = cli.Main(ctx, args, cli.Stdio{In: strings.NewReader(""), Out: &o, Err: &e, Env: []string{"HOME=" + t.TempDir()}})
	return code, o.String(), e.String()
}

// TestBareLooksAround starts a real server and wants a bare benchtop to find
// it, to say what it chose, and to give the flags of the same run.
func TestBareLooksAround(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	port, pid := startServer(t, log, nil, []string{"vllm", "serve", "tiny", "--max-num-seqs", "4"})
	for range 30 { // the busiest of all servers that run here
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	code, out, errs := bench(t, "--headless", "--no-record", "--for", "2500ms")
	if code != 0 {
		t.Errorf("want exit code 0, got %d: %s", code, errs)
	}
	for _, want := range []string{
		fmt.Sprintf("found vllm: PID %d", pid), "tiny, port " + port,
		"chose http://127.0.0.1:" + port + "/metrics: metrics of vllm", "chose " + log.Name(),
		"benchtop --metrics http://127.0.0.1:" + port + "/metrics --log " + log.Name(),
		"server 3+1", // read from the endpoint it chose
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q, got\n%s", want, out)
		}
	}
}
