package host

import (
	"bytes"
	"path"
	"strconv"
	"strings"
)

// quota finds and reads the processor quota of a process' control group.
type quota struct {
	pid  int
	file string // cpu.stat, "" if none was found
}

// read returns how many quota periods there were and in how many of them the
// group was held back; ok is false if no group has a quota file.
func (q *quota) read(f *procFiles, proc, sys string, pid int) (periods, throttled float64, ok bool) {
	if pid == 0 {
		return 0, 0, false
	}
	if pid != q.pid {
		q.pid, q.file = pid, find(f, proc, sys, pid)
	}
	if q.file == "" {
		return 0, 0, false
	}
	b, err := f.read(q.file)
	if err != nil {
		q.pid = 0 // look again: the process may have been moved
		return 0, 0, false
	}
	return parseQuota(b)
}

func parseQuota(b []byte) (periods, throttled float64, ok bool) {
	var got int
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		key, l := word(l)
		value, _ := word(l)
		v, isNumber := decimal(value)
		switch {
		case !isNumber:
		case string(key) == "nr_periods":
			periods = float64(v)
			got++
		case string(key) == "nr_throttled":
			throttled = float64(v)
			got++
		}
	}
	return periods, throttled, got == 2
}

// find looks for the cpu.stat that tells of a quota, from the process' group
// up: a pod's limit is on the group above the container's. Without a quota
// anywhere it is the lowest group's.
func find(f *procFiles, proc, sys string, pid int) string {
	b, err := f.read(proc + "/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return ""
	}
	lowest := ""
	for _, dir := range groupDirs(b, sys) {
		for {
			file := dir.at(dir.group)
			if stat, err := f.read(file); err == nil {
				if n, _, ok := parseQuota(stat); ok {
					if n > 0 {
						return file
					}
					if lowest == "" {
						lowest = file
					}
				}
			}
			if dir.group == "/" || dir.group == "." {
				break
			}
			dir.group = path.Dir(dir.group)
		}
	}
	return lowest
}

// groupDir is a process' group in one hierarchy.
type groupDir struct{ root, group string }

func (d groupDir) at(group string) string { return path.Join(d.root, group, "cpu.stat") }

// groupDirs reads /proc/PID/cgroup: `0::/a/b` of version 2, `4:cpu,cpuacct:/a/b`
// of version 1.
func groupDirs(b []byte, sys string) []groupDir {
	var dirs []groupDir
	for l := range bytes.Lines(b) {
		parts := strings.SplitN(strings.TrimSpace(string(l)), ":", 3)
		if len(parts) != 3 {
			continue
		}
		group := path.Clean("/" + parts[2])
		switch names := strings.Split(parts[1], ","); {
		case parts[1] == "":
			dirs = append(dirs, groupDir{sys + "/fs/cgroup", group}, groupDir{sys + "/fs/cgroup/unified", group})
		case len(names) > 0 && (names[0] == "cpu" || len(names) > 1 && names[1] == "cpu"):
			dirs = append(dirs, groupDir{sys + "/fs/cgroup/" + parts[1], group}, groupDir{sys + "/fs/cgroup/cpu", group})
		}
	}
	return dirs
}
