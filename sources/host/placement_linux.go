package host

import (
	"fmt"
	"strconv"
	"strings"
)

// placement says which cores and memory nodes a process may use, "" if it may
// use all that are there.
func placement(f *procFiles, proc string, pid int) string {
	cpus, mems := allowed(f, proc+"/"+strconv.Itoa(pid)+"/status")
	all, nodes := allowed(f, proc+"/1/status")
	var say []string
	if cpus != "" && cpus != all {
		say = append(say, "cores "+cpus)
	}
	if mems != "" && mems != nodes {
		say = append(say, "memory of node "+mems)
	}
	return strings.Join(say, ", ")
}

// allowed reads the lists of cores and memory nodes of a status file.
func allowed(f *procFiles, file string) (cpus, mems string) {
	b, err := f.read(file)
	if err != nil {
		return "", ""
	}
	for l := range strings.Lines(string(b)) {
		key, value, _ := strings.Cut(l, ":")
		switch key {
		case "Cpus_allowed_list":
			cpus = strings.TrimSpace(value)
		case "Mems_allowed_list":
			mems = strings.TrimSpace(value)
		}
	}
	return cpus, mems
}

// nodesOf names the memory nodes that hold some of a list of cores, such as
// "0" or "0,1"; "" where the machine does not tell.
func nodesOf(f *procFiles, sys, cpus string) string {
	var out []string
	for n := range 64 {
		b, err := f.read(fmt.Sprintf("%s/devices/system/node/node%d/cpulist", sys, n))
		if err != nil {
			break
		}
		if overlap(cpus, strings.TrimSpace(string(b))) {
			out = append(out, strconv.Itoa(n))
		}
	}
	return strings.Join(out, ",")
}

// overlap reports whether two lists such as "0-3,8" have a core in common.
func overlap(a, b string) bool {
	for _, x := range ranges(a) {
		for _, y := range ranges(b) {
			if x[0] <= y[1] && y[0] <= x[1] {
				return true
			}
		}
	}
	return false
}

func ranges(s string) (out [][2]int) {
	for p := range strings.SplitSeq(s, ",") {
		lo, hi, has := strings.Cut(strings.TrimSpace(p), "-")
		if !has {
			hi = lo
		}
		x, err1 := strconv.Atoi(lo)
		y, err2 := strconv.Atoi(hi)
		if err1 == nil && err2 == nil {
			out = append(out, [2]int{x, y})
		}
	}
	return out
}
