package host_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"benchtop/model"
	"benchtop/sources"
	"benchtop/sources/host"
)

// unpack writes the files of an archive (`-- path --` heads each) under dir.
func unpack(t *testing.T, dir, archive string) {
	t.Helper()
	b, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	var w *os.File
	for l := range strings.Lines(string(b)) {
		if p, ok := strings.CutPrefix(l, "-- "); ok {
			p = filepath.Join(dir, strings.TrimSuffix(p, " --\n"))
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if w != nil {
				w.Close()
			}
			if w, err = os.Create(p); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := w.WriteString(l); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func options(dir string) host.Options {
	return host.Options{ServerPID: 100, ClientPID: 200, ServerPort: 8000, Proc: dir + "/proc", Sys: dir + "/sys"}
}

func sampler(t *testing.T, o host.Options) *host.Sampler {
	t.Helper()
	s, err := host.NewSampler(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wantFields(t *testing.T, r *host.Reading, want map[host.Field]float64) {
	t.Helper()
	for f := range host.Field(host.NumFields) {
		w, ok := want[f]
		switch g := r.Get(f); {
		case ok != r.Has(f):
			t.Errorf("%s: want it there: %v, got %v", f, ok, g)
		case ok && math.Abs(w-g) > 1e-9*math.Max(1, w):
			t.Errorf("%s: want %v, got %v", f, w, g)
		}
	}
}

func TestSampler(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	pages := func(n float64) float64 { return math.Round(n*float64(os.Getpagesize())/(1<<20)*1e4) / 1e4 }
	rapl := "sys/class/powercap/intel-rapl:0/energy_uj"
	write(t, dir, rapl, "500000000\n")
	synctest.Test(t, func(t *testing.T) {
		s := sampler(t, options(dir))
		var r host.Reading
		if gone := s.Read(&r); len(gone) != 0 {
			t.Errorf("want both processes there, got %v gone", gone)
		}
		wantFields(t, &r, map[host.Field]float64{
			host.CPUMHz: 3150, host.Switches: 500000, host.Established: 2, host.Connecting: 1, host.AcceptQueue: 0,
			host.ConnsOpened: 0, host.SegsOut: 80000, host.SegsRetrans: 100, host.QuotaPeriods: 100, host.QuotaThrottled: 20,
			host.ClientQuotaPeriods: 50, host.ClientQuotaThrottled: 0, host.MemAvailable: 16000, host.OOMKills: 0, host.SelfRSS: 10,
			host.ClientRSS: pages(500), host.ServerRSS: pages(1000), host.Closing: 0,
		})
		if r.Governor != "performance" || len(r.PerCore) != 0 {
			t.Errorf("want the governor and no core yet, got %q, %v", r.Governor, r.PerCore)
		}

		unpack(t, dir, "testdata/machine2.txt")
		write(t, dir, rapl, "681500000\n")
		time.Sleep(time.Second) // in the bubble's time
		s.Read(&r)
		wantFields(t, &r, map[host.Field]float64{
			host.ServerThread: 0.95, host.ServerCPU: 1.6, host.ClientThread: 0.6, host.ClientCPU: 0.6,
			host.OtherCPU: 0.0725, host.Steal: 0.05, host.Switches: 501200,
			host.Established: 3, host.Connecting: 2, host.AcceptQueue: 3, host.ConnsOpened: 3,
			host.SegsOut: 80500, host.SegsRetrans: 105, host.QuotaPeriods: 110, host.QuotaThrottled: 24,
			host.ClientQuotaPeriods: 60, host.ClientQuotaThrottled: 1, host.PSICPU: 0.15, host.PSIMemory: 0.06, host.PSIIO: 0.015,
			host.MemAvailable: 16000, host.OOMKills: 1, host.DiskRead: 2097152, host.NetRx: 5000, host.NetTx: 7000,
			host.SelfCPU: 0.01, host.SelfRSS: 10, host.CPUPower: 181.5,
			host.ClientRSS: pages(500), host.ServerRSS: pages(1000), host.Closing: 0,
		})
		if !slices.Equal(r.PerCore, []float64{0.9, 0.7, 0.5, 0.3}) {
			t.Errorf("want each core's share, got %v", r.PerCore)
		}
	})
}

// TestUnknownIsAbsent: without processes and port, and on a machine without
// most files, nothing is zero.
func TestUnknownIsAbsent(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	for _, name := range []string{"proc/pressure", "proc/diskstats", "proc/vmstat", "proc/self", "proc/net/dev", "proc/net/snmp", "sys"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		o := options(dir)
		o.ServerPID, o.ClientPID, o.ServerPort = 0, 0, 0
		s := sampler(t, o)
		var r host.Reading
		s.Read(&r)
		unpackOnly(t, dir, "testdata/machine2.txt", "proc/stat")
		time.Sleep(time.Second)
		gone := s.Read(&r)
		wantFields(t, &r, map[host.Field]float64{host.Steal: 0.05, host.Switches: 501200, host.MemAvailable: 16000})
		if len(gone) != 8 {
			t.Errorf("want the eight process fields gone, got %v", gone)
		}
	})
}

func unpackOnly(t *testing.T, dir, archive, name string) {
	t.Helper()
	all := t.TempDir()
	unpack(t, all, archive)
	b, err := os.ReadFile(filepath.Join(all, name))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, name, string(b))
}

// TestOtherCPUNeedsBoth: while the client is not known, its work is nobody's.
func TestOtherCPUNeedsBoth(t *testing.T) {
	tests := []struct {
		name   string
		side   host.Side
		client int
		want   float64 // NaN: absent
	}{
		{"both here, one unknown", host.Both, 0, math.NaN()},
		{"the client is elsewhere", host.Server, 0, (2.5 - 1.6 - 0.01) / 4},
		{"both known", host.Both, 200, (2.5 - 1.6 - 0.6 - 0.01) / 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, dir, "testdata/machine1.txt")
			synctest.Test(t, func(t *testing.T) {
				o := options(dir)
				o.Side, o.ClientPID = tt.side, tt.client
				s := sampler(t, o)
				var r host.Reading
				s.Read(&r)
				unpack(t, dir, "testdata/machine2.txt")
				time.Sleep(time.Second)
				s.Read(&r)
				if g := r.Get(host.OtherCPU); !(math.Abs(g-tt.want) < 1e-4 || math.IsNaN(g) && math.IsNaN(tt.want)) {
					t.Errorf("want %v, got %v", tt.want, g)
				}
			})
		})
	}
}

// TestServerRestart: the server goes and comes back under another number.
func TestServerRestart(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	synctest.Test(t, func(t *testing.T) {
		o := options(dir)
		server := 0
		o.Find = func() host.Parties { return host.Parties{Server: server, Client: 200, Port: 8000} }
		s := sampler(t, o)
		var r host.Reading
		s.Read(&r)
		if err := os.RemoveAll(dir + "/proc/100"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if gone := s.Read(&r); !slices.Contains(gone, host.ServerCPU) || r.Has(host.ServerCPU) || r.Has(host.QuotaPeriods) {
			t.Errorf("want the server's fields gone, got %v, %v", gone, r.Get(host.ServerCPU))
		}
		server = 300
		stat := "300 (api) S 1 300 300 0 -1 0 0 0 0 0 %d 0 0 0 20 0 1 0 9000 1 1\n"
		write(t, dir, "proc/300/stat", fmt.Sprintf(stat, 10))
		write(t, dir, "proc/300/task/300/stat", fmt.Sprintf(stat, 10))
		time.Sleep(5 * time.Second)
		s.Read(&r) // the baseline
		write(t, dir, "proc/300/stat", fmt.Sprintf(stat, 60))
		write(t, dir, "proc/300/task/300/stat", fmt.Sprintf(stat, 60))
		time.Sleep(time.Second)
		if gone := s.Read(&r); len(gone) != 0 || r.Get(host.ServerCPU) != 0.5 || r.Get(host.ServerThread) != 0.5 {
			t.Errorf("want the new process at half a core, got %v gone, %v, %v", gone, r.Get(host.ServerCPU), r.Get(host.ServerThread))
		}
		// The same number again, another process: no share across the two.
		write(t, dir, "proc/300/stat", strings.Replace(fmt.Sprintf(stat, 900), " 9000 ", " 9900 ", 1))
		time.Sleep(time.Second)
		if s.Read(&r); r.Has(host.ServerCPU) {
			t.Errorf("want no share of a reused number, got %v", r.Get(host.ServerCPU))
		}
	})
}

const tcpHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

func row(local, remote, state, queue string, inode int) string {
	return fmt.Sprintf("   0: %s %s %s 00000000:%s 00:00000000 00000000  1000        0 %d 1 0000000000000000 20 4 30 10 -1\n", local, remote, state, queue, inode)
}

// TestServerInAnotherNamespace: a container's own table tells the accept queue,
// and its connections while the client is not on this machine.
func TestServerInAnotherNamespace(t *testing.T) {
	listen := row("00000000:1F40", "00000000:0000", "0A", "00000005", 900)
	inside := func(client string, n int) (rows string) {
		for i := range n {
			rows += row("020011AC:1F40", fmt.Sprintf("%s:%04X", client, 41000+i), "01", "00000000", 0)
		}
		return rows
	}
	proxyListen := row("00000000:1F40", "00000000:0000", "0A", "00000000", 500)
	own := row("0100007F:0016", "00000000:0000", "0A", "00000000", 501)
	tests := []struct {
		name      string
		near, far string
		want, q   float64
	}{
		{"client elsewhere", own, listen + inside("0A00000A", 6), 6, 5},
		{"client here, straight to the container", own + outside("010011AC", "020011AC:1F40", 41000, 4), listen + inside("010011AC", 4), 4, 5},
		{
			"client here, through a proxy that makes connections of its own",
			own + proxyListen + outside("0100007F", "0100007F:1F40", 50000, 3) + outside("010011AC", "020011AC:1F40", 41000, 3),
			listen + inside("010011AC", 3), 3, 5,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, dir, "testdata/machine1.txt")
			for _, d := range []string{"proc/net", "proc/100/net"} {
				write(t, dir, d+"/tcp6", tcpHead)
			}
			write(t, dir, "proc/net/tcp", tcpHead+tt.near)
			write(t, dir, "proc/100/net/tcp", tcpHead+tt.far)
			o := options(dir)
			o.ClientPID = 0
			var r host.Reading
			sampler(t, o).Read(&r)
			if r.Get(host.Established) != tt.want || r.Get(host.AcceptQueue) != tt.q {
				t.Errorf("want %v connections and %v not accepted, got %v and %v", tt.want, tt.q, r.Get(host.Established), r.Get(host.AcceptQueue))
			}
		})
	}
}

