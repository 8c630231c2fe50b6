package cli

import (
	"bytes"
	"strings"
	"testing"

	"benchtop/sources/gpu"
)

// TestTellGPUs: what a probe says of a GPU without --json.
func TestTellGPUs(t *testing.T) {
	whole := gpu.Reading{Index: 1, UUID: "GPU-a", Name: "NVIDIA GB10", Memory: gpu.MemoryShared}
	for f := range gpu.Field(gpu.NumFields) {
		whole.Set(f, 1)
	}
	whole.Fail(gpu.Util, gpu.CodeNoPermission)
	whole.Unset(gpu.Margin)
	part := gpu.Reading{Index: 1, Instance: 3, UUID: "MIG-a"}
	part.Set(gpu.MemUsed, 100)
	lost := gpu.Reading{Index: 2, State: gpu.Lost}
	var out bytes.Buffer
	p := &prober{io: Stdio{Out: &out}}
	p.tellGPUs("nvml", []gpu.Reading{whole, part, lost})
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"gpu 1 kind GPU readings by nvml name NVIDIA GB10 GPU-a readings 27 of 29 kinds failed util_pct (NO_PERMISSION) missing margin_c: not on this card, or not by nvml memory the machine's, shared with its CPU",
		"gpu 1/2 kind GPU readings by nvml name MIG-a readings 1 of 29 kinds gpu 2",
		"state lost",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in %q", want, text)
		}
	}
}
