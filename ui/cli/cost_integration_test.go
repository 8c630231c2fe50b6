//go:build integration && linux

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkIntegrationCost is the processor time that a run without a screen
// takes of one core at the default rates, by what is watched: a real server and
// client of 80 requests a second, eight GPUs of a library that stands in for the
// driver's, this machine. What a source costs is its line less the first, which
// is the engine with a log that hardly says anything.
//
//	go test -tags integration -run '^$' -bench IntegrationCost -benchtime 1x ./ui/cli
func BenchmarkIntegrationCost(b *testing.B) {
	dir := b.TempDir()
	out, err := exec.Command("gcc", "-O1", "-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1", "-o", filepath.Join(dir, "libnvidia-ml.so.1"),
		"../../sources/gpu/testdata/fakenvml/fakenvml.c", "-lm", "-lpthread").CombinedOutput()
	if err != nil {
		b.Skipf("SKIPPED: the stand-in for the driver's library can't be built: %v: %s", err, out)
	}
	script, err := filepath.Abs("../../sources/gpu/testdata/scripts/eight.txt")
	if err != nil {
		b.Fatal(err)
	}
	var port, metrics int
	if _, err := fmt.Sscan(spawn(b, faultyServer, filepath.Join(dir, "server.log"), "vllm", "serve"), &port, &metrics); err != nil {
		b.Fatal(err)
	}
	spawn(b, faultyClient, filepath.Join(dir, "load.ndjson"), "oddload", "-url", fmt.Sprintf("http://127.0.0.1:%d/v1", port))
	log := []string{"--log", filepath.Join(dir, "server.log")}
	load := []string{"--load", filepath.Join(dir, "load.ndjson"), "--from", "end"}
	scrape := []string{"--metrics", fmt.Sprintf("http://127.0.0.1:%d/metrics", metrics)}
	noGPU, noHost, gpus := []string{"--gpu", "off"}, []string{"--host", "off"}, []string{"--gpu", "nvml"}
	for _, set := range []struct {
		name  string
		flags [][]string
	}{
		{"log", [][]string{log, noGPU, noHost}},
		{"log+metrics", [][]string{log, scrape, noGPU, noHost}},
		{"log+load", [][]string{log, load, noGPU, noHost}},
		{"log+8gpus", [][]string{log, gpus, noHost}},
		{"log+host", [][]string{log, noGPU}},
		{"all", [][]string{log, load, scrape, gpus}},
	} {
		b.Run(set.name, func(b *testing.B) {
			args := []string{"--headless", "--no-record", "--every", "10m"}
			for _, f := range set.flags {
				args = append(args, f...)
			}
			for b.Loop() {
				const short, long = 5, 35 // seconds: the difference leaves out what starting costs
				spent := processorTime(b, dir, script, long, args) - processorTime(b, dir, script, short, args)
				b.ReportMetric(100*spent.Seconds()/(long-short), "%core")
			}
		})
	}
}

// processorTime is what a run of so many seconds takes.
func processorTime(b *testing.B, dir, script string, seconds int, args []string) time.Duration {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	me := exec.Command(self, append(args, "--for", fmt.Sprintf("%ds", seconds))...)
	me.Env = append(os.Environ(), "CLI_TEST_PART=benchtop", "HOME="+dir, "LD_LIBRARY_PATH="+dir, "FAKENVML_SCRIPT="+script)
	if out, err := me.CombinedOutput(); err != nil {
		b.Fatalf("want it to run, got %v: %s", err, out)
	}
	return me.ProcessState.UserTime() + me.ProcessState.SystemTime()
}
