package host

import (
	"path"
	"strings"
)

// Group is what a process' control groups say about who started it.
type Group struct {
	Container string // the container's id, short (12 digits); "" if it is in none
	Engine    string // docker, podman, cri (Kubernetes); "" if the path does not say
	Unit      string // the systemd service, without a user's session scopes
}

// parseGroup reads /proc/PID/cgroup for containers and services. Paths seen
// from inside a container say nothing of it.
func parseGroup(b []byte) Group {
	var g Group
	for l := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(l), ":", 3)
		if len(parts) != 3 {
			continue
		}
		dirs := strings.Split(parts[2], "/")
		for i, d := range dirs {
			name := strings.TrimSuffix(d, path.Ext(d))
			if id := containerID(name); id != "" && g.Container == "" {
				g.Container = id
				g.Engine = engineOf(dirs[:i], name)
			}
			if strings.HasSuffix(d, ".service") && !strings.HasPrefix(d, "user@") && containerless(parts[2]) {
				g.Unit = d
			}
		}
	}
	return g
}

func containerless(p string) bool {
	return !strings.Contains(p, "docker") && !strings.Contains(p, "libpod") && !strings.Contains(p, "kubepods") && !strings.Contains(p, "containerd")
}

// containerID finds 64 hexadecimal digits behind an optional prefix.
func containerID(name string) string {
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		name = name[i+1:]
	}
	if len(name) != 64 || strings.Trim(name, "0123456789abcdef") != "" {
		return ""
	}
	return name[:12]
}

func engineOf(parents []string, name string) string {
	switch all := strings.Join(parents, "/") + "/" + name; {
	case strings.Contains(all, "kubepods"), strings.Contains(name, "cri-"), strings.Contains(name, "crio"):
		return "cri"
	case strings.Contains(all, "libpod"):
		return "podman"
	case strings.Contains(all, "docker"):
		return "docker"
	}
	return ""
}

// LogCommand is the command that follows what the process prints, as a place
// for --log; "" if the groups don't tell. It is for the user to run: it may
// need rights that this process does not have.
func (g Group) LogCommand() string {
	switch {
	case g.Container != "" && g.Engine == "podman":
		return "exec:podman logs -f --tail 200 " + g.Container
	case g.Container != "" && g.Engine == "cri":
		return "exec:crictl logs -f --tail 200 " + g.Container
	case g.Container != "":
		return "exec:docker logs -f --tail 200 " + g.Container
	case g.Unit != "":
		return "exec:journalctl -fu " + g.Unit + " -n 200 -o cat"
	}
	return ""
}
