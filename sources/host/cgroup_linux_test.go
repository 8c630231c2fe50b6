package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"benchtop/sources/host"
)

// limited makes a control group with a twentieth of a core, or skips: that needs
// root and a controller that is not taken.
func limited(t *testing.T) string {
	t.Helper()
	for _, v := range []struct{ root, file, text string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "5000"}, // of a period of 100 ms
		{"/sys/fs/cgroup", "cpu.max", "5000 100000"},
	} {
		dir := filepath.Join(v.root, fmt.Sprintf("benchtop-test-%d", os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			for range 100 { // the group is empty a moment after its process is gone
				if os.Remove(dir) == nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("%s is left behind", dir)
		})
		if os.WriteFile(filepath.Join(dir, v.file), []byte(v.text), 0o644) == nil {
			return dir
		}
	}
	t.Skip("SKIPPED: no control group with a CPU quota can be made here; quotas are tested from saved files only")
	return ""
}

// TestRealQuota holds a real process that wants a whole core at a twentieth of one,
// and wants the quota's periods told of it, as of the server and of the client.
func TestRealQuota(t *testing.T) {
	dir := limited(t)
	c := start(t, "burn", []string{"oddload"}, nil)
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), fmt.Append(nil, c.pid), 0o644); err != nil {
		t.Skipf("SKIPPED: a process can't be put into a group here: %v", err)
	}
	m := sampler(t, host.Options{ServerPID: c.pid, ClientPID: c.pid})
	var first, r host.Reading
	m.Read(&first)
	fields := []host.Field{host.QuotaPeriods, host.QuotaThrottled, host.ClientQuotaPeriods, host.ClientQuotaThrottled}
	grown := make(map[host.Field]float64)
	for range 50 {
		pause(t, 200*time.Millisecond)
		m.Read(&r)
		for _, f := range fields {
			grown[f] = r.Get(f) - first.Get(f)
		}
		if grown[host.QuotaPeriods] >= 10 {
			break
		}
	}
	if n, held := grown[host.QuotaPeriods], grown[host.QuotaThrottled]; !(n >= 10 && held >= 0.2*n) { // a busy machine leaves it less than its quota now and then
		t.Errorf("want the server held back in many of its periods, got %v of %v", held, n)
	}
	if n, held := grown[host.ClientQuotaPeriods], grown[host.ClientQuotaThrottled]; n != grown[host.QuotaPeriods] || held != grown[host.QuotaThrottled] {
		t.Errorf("want the client's group told alike, got %v of %v", held, n)
	}
}
