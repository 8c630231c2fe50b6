package cli_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBareLooksAround starts a real server and wants a bare benchtop to find
// it, to say what it chose, and to give the flags of the same run.
func TestBareLooksAround(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args, cmd.Stdout = []string{"vllm", "serve", "tiny", "--max-num-seqs", "4"}, log
	port, pid := startServer(t, cmd)
	for range 30 { // the busiest of all servers that run here
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	wants := []string{
		fmt.Sprintf("found vllm: PID %d", pid), "tiny, port " + port,
		"chose http://127.0.0.1:" + port + "/metrics: metrics of vllm", "chose " + log.Name(),
		"benchtop --metrics http://127.0.0.1:" + port + "/metrics --log " + log.Name(),
		"server 3+1", // read from the endpoint it chose
	}
	longer(t, func(span string) (lacks []string) {
		code, out, errs := bench(t, "--headless", "--no-record", "--for", span)
		if code != 0 {
			t.Errorf("want exit code 0, got %d: %s", code, errs)
		}
		lacks = missing(out, wants)
		if len(lacks) > 0 {
			notAlone(t, out, pid)
		}
		return lacks
	})
}

// longer gives a run more and more time until it lacks nothing: how soon a busy
// machine gets round to it says nothing of what it does.
func longer(t *testing.T, run func(span string) (lacks []string)) {
	t.Helper()
	var lacks []string
	for _, span := range []string{"2500ms", "10s", "30s"} {
		if lacks = run(span); len(lacks) == 0 {
			return
		}
	}
	t.Errorf("want %s", strings.Join(lacks, "\nand "))
}

// missing is each wanted text that is not in what was printed, beside the latter.
func missing(out string, wants []string) (lacks []string) {
	for _, w := range wants {
		if !strings.Contains(out, w) {
			lacks = append(lacks, fmt.Sprintf("%q in\n%s", w, out))
		}
	}
	return lacks
}

// notAlone skips a test whose server was found but not chosen, for a foreign one
// on this machine has more connections.
func notAlone(t *testing.T, out string, pid int) {
	t.Helper()
	for l := range strings.Lines(out) {
		_, rest, ok := strings.Cut(l, "chose ")
		chosen, _, many := strings.Cut(rest, " servers: it has most connections")
		mine := fmt.Sprintf(", PID %d, of", pid)
		if ok && many && !strings.Contains(chosen, mine) && strings.Contains(out, fmt.Sprintf(": PID %d of user", pid)) {
			t.Skipf("SKIPPED: a foreign server on this machine has more connections than the test's, so it was chosen: %s", strings.TrimSpace(l))
		}
	}
}

// TestTheLayoutOfAUser: the server runs in another network namespace and as
// another user, and benchtop as neither of them nor root.
func TestTheLayoutOfAUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: needs root to start processes of other users; discovery across users and namespaces is not tested")
	}
	for _, tool := range []string{"unshare", "setpriv", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: no %s; discovery across users and namespaces is not tested", tool)
		}
	}
	if err := exec.Command("unshare", "-n", "true").Run(); err != nil {
		t.Skipf("SKIPPED: no network namespaces here (%v); discovery across them is not tested", err)
	}
	dir := shared(t)
	const as = `exec setpriv --reuid "$1" --regid "$1" --clear-groups "$0" `
	port, pid := startServer(t, exec.Command("unshare", "-n", "sh", "-c", "ip link set lo up && "+as+"serve tiny", dir+"/vllm", "54321"))

	wants := []string{
		fmt.Sprintf("found vllm: PID %d of user 54321, tiny, port %s", pid, port), "in a network namespace of its own",
		"its open files belong to user 54321 and are not visible from here",
		fmt.Sprintf(`exec:sudo -n sh -c '\''test -f /proc/%d/fd/1 && exec tail -n 200 -f /proc/%d/fd/1'\''`, pid, pid),
	}
	longer(t, func(span string) (lacks []string) {
		me := exec.Command("sh", "-c", as+"--headless --no-record --gpu off --for "+span+" --summary "+dir+"/out/summary.json", dir+"/benchtop", "54322")
		me.Env = []string{"CLI_TEST_PART=benchtop", "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		out, err := me.CombinedOutput()
		if err != nil {
			t.Errorf("want it to run, got %v", err)
		}
		lacks = append(missing(string(out), wants), uncounted(t, dir+"/out/summary.json")...)
		if len(lacks) > 0 {
			notAlone(t, string(out), pid)
		}
		return lacks
	})
}

// uncounted is what a summary should say of the played server and does not.
func uncounted(t *testing.T, file string) (lacks []string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var sum struct {
		Host map[string]*float64 `json:"host"`
	}
	if err := json.Unmarshal(b, &sum); err != nil {
		t.Fatal(err)
	}
	if v := sum.Host["host_server_cpu"]; v == nil {
		lacks = append(lacks, "the server's CPU measured")
	}
	if v := sum.Host["host_established"]; v == nil || *v != ownClients {
		lacks = append(lacks, fmt.Sprintf("its %d connections counted in %s", ownClients, b))
	}
	return lacks
}

// shared is a folder that every user may read, with this binary in it under
// two names, and a folder that every user may write.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "benchtop-layout")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vllm", "benchtop"} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
