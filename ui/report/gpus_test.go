package report_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"benchtop/model"
	"benchtop/ui/report"
)

// gpuRun is a snapshot of a GPU in two parts, one that has the machine's memory,
// and one whose memory nobody tells.
func gpuRun() *model.Snapshot {
	s := &model.Snapshot{Start: 1, Now: 60e9}
	s.GPUs = []model.GPUInfo{{Key: 1, UUID: "GPU-a", Name: "NVIDIA H100"}, {Key: 2, Index: 1, UUID: "GPU-b", Name: "NVIDIA GB10"}, {Key: 3, Index: 2, UUID: "GPU-c", Name: "NVIDIA L4"}}
	part := func(n uint64) uint64 { return 1 | n<<model.GPUInstanceShift }
	for n := range uint64(2) {
		s.Instances = append(s.Instances, model.GPUInfo{Key: part(n + 1), UUID: "MIG-" + string(rune('a'+n)), Name: "NVIDIA H100 MIG 3g.40gb"})
	}
	level := func(id model.SeriesID, key uint64, v float64) {
		t := model.Track{Series: id, Source: 3, Key: key, N: 2, Sum: 2 * v, Min: v, Max: v, Last: v, Total: v, LastAt: 1}
		for i := range t.Tiers {
			c := new([model.ChunkLen]model.Bucket)
			c[0].Add(model.Bucket{N: 1, Sum: float32(v), Min: float32(v), Max: float32(v)})
			t.Tiers[i] = model.Strip{Step: model.TierSteps[i], New: []*[model.ChunkLen]model.Bucket{c}}
		}
		s.Tracks = append(s.Tracks, t)
	}
	const gib = 1 << 30
	for _, key := range []uint64{1, 2, 3} {
		level(model.GPUSMClock, key, 1980e6)
	}
	level(model.GPUEnergy, 1, 4200)
	level(model.GPULost, 3, 3)
	for _, l := range []struct {
		id  model.SeriesID
		key uint64
		v   float64
	}{
		{model.GPUMemUsed, 1, 30 * gib},
		{model.GPUMemUsed, 2, 9 * gib},
		{model.GPUMemUsed, part(1), 20 * gib},
		{model.GPUMemUsed, part(2), 10 * gib},
		{model.GPUMemTotal, 2, 120 * gib},
		{model.GPUMemTotal, part(1), 40 * gib},
		{model.GPUMemKind, 2, 1},
		{model.GPUSMActivity, part(1), 0.8},
		{model.GPUSMActivity, part(2), 0.09},
	} {
		level(l.id, l.key, l.v)
	}
	slices.SortFunc(s.Tracks, func(a, b model.Track) int { return cmp.Or(int(a.Series)-int(b.Series), cmp.Compare(a.Key, b.Key)) })
	return s
}

// TestMIGDevices: each is an entry behind its GPU, with what is its own and null
// for all else; memory that is not a card's own is called what it is.
func TestMIGDevices(t *testing.T) {
	var b bytes.Buffer
	if err := report.WriteJSON(&b, report.Summarize(gpuRun())); err != nil {
		t.Fatal(err)
	}
	var got struct {
		GPUs []map[string]any `json:"gpus"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	type row struct{ uuid, mig, index, active, kind, total, energy any }
	want := []row{
		{"GPU-a", nil, 0., nil, "own", nil, 4200.},
		{"MIG-a", 0., 0., 0.8, "own", 40960., nil},
		{"MIG-b", 1., 0., 0.09, "own", nil, nil},
		{"GPU-b", nil, 1., nil, "shared", 122880., nil},
		{"GPU-c", nil, 2., nil, nil, nil, nil},
	}
	if len(got.GPUs) != len(want) {
		t.Fatalf("want %d entries, got %s", len(want), b.String())
	}
	for i, w := range want {
		g := got.GPUs[i]
		if r := (row{g["uuid"], g["mig"], g["index"], g["sm_active"], g["mem_kind"], g["mem_total_mib"], g["energy_j"]}); r != w {
			t.Errorf("want %+v, got %+v", w, r)
		}
		if g["mig"] == nil {
			continue
		}
		for _, key := range []string{"sm_mhz", "temp_c", "power_w", "throttled_s", "busy"} {
			for name, v := range g[key].(map[string]any) {
				if v != nil {
					t.Errorf("want %s.%s of a MIG device null, got %v", key, name, v)
				}
			}
		}
	}
	text := report.Closing(gpuRun())
	for _, w := range []string{"0/0: SMs busy 80 %, memory 20480 of 40960 MiB", "0/1: SMs busy 9 %, memory 10240 of – MiB", "2: SM 1980 of – MHz, – °C, – W; held back: power cap – s, thermal – s, brake – s; LOST"} {
		if !strings.Contains(text, w) {
			t.Errorf("want %q in\n%s", w, text)
		}
	}
	var page bytes.Buffer
	if err := report.Run(gpuRun()).WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"MIG device 0/1", "120 GiB shared with the CPU", "memory in use shared with the CPU"} {
		if !strings.Contains(page.String(), w) {
			t.Errorf("want %q in the report, got\n%s", w, page.String())
		}
	}
}
