package host_test

import (
	"strings"
	"testing"

	"benchtop/sources/host"
)

func TestDeclared(t *testing.T) {
	tests := []struct {
		command, tool string
		want          map[string]float64
	}{
		{"vegeta attack -rate=50/1s -timeout=60s -max-connections 32", "vegeta", map[string]float64{"rate_rps": 50, "client_timeout_s": 60, "client_connections": 32}},
		{"vegeta attack -rate=3000/m", "vegeta", map[string]float64{"rate_rps": 50}},
		{"vegeta attack -rate=0 -max-workers=32", "vegeta", map[string]float64{}}, // as fast as it can
		{"stdbuf -oL wrk -t1 -c32 --timeout 2s http://127.0.0.1:8000", "wrk", map[string]float64{"target_concurrency": 32, "client_timeout_s": 2}},
		{"hey -z 10s -c 8 -t 1 http://127.0.0.1:8000", "hey", map[string]float64{"target_concurrency": 8, "client_timeout_s": 1}},
		{"vllm bench serve --request-rate inf --max-concurrency 16", "vllm_bench", map[string]float64{"target_concurrency": 16}},
		{"vllm serve m --max-num-seqs 4", "", map[string]float64{}},
		{"curl http://127.0.0.1:8000", "", map[string]float64{}},
		{"fortio load -qps 0 -c 8 -timeout 1x", "fortio", map[string]float64{"target_concurrency": 8}},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			tool, all := host.Declared(strings.Fields(tt.command))
			got := map[string]float64{}
			for _, s := range all {
				got[s.Name] = s.Value
			}
			if tt.tool != tool || len(tt.want) != len(got) {
				t.Fatalf("want %s %v, got %s %v", tt.tool, tt.want, tool, got)
			}
			for k, w := range tt.want {
				if g := got[k]; w != g {
					t.Errorf("%s: want %g, got %g", k, w, g)
				}
			}
		})
	}
}
