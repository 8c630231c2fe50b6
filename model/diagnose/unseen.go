package diagnose

import (
	"strings"

	"benchtop/model"
)

// notSeen lists what could not be judged before this verdict, by source.
// The host's causes belong to it only where the GPU idles: else they are facts
// beside the verdict.
func (j *Judge) notSeen(verdict string) []string {
	by := map[string][]string{}
	for i := range j.rules {
		r, k := &j.rules[i], &j.counters[i]
		if r.Group == GroupTrust || r.Group == GroupHost && verdict != "gpu_idle_gaps" || r.ID == verdict {
			continue
		}
		if k.missing && r.Severity >= model.SevMajor {
			by[r.Needs] = append(by[r.Needs], r.ID)
		}
	}
	var out []string
	if ids := by["gpu"]; len(ids) > 0 {
		out = append(out, "GPU not observed, so throttling is not excluded")
		delete(by, "gpu")
	}
	if ids := by["host"]; len(ids) > 0 {
		out = append(out, "host not observed, so "+strings.Join(ids, ", ")+" are not excluded")
		delete(by, "host")
	}
	for _, r := range j.rules { // registry order, so that the same run reads the same
		if ids := by[r.Needs]; len(ids) > 0 {
			out = append(out, r.Needs+" not observed, so "+strings.Join(ids, ", ")+" can't be judged")
			delete(by, r.Needs)
		}
	}
	return out
}