func outside(client, server string, port, n int) (rows string) {
	for i := range n {
		rows += row(fmt.Sprintf("%s:%04X", client, port+i), server, "01", "00000000", 600+i)
	}
	return rows
}

// TestGarbage: files that say nonsense give nothing and break nothing.
func TestGarbage(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	junk := "-- \x00\xff 99999999999999999999999 : ) ( cpu cpu0 Tcp: x\ncpu\ncpu0 a b\nTcp:\nTcp: 1\n: : : 0A\n"
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.WriteFile(path, []byte(junk), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	s := sampler(t, options(dir))
	var r host.Reading
	s.Read(&r)
	s.Read(&r)
	for _, f := range []host.Field{host.ServerCPU, host.Steal, host.SegsOut, host.QuotaPeriods, host.MemAvailable, host.SelfRSS} {
		if r.Has(f) {
			t.Errorf("%s: want nothing from garbage, got %v", f, r.Get(f))
		}
	}
}

// TestSource polls the fake machine once a second and ends with its context.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	unpack(t, dir, "testdata/machine1.txt")
	synctest.Test(t, func(t *testing.T) {
		o := options(dir)
		o.Label = "server"
		ctx, cancel := context3s(t)
		defer cancel()
		g := sources.NewGroup()
		g.Start(ctx, host.New(o), sources.Latest, false)
		g.Wait(0)
		var states []model.SourceState
		polls, perPoll := 0.0, 0
		described := ""
		for b := range g.Batches() {
			for _, e := range b.Events {
				switch {
				case e.Kind == model.State:
					states = append(states, model.SourceState(e.Value))
				case e.Series == model.SourceLines:
					polls += e.Value
				case e.Series == model.HostEstablished:
					perPoll++
				}
			}
			for _, n := range b.Notes {
				if n.Kind == model.NoteSource {
					described = n.Name + "|" + n.Text
				}
			}
		}
		if polls != 4 || perPoll != 4 || len(states) != 1 || states[0] != model.Running || described != "host server|procfs|server" {
			t.Errorf("want 4 polls in 3.5 s, got %v (%d), states %v, %q", polls, perPoll, states, described)
		}
	})
}

