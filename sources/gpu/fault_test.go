package gpu

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFaultsOfColumns: a log of nvidia-smi that has counters of errors tells
// which grew, by GPU, whatever they stood at before.
func TestFaultsOfColumns(t *testing.T) {
	const head = "index, timestamp, uuid, clocks.current.sm [MHz], ecc.errors.corrected.volatile.total, ecc.errors.uncorrected.volatile.total, retired_pages.single_bit_ecc.count, retired_pages.double_bit.count\n"
	row := func(gpu, sec int, counts string) string {
		return fmt.Sprintf("%d, 2026/11/30 12:00:%02d.000, GPU-%d, 1980 MHz, %s\n", gpu, sec, gpu, counts)
	}
	tests := []struct {
		name, lines string
		want        []Fault
	}{
		{"stands still", row(0, 0, "7, 1, 2, 3") + row(0, 1, "7, 1, 2, 3"), nil},
		{"grows", row(0, 0, "7, 1, 2, 3") + row(0, 1, "9, 2, 2, 4"), []Fault{{FaultECCCorrected, 2}, {FaultECCUncorrected, 1}, {FaultRetired, 1}}},
		{"each by itself", row(0, 0, "7, 0, 0, 0") + row(1, 0, "0, 0, 0, 0") + row(0, 1, "7, 0, 0, 0") + row(1, 1, "1, 0, 0, 0"), []Fault{{FaultECCCorrected, 1}}},
		{"starts over", row(0, 0, "7, 1, 2, 3") + row(0, 1, "0, 0, 2, 3"), nil},
		{"not on this card", row(0, 0, "[N/A], [N/A], [N/A], [N/A]") + row(0, 1, "[N/A], [N/A], [N/A], [N/A]"), nil},
		{"told late", row(0, 0, "[N/A], 0, 0, 0") + row(0, 1, "40, 0, 0, 0"), nil},
		{"a part told late", row(0, 0, "7, 0, [N/A], 3") + row(0, 1, "7, 0, 2, 3") + row(0, 2, "7, 0, 3, 3"), []Fault{{FaultRetired, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Decoder{Zone: time.UTC}
			var got []Fault
			for line := range strings.Lines(head + tt.lines) {
				r, _, err := d.Line([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, r.Faults...)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("want %v, got %v", tt.want, got)
			}
		})
	}
}

// TestFaultsOfExporter: the same of a DCGM exporter's counters, of which some are
// parts of one, and one that was not asked anew is no news.
func TestFaultsOfExporter(t *testing.T) {
	page := func(sbe, replay, flit, recovery, remap string) string {
		const labels = `{gpu="0",UUID="GPU-1",modelName="NVIDIA H100 80GB HBM3"} `
		return "DCGM_FI_DEV_SM_CLOCK" + labels + "1980\nDCGM_FI_DEV_ECC_SBE_VOL_TOTAL" + labels + sbe + "\nDCGM_FI_DEV_PCIE_REPLAY_COUNTER" + labels + replay +
			"\nDCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL" + labels + flit + "\nDCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL" + labels + recovery +
			"\nDCGM_FI_DEV_ROW_REMAP_FAILURE" + labels + remap + "\n"
	}
	synctest.Test(t, func(t *testing.T) {
		body := page("4", "9223372036854775794", "1", "0", "0")
		d := newDCGM(Options{}.withDefaults(), func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil })
		read := func() []Fault {
			t.Helper()
			rs, err := d.Read(nil)
			if err != nil || len(rs) != 1 {
				t.Fatalf("want one GPU, got %v, %v", rs, err)
			}
			return rs[0].Faults
		}
		if got := read(); got != nil {
			t.Errorf("want nothing told of what was before, got %v", got)
		}
		body = page("6", "3", "2", "3", "1")
		want := []Fault{{FaultECCCorrected, 2}, {FaultNVLink, 4}, {FaultRemapFailure, 1}}
		if got := read(); !slices.Equal(got, want) {
			t.Errorf("want %v, got %v", want, got)
		}
		if got := read(); got != nil {
			t.Errorf("want it told once, got %v", got)
		}
	})
}

// TestFaultsAlone: a saved line may have nothing else to tell.
func TestFaultsAlone(t *testing.T) {
	r, err := ParseReading([]byte(`{"ts":"2026-11-30T12:00:00Z","gpu":0,"faults":{"nvlink_error":7}}`))
	if want := []Fault{{FaultNVLink, 7}}; err != nil || !slices.Equal(r.Faults, want) {
		t.Errorf("want %v, got %v, %v", want, r.Faults, err)
	}
}
