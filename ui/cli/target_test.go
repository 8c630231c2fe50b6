package cli

import "testing"

func TestTarget(t *testing.T) {
	tests := []struct {
		name string
		argv []string
		want string
		here bool
	}{
		{"a word", []string{"wrk", "-c8", "http://127.0.0.1:8000/generate"}, "http://127.0.0.1:8000/generate", true},
		{"a flag's value", []string{"bench_client", "--target", "http://localhost:8000"}, "http://localhost:8000", true},
		{"after an equals sign", []string{"locust", "--host=http://127.0.0.1:9"}, "http://127.0.0.1:9", true},
		{"another machine", []string{"hey", "http://192.0.2.7:8000/"}, "http://192.0.2.7:8000/", false},
		{"none", []string{"k6", "run", "script.js"}, "", false},
		{"the program itself is none", []string{"http://127.0.0.1/"}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, here := target(tt.argv); tt.want != got || tt.here != here {
				t.Errorf("want %q, here %v, got %q, %v", tt.want, tt.here, got, here)
			}
		})
	}
}

// Looking around is for a run of which no flag names the server.
func TestNoServer(t *testing.T) {
	tests := []struct {
		name string
		f    sourceFlags
		want bool
	}{
		{"nothing given", sourceFlags{gpu: "auto"}, true},
		{"another load stream", sourceFlags{gpu: "auto", loads: []string{"x.ndjson"}}, true},
		{"a log", sourceFlags{logs: []string{"vllm.log"}}, false},
		{"metrics", sourceFlags{metrics: []string{"http://127.0.0.1:8000/metrics"}}, false},
		{"the machine", sourceFlags{hosts: []string{"off"}}, false},
		{"GPUs elsewhere", sourceFlags{gpu: "exec:ssh gpu1 benchtop probe --json gpu"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.f.noServer(); tt.want != got {
				t.Errorf("want %v, got %v", tt.want, got)
			}
		})
	}
}
