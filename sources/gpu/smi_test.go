package gpu_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"benchtop/sources/gpu"
)

// fakeSMI writes a shell script that stands in for nvidia-smi. $query is what
// it was asked for.
func fakeSMI(t *testing.T, body string) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no shell for the stand-in for nvidia-smi")
	}
	file := filepath.Join(t.TempDir(), "nvidia-smi")
	script := "#!/bin/sh\ncase \"$1\" in --query-gpu=*) query=\"${1#--query-gpu=}\" ;; esac\n" + body
	if err := os.WriteFile(file, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{"/bin/sh", file}
}

const smiHelp = `if [ "$1" = --help-query-gpu ]; then cat <<'H'
List of valid properties to query for the switch "--query-gpu=":
"index"
Zero based index of the GPU.
"uuid" or "gpu_uuid"
"pci.bus_id" or "gpu_bus_id"
"clocks.sm" or "clocks.current.sm"
"temperature.gpu"
"clocks_throttle_reasons.active"
H
exit; fi
`

// readUntil reads until the condition holds.
func readUntil(t *testing.T, r gpu.Reader, what string, ok func([]gpu.Reading, error) bool) []gpu.Reading {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		got, err := r.Read(nil)
		for i := range got {
			checkReading(t, &got[i])
		}
		if ok(got, err) {
			return got
		}
	}
	t.Fatalf("want %s within 10 s", what)
	return nil
}

func TestSMI(t *testing.T) {
	log := filepath.Join(t.TempDir(), "args")
	cmd := fakeSMI(t, smiHelp+`echo "$@" > `+log+`
echo "$query [unit], as the long names" | tr -d x >/dev/null
echo "index, uuid, pci.bus_id, clocks.current.sm [MHz], temperature.gpu, clocks_event_reasons.active"
echo "0, GPU-a, 00000000:09:00.0, 1980 MHz, 59, 0x0000000000000004"
echo "1, GPU-b, 00000000:0A:00.0, 1410 MHz, N/A, 0x0000000000000000"
echo "Unable to determine the device handle for GPU0000:0A:00.0: GPU is lost.  Reboot the system to recover this GPU"
exec sleep 60
`)
	r, name, err := gpu.Open("smi", gpu.Options{SMI: cmd})
	if err != nil || name != "smi" {
		t.Fatalf("want smi to open, got %q, %v", name, err)
	}
	defer r.Close()
	var first []gpu.Reading
	got := readUntil(t, r, "GPU 1 lost", func(rs []gpu.Reading, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		if first == nil && len(rs) > 0 {
			first = rs
		}
		return len(rs) == 2 && rs[1].State == gpu.Lost
	})
	if first[0].Held || first[0].Get(gpu.SMClock) != 1980 || first[0].Get(gpu.Reasons) != 4 || first[0].UUID != "GPU-a" {
		t.Errorf("want the first row, got %+v", first[0])
	}
	if got[1].Get(gpu.SMClock) != 1410 || got[1].Err(gpu.SMClock) != gpu.CodeLost || got[1].Has(gpu.Temp) {
		t.Errorf("want GPU 1 frozen, got %+v", got[1])
	}
	args, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	want := "--query-gpu=index,uuid,pci.bus_id,clocks.sm,temperature.gpu,clocks_throttle_reasons.active --format=csv -lms 1000\n"
	if string(args) != want {
		t.Errorf("want only what it knows asked, %q, got %q", want, args)
	}
	began := time.Now()
	if err := r.Close(); err != nil || time.Since(began) > 2*time.Second {
		t.Errorf("want Close to be prompt, got %v after %v", err, time.Since(began))
	}
	if _, err := r.Read(nil); !errors.Is(err, gpu.ErrDown) {
		t.Errorf("want ErrDown after the child ended, got %v", err)
	}
}

func TestSMIStale(t *testing.T) {
	cmd := fakeSMI(t, smiHelp+`echo "0, GPU-a, 00000000:09:00.0, 1980 MHz, 59, 0x0000000000000004"
sleep 60 & # what the child started, and holds its stdout open
wait
`)
	r, _, err := gpu.Open("smi", gpu.Options{SMI: cmd, Every: 250 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := readUntil(t, r, "the row stale", func(rs []gpu.Reading, err error) bool { return len(rs) == 1 && rs[0].State == gpu.Stale })
	if !got[0].Held || got[0].Get(gpu.SMClock) != 1980 {
		t.Errorf("want the last values held, got %+v", got[0])
	}
}

func TestSMIRefuses(t *testing.T) {
	for _, tc := range []struct{ name, body, err string }{
		{"no driver", "echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\"; exit 9\n", "couldn't communicate"},
		{"mismatch", "echo 'Failed to initialize NVML: Driver/library version mismatch' >&2; exit 18\n", "version mismatch"},
		{"ends", "exit 0\n", "ended by itself"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := gpu.Open("smi", gpu.Options{SMI: fakeSMI(t, tc.body)})
			if err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("want one line with %q, got %v", tc.err, err)
			}
		})
	}
	_, _, err := gpu.Open("smi", gpu.Options{SMI: []string{"/no/such/nvidia-smi"}})
	if err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("want not found, got %v", err)
	}
}