func TestNoProcfs(t *testing.T) {
	_, err := host.NewSampler(host.Options{Proc: t.TempDir() + "/none"})
	if err == nil || !strings.Contains(err.Error(), "--host=off") {
		t.Errorf("want an error with the next step, got %v", err)
	}
}

// TestThisMachine reads the real procfs with this test as server and client.
func TestThisMachine(t *testing.T) {
	s := sampler(t, host.Options{ServerPID: os.Getpid(), ClientPID: os.Getpid(), ServerPort: 1})
	var r host.Reading
	if s.Read(&r); !r.Has(host.Established) { // a costly table is left out of the second poll
		t.Error("want the sockets of this machine")
	}
	if gone := s.Read(&r); len(gone) != 0 {
		t.Errorf("want this process there, got %v gone", gone)
	}
	for _, f := range []host.Field{host.ServerCPU, host.SelfRSS, host.Switches} {
		if !r.Has(f) {
			t.Errorf("%s: want a value of this machine, got none", f)
		}
	}
	if v := r.Get(host.SelfRSS); v < 1 || v > 4096 {
		t.Errorf("want this test's memory, got %v MiB", v)
	}
}

// BenchmarkPoll is one poll of this machine with this test as server and
// client; it must stay under 2 ms.
func BenchmarkPoll(b *testing.B) {
	s, err := host.NewSampler(host.Options{ServerPID: os.Getpid(), ClientPID: os.Getpid(), ServerPort: 1})
	if err != nil {
		b.Fatal(err)
	}
	var r host.Reading
	b.ReportAllocs()
	for b.Loop() {
		s.Read(&r)
	}
}

func context3s(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 3500*time.Millisecond)
}

// TestSelfAlone: a run whose machines are elsewhere still knows its own cost.
func TestSelfAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context3s(t)
		defer cancel()
		g := sources.NewGroup()
		g.Start(ctx, host.Self{}, sources.Latest, false)
		g.Wait(0)
		got := make(map[model.SeriesID]int)
		for b := range g.Batches() {
			for _, e := range b.Events {
				if e.Kind == model.Level {
					got[e.Series]++
				}
			}
		}
		if len(got) != 2 || got[model.SelfRSS] != 4 || got[model.SelfCPU] != 3 {
			t.Errorf("want this process' memory 4 times and its CPU 3 times, nothing else, got %v", got)
		}
	})
}
