package cli_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the test binary play a server for those tests that need real
// processes.
func TestMain(m *testing.M) {
	if os.Getenv("CLI_TEST_PART") == "server" {
		playServer()
	}
	os.Exit(m.Run())
}

const vllmLine = "INFO 11-30 12:00:00 [loggers.py:118] Engine 000: Avg prompt throughput: 100.0 tokens/s, Avg generation throughput: 200.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 10.0%, Prefix cache hit rate: 0.0%"

// playServer serves vLLM's metrics at a free port of loopback until its input
// ends. Its standard output is its log.
func playServer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(vllmLine)
	fmt.Fprintln(os.Stderr, l.Addr().(*net.TCPAddr).Port)
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\"} 3\n"+
				"# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{engine=\"0\"} 1\n")
		}))
	}()
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
	os.Exit(0)
}

// startServer starts the test binary as a server with the given command line;
// prefix is what it is run through, such as a namespace. It returns its port.
func startServer(t *testing.T, log *os.File, prefix, argv []string) (port string, pid int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = argv
	if len(prefix) > 0 {
		run := append(append([]string{}, prefix...), "/bin/sh", "-c", `exec -a "$0" "$@"`)
		cmd = exec.Command(run[0], append(run[1:], append([]string{argv[0], self}, argv[1:]...)...)...)
	}
	cmd.Env = append(os.Environ(), "CLI_TEST_PART=server")
	cmd.Stdout = log
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
