package diagnose

import (
	"strings"
	"testing"

	"benchtop/model"
)

// TestThrottleWords: what a throttle's sentence says beside its share.
func TestThrottleWords(t *testing.T) {
	tests := []struct {
		name        string
		rule        Rule
		change      func(*model.GPUSignals)
		want, never string
	}{
		{"hot memory under a cool die", thermal(), func(g *model.GPUSignals) { g.SWThermal, g.MemTemp, g.Margin = 0.6, 96, 25 }, "memory 96 °C (the die has 25 °C to its limit, so it is the memory that is hot)", ""},
		{"hot die", thermal(), func(g *model.GPUSignals) { g.SWThermal, g.MemTemp, g.Margin = 0.6, 80, 0 }, "at 65 °C, memory 80 °C.", "it is the memory"},
		{"hardware does not ask the memory", thermal(), func(g *model.GPUSignals) { g.HWThermal, g.MemTemp, g.Margin = 0.6, 80, 25 }, "memory 80 °C.", "it is the memory"},
		{"nobody tells the memory", thermal(), func(g *model.GPUSignals) { g.SWThermal, g.MemTemp, g.Margin = 0.6, nan, nan }, "at 65 °C.", "memory"},
		{"capped at the limit", powerCap(), func(g *model.GPUSignals) { g.PowerCap, g.Power, g.Limit = 0.9, 392, 400 }, "at 392 of 400 W.", "although"},
		{"capped below it", powerCap(), func(g *model.GPUSignals) { g.PowerCap, g.Power, g.Limit = 0.9, 240, 400 }, "capped at 240 W although the limit is 400 W", ""},
		{"no limit told", powerCap(), func(g *model.GPUSignals) { g.PowerCap, g.Power, g.Limit = 0.9, 240, nan }, "at 240 of – W", "although"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, th := healthy(), model.DefaultThresholds()
			g := &s.GPUs[0]
			g.Clock, g.Loss = 1500e6, 0.24
			tt.change(g)
			got, _ := tt.rule.Say(&Case{S: s, T: &th, raised: map[string]bool{}})
			if !strings.Contains(got, tt.want) || tt.never != "" && strings.Contains(got, tt.never) {
				t.Errorf("want %q and nothing of %q, got %q", tt.want, tt.never, got)
			}
		})
	}
}

// TestOthersGPUsAreNotJudged: neither the heat nor the idling of a GPU that is
// none of the server's is the run's.
func TestOthersGPUsAreNotJudged(t *testing.T) {
	for _, other := range []bool{false, true} {
		s, th := healthy(), model.DefaultThresholds()
		s.GPUs = append(s.GPUs, model.GPUSignals{Key: 2, Index: 1, Samples: 60, Util: 0.02, Clock: 1400e6, Ref: 1980e6, Best: 1980e6, Loss: 0.3, LossBest: 0.3, SWThermal: 0.9, PowerCap: 0.9, Brake: 0.9, Temp: 90, Other: other})
		for _, r := range []Rule{thermal(), powerCap(), powerBrake(), gpuIdleGaps()} {
			want := map[bool]Answer{false: Yes, true: No}[other]
			if got := r.When(&Case{S: s, T: &th, raised: map[string]bool{}}); got != want {
				t.Errorf("%s with a GPU that is another's (%v): want %v, got %v", r.ID, other, want, got)
			}
		}
	}
}
