package store

import (
	"strconv"
	"strings"

	"benchtop/model"
)

// works is the utilization from which a GPU has had work.
const works = 0.05

// users are the processes that were told of the server and of each GPU, by its
// index. A container may number them otherwise: then none of them match.
type users struct {
	server map[int]bool
	of     map[string]map[string][]int // index → label of the GPU or of its MIG device → processes
}

// take books a fact that names processes: server_pids, or gpuLABEL_processes.
func (u *users) take(n *model.Note) {
	if n.Name == "server_pids" {
		u.server = make(map[int]bool)
		for _, pid := range pids(strings.Fields(n.Text)) {
			u.server[pid] = true
		}
		return
	}
	rest, isGPU := strings.CutPrefix(n.Name, "gpu")
	label, isList := strings.CutSuffix(rest, "_processes")
	if !isGPU || !isList {
		return
	}
	index, _, _ := strings.Cut(label, "/")
	if u.of == nil {
		u.of = make(map[string]map[string][]int)
	}
	if u.of[index] == nil {
		if len(u.of) >= maxUsed {
			return
		}
		u.of[index] = make(map[string][]int)
	}
	if _, had := u.of[index][label]; !had && len(u.of[index]) >= maxUsed {
		return
	}
	var words []string
	for part := range strings.SplitSeq(n.Text, ",") { // PID 41 71800 MiB
		if f := strings.Fields(part); len(f) >= 2 && f[0] == "PID" {
			words = append(words, f[1])
		}
	}
	u.of[index][label] = pids(words)
}

// maxUsed bounds the GPUs, and the MIG devices of one, whose processes are kept.
const maxUsed = 64

func pids(words []string) (out []int) {
	for _, w := range words {
		if pid, err := strconv.Atoi(w); err == nil && len(out) < 1024 {
			out = append(out, pid)
		}
	}
	return out
}

// has reports whether a GPU's processes were told, and whether the server's are
// among them.
func (u *users) has(index int) (told, ours bool) {
	lists := u.of[strconv.Itoa(index)]
	for _, list := range lists {
		for _, pid := range list {
			ours = ours || u.server[pid]
		}
	}
	return len(lists) > 0, ours
}

// strangers marks the GPUs that are none of the server's, so that neither their
// idling nor their heat is taken for its.
func (s *Store) strangers(sig *model.Signals) {
	anyOurs, anyWorked := false, false
	for _, g := range s.gpuList {
		_, ours := s.users.has(g.info.Index)
		anyOurs, anyWorked = anyOurs || ours, anyWorked || g.worked
	}
	anyOurs = anyOurs && !s.spread() // only one server's processes are told: the others' GPUs count too
	for i := range sig.GPUs {
		g := &sig.GPUs[i]
		told, ours := s.users.has(g.Index)
		known := s.gpus[g.Key]
		g.Other = !ours && (anyOurs && told || anyWorked && known.asked && !known.worked)
		known.other = g.Other
	}
}
