package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fakeSSH stands in for ssh to a machine with GPUs: each call is a connection of
// its own; the first breaks off after some rows, as ssh does, with 255.
const fakeSSH = `#!/bin/sh
d=$(dirname "$0")
n=$(cat "$d/calls" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$d/calls"
echo "$@" >> "$d/args"
echo "index, uuid, timestamp, clocks.current.sm [MHz], temperature.gpu, power.draw.instant [W], utilization.gpu [%], memory.used [MiB]"
row() { echo "$1, GPU-aaaaaaaa-0000-0000-0000-00000000000$1, $(TZ=UTC0 date +%Y/%m/%d\ %H:%M:%S).250, $2 MHz, $3, $4 W, 97 %, 7200 MiB"; }
if [ $n = 1 ]; then
	row 0 1980 59 '625,68'; row 1 1410 '[N/A]' '[Unknown Error]'
	echo "client_loop: send disconnect: Broken pipe" >&2
	exit 255
fi
while :; do row 0 1755 61 '601,50'; row 1 1410 '[N/A]' '[N/A]'; sleep 0.3; done
`

// powerCells is what the closing lines say of 625,68 and 601,50 W, and of none.
var powerCells = regexp.MustCompile(`(?s)0: SM 1[79]\d\d of – MHz, 61 °C, 6[012]\d W;.*1: SM 1410 of – MHz, – °C, – W;`)

// TestGPUStreamOverSSH: the readings of an nvidia-smi elsewhere survive the loss
// of their connection, headers in the midst, cells without a value and a
// locale's decimal commas.
func TestGPUStreamOverSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	dir := t.TempDir()
	ssh := filepath.Join(dir, "ssh")
	if err := os.WriteFile(ssh, []byte(fakeSSH), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "summary.json")
	longer(t, func(span string) (lacks []string) {
		_ = os.Remove(filepath.Join(dir, "calls"))
		code, out, errs := bench(t, "--headless", "--no-record", "--host", "off", "--for", span, "--summary", file,
			"--gpu", "exec:"+ssh+" gpu1 nvidia-smi --query-gpu=index,uuid --format=csv -lms 1000")
		if code != 0 {
			t.Fatalf("want exit code 0, got %d: %s", code, errs)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lacks = missing(string(b), []string{"GPU-aaaaaaaa-0000-0000-0000-000000000000", "GPU-aaaaaaaa-0000-0000-0000-000000000001"})
		if n, _ := os.ReadFile(filepath.Join(dir, "calls")); strings.TrimSpace(string(n)) < "2" {
			lacks = append(lacks, "a second connection after the first broke off")
		}
		lacks = append(lacks, missing(out, []string{"gpu0 1980 MHz 59 C", "gpu0 1755 MHz 61 C", "gpu1 1410 MHz – C"})...)
		if !powerCells.MatchString(out) {
			lacks = append(lacks, "GPU 0's watts, and none of GPU 1, in "+out)
		}
		return lacks
	})
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	if want := "gpu1 nvidia-smi --query-gpu=index,uuid --format=csv -lms 1000\n"; err != nil || !strings.HasPrefix(string(args), want) {
		t.Errorf("want ssh called as given, got %q, %v", args, err)
	}
}
