package ui_test

import (
	"math"
	"testing"
	"time"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// The whole screen of a GPU tells all that it reads, each with what it means, and
// nothing of what the card lacks.
func TestReadingsOfAGPU(t *testing.T) {
	type levels map[model.SeriesID]float64
	tests := []struct {
		name        string
		levels      levels
		want, never []string
	}{
		{
			"data centre card",
			levels{
				model.GPUReasons: 0x824, model.GPUMemClock: 2619e6, model.GPUTemp: 81, model.GPUMargin: 6, model.GPUMemTemp: 86, model.GPUPower: 616, model.GPUPowerInstant: 634, model.GPUPowerLimit: 700, model.GPUEnergy: 7400,
				model.GPUUtil: 0.99, model.GPUMemUsed: 74e9, model.GPUMemTotal: 85.5e9, model.GPUSMActivity: 0.9, model.GPUSMOccupancy: 0.33, model.GPUTensorActivity: 0.52, model.GPUDRAMActivity: 0.55,
			},
			[]string{
				"SM 1,935 MHz  memory 2,619 MHz  held by: SW power cap, SW thermal, 0x800", "GPU 81 °C  6 °C to its limit  memory 86 °C", "616 W mean  634 W now  88 % of the limit of 700 W  7.4 kJ this run",
				"memory 74.0 GB of 85.5 GB  busy time 99 %  a kernel ran; not how much of the GPU it used", "SMs busy 90 %  occupied 33 %  tensor 52 %  DRAM 55 %",
			},
			[]string{"shared", "slows down", "not told"},
		},
		{
			"limit passed",
			levels{model.GPUTemp: 88, model.GPUMargin: -1},
			[]string{"GPU 88 °C  at its limit"},
			[]string{"memory", "busy time", "W mean", "this run"},
		},
		{
			"card that tells degrees",
			levels{model.GPUTemp: 66, model.GPUSlowdown: 93, model.GPUPowerInstant: 170},
			[]string{"GPU 66 °C  slows down at 93 °C", "170 W now", "not told by this card"},
			[]string{"of the limit", "mean"},
		},
		{
			"busy at idle watts",
			levels{model.GPUUtil: 1, model.GPUPower: 90, model.GPUPowerLimit: 700, model.GPUReasons: 0},
			[]string{"busy time 100 %  at 90 W: doubtful", "held by: nothing"},
			[]string{"a kernel ran; not"},
		},
		{
			"memory of the machine",
			levels{model.GPUMemUsed: 9e9, model.GPUMemTotal: 130e9, model.GPUMemKind: 1},
			[]string{"memory 9.0 GB of 130.0 GB shared", "mem 9.0 GB of 130.0 GB shared"},
			nil,
		},
		{
			"memory that the kernel runs",
			levels{model.GPUMemUsed: 9e9, model.GPUMemTotal: 102e9, model.GPUMemKind: 2},
			[]string{"memory 9.0 GB of 102.0 GB managed by the kernel"},
			[]string{"shared"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(time.Minute, sceneNow)
			s.every(time.Second, func(at model.Instant, _ float64) {
				s.gpuLevel(model.GPUSMClock, 3, 7, at, 1935e6)
				for id, v := range tt.levels {
					s.gpuLevel(id, 3, 7, at, v)
				}
			})
			s.snap.GPUs = []model.GPUInfo{{Key: 7, UUID: "GPU-0a", Name: "H200"}}
			v := live
			v.Full = "gpu"
			g := draw.NewGrid(120, 40)
			ui.Draw(g, s.done(), v, themes.TrueColor)
			wants(t, g.String(), tt.want...)
			wantsNot(t, g.String(), tt.never...)
		})
	}
}

// A GPU that does not answer says so first, wherever its clock would stand, with
// how long ago it was read; the others go on.
func TestUnwellGPUs(t *testing.T) {
	for state, want := range map[float64]string{1: "stale 20s", 2: "denied 20s", 3: "LOST 20s"} {
		s := newScene(time.Minute, sceneNow)
		s.every(time.Second, func(at model.Instant, back float64) {
			s.gpuLevel(model.GPUSMClock, 3, 7, at, 1935e6)
			s.gpuLevel(model.GPULost, 3, 7, at, 0)
			if back < 20 {
				s.gpuLevel(model.GPULost, 3, 8, at, state)
				return
			}
			s.gpuLevel(model.GPUSMClock, 3, 8, at, 1410e6)
			s.gpuLevel(model.GPULost, 3, 8, at, 0)
		})
		s.snap.GPUs = []model.GPUInfo{{Key: 7, UUID: "GPU-0a", Name: "H200"}, {Key: 8, Index: 1, UUID: "GPU-0b", Name: "H200"}}
		snap := s.done()
		for full, wanted := range map[string][]string{"gpu": {"▲ GPU 1 " + want}, "gpus": {"▲gpu1", want, "▲ 1 GPU without readings", "1,935"}} {
			v := live
			v.Full = full
			g := draw.NewGrid(120, 40)
			ui.Draw(g, snap, v, themes.TrueColor)
			wants(t, g.String(), wanted...)
			wantsNot(t, g.String(), "GPU 0 "+want, "▲gpu0")
		}
	}
}

// A hold shorter than a poll is drawn and counted: heat and the brake have no
// noise. Power has.
func TestShortHolds(t *testing.T) {
	for _, tt := range []struct {
		series model.SeriesID
		drawn  bool
	}{{model.GPUHeldBrake, true}, {model.GPUHeldHWThermal, true}, {model.GPUHeldSWThermal, true}, {model.GPUHeldPowerCap, false}} {
		s := newScene(time.Minute, sceneNow)
		held := 0.0
		s.every(time.Second, func(at model.Instant, back float64) {
			s.gpuLevel(model.GPUSMClock, 3, 7, at, 1980e6)
			s.gpuLevel(model.GPUMaxSMClock, 3, 7, at, 1980e6)
			if back < 20 {
				held += 0.02
			}
			s.gpuLevel(tt.series, 3, 7, at, held)
		})
		s.snap.GPUs = []model.GPUInfo{{Key: 7, UUID: "GPU-0a", Name: "H200"}}
		g := draw.NewGrid(120, 40)
		ui.Draw(g, s.done(), live, themes.TrueColor)
		if tt.drawn {
			wants(t, g.String(), "throttled 0.4 s", "▀")
		} else {
			wantsNot(t, g.String(), "throttled")
		}
	}
}

// A steady clock below the highest with nothing that holds it is most likely
// locked; with a reason, or none that could be asked for, it is not called so.
func TestLockedClocks(t *testing.T) {
	const words = "no reason given (locked clocks?)"
	for _, tt := range []struct {
		name    string
		reasons float64
		change  func(*model.GPUSignals)
		want    bool
	}{
		{"locked", 0, func(*model.GPUSignals) {}, true},
		{"a reason was set", 0, func(g *model.GPUSignals) { g.PowerCap = 0.1 }, false},
		{"one is set now", 4, func(*model.GPUSignals) {}, false},
		{"reasons are not told", math.NaN(), func(g *model.GPUSignals) { g.PowerCap = math.NaN() }, false},
		{"idle", 0, func(g *model.GPUSignals) { g.Util = 0 }, false},
		{"it moved", 0, func(g *model.GPUSignals) { g.LossBest = 0.1 }, false},
		{"at its highest", 0, func(g *model.GPUSignals) { g.Loss = 0.01 }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(time.Minute, sceneNow)
			s.every(time.Second, func(at model.Instant, _ float64) {
				s.gpuLevel(model.GPUSMClock, 3, 7, at, 1200e6)
				s.gpuLevel(model.GPUMaxSMClock, 3, 7, at, 1980e6)
				if !math.IsNaN(tt.reasons) {
					s.gpuLevel(model.GPUReasons, 3, 7, at, tt.reasons)
				}
			})
			s.snap.GPUs = []model.GPUInfo{{Key: 7, UUID: "GPU-0a", Name: "H200"}}
			sig := model.GPUSignals{Key: 7, Util: 0.97, Loss: 0.39}
			tt.change(&sig)
			s.snap.Signals = &model.Signals{GPUs: []model.GPUSignals{sig}}
			v := live
			v.Full = "gpu"
			g := draw.NewGrid(140, 40)
			ui.Draw(g, s.done(), v, themes.TrueColor)
			if tt.want {
				wants(t, g.String(), words)
			} else {
				wantsNot(t, g.String(), words)
			}
		})
	}
}
