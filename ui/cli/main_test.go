package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"benchtop/ui/cli"
)

// TestMain lets the test binary play a server for those tests that need real
// processes.
func TestMain(m *testing.M) {
	switch os.Getenv("CLI_TEST_PART") {
	case "server":
		playServer()
	case "benchtop":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		code := cli.Main(ctx, os.Args[1:], cli.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ()})
		stop()
		os.Exit(code)
	}
	if play := parts[os.Getenv("CLI_TEST_PART")]; play != nil {
		play(os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// parts are what else the test binary can play, by CLI_TEST_PART.
var parts = map[string]func(args []string){}

const vllmLine = "INFO 11-30 12:00:00 [loggers.py:118] Engine 000: Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 200.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 10.0%, Prefix cache hit rate: 0.0%"

// ownClients is how many connections a played server has to itself: more than
// the servers that other packages' tests start meanwhile, for the one with most
// is chosen.
const ownClients = 40

// playServer serves vLLM's metrics at a free port of loopback until its input
// ends. Its standard output is its log.
func playServer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(vllmLine)
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\"} 3\n"+
				"# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{engine=\"0\"} 1\n")
		}))
	}()
	for range ownClients { // clients of its own network
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			defer c.Close()
		}
	}
	fmt.Fprintln(os.Stderr, l.Addr().(*net.TCPAddr).Port)
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
	os.Exit(0)
}

// startServer starts a command that ends in the test binary as a server. It
// returns the server's port and process.
func startServer(t *testing.T, cmd *exec.Cmd) (port string, pid int) {
	t.Helper()
	cmd.Env = append(os.Environ(), "CLI_TEST_PART=server")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	report, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // it ends with its input
	})
	line, err := bufio.NewReader(report).ReadString('\n')
	if err != nil {
		t.Fatalf("the server says nothing: %v", err)
	}
	return strings.TrimSpace(line), cmd.Process.Pid
}
