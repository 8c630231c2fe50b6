package panel

import (
	"math"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var host = Panel{
	ID: "host", Title: "host", Key: "0", Timed: true,
	Want: layout.Want{Side: true, Far: true, Steps: []int{10, 6}, Rank: 9, Spare: true},
	Head: hostHead,
	Draw: drawHost,
}

func hostHead(f Frame) Head {
	h := Head{Title: "host"}
	if sig := f.View.Figures.Signals; sig == nil || !sig.Host.Known {
		h.Notes = []Span{{"not observed", themes.Dim, false}}
	} else if at, looking := f.moment(); looking {
		h.Notes = []Span{{"at " + f.ago(at), themes.Text, true}}
	} else {
		h.Notes = []Span{{"last 20 s", themes.Dim, false}}
	}
	return h
}

func drawHost(f Frame) {
	w, h := f.Grid.Size()
	sig := f.View.Figures.Signals
	if sig == nil || !sig.Host.Known {
		f.Grid.WriteFit(1, 0, w-2, themes.Dim, "no host figures: client CPU and sockets")
		f.Grid.WriteFit(1, 1, w-2, themes.Dim, "cannot be judged")
		return
	}
	figures := sig.Host
	if f.View.Cursor >= 0 {
		figures = f.hostThen()
	}
	rows := append(hostRows(&figures), f.hostMore()...)
	if f.View.Full {
		f.hostStrips(len(rows) + 1)
	}
	for y, r := range rows {
		if y >= h {
			return
		}
		f.Grid.Write(1, y, themes.Dim, r.name)
		spans(f.Grid, 10, y, w-11, r.vals)
	}
}

// hostThen is the machine as it was at the cursor.
func (f Frame) hostThen() model.HostSignals {
	at := func(id model.SeriesID) float64 { return f.gaugeAt(f.Snap.Whole(id)) }
	grown := func(id model.SeriesID) float64 {
		if t := f.Snap.Whole(id); t != nil {
			return f.looked(f.spread(t))
		}
		return math.NaN()
	}
	return model.HostSignals{
		Known: true, ClientThread: at(model.HostClientThread), ServerThread: at(model.HostServerThread),
		Established: at(model.HostEstablished), Connecting: at(model.HostConnecting),
		NewConns: grown(model.HostConnsOpened) / f.View.Step.Seconds(), OtherCPU: at(model.HostOtherCPU), Steal: at(model.HostSteal),
		RetransShare: grown(model.HostSegsRetrans) / grown(model.HostSegsOut),
		QuotaShare:   grown(model.HostQuotaThrottled) / grown(model.HostQuotaPeriods),
		ClientQuota:  grown(model.HostClientQuotaThrottled) / grown(model.HostClientQuotaPeriods),
		Idle:         at(model.HostIdle),
		PSIMemory:    at(model.HostPSIMemory), OOMEver: math.NaN(),
	}
}

// hostMore are rows of the machine for a panel that has room for more than the
// six: what nothing was read of is left out.
func (f Frame) hostMore() []figure {
	s := f.View.Figures
	now := func(id model.SeriesID) float64 {
		t := s.Whole(id)
		if f.View.Cursor >= 0 {
			return f.gaugeAt(f.Snap.Whole(id))
		}
		return last(t)
	}
	var rows []figure
	row := func(name string, rank int, vals ...Span) {
		var told []Span
		for _, v := range vals {
			if v.Text != "" {
				told = append(told, v)
			}
		}
		if len(told) > 0 {
			rows = append(rows, figure{name, told, rank})
		}
	}
	say := func(id model.SeriesID, words func(float64) string, name string) Span {
		v := now(id)
		if math.IsNaN(v) {
			return Span{}
		}
		return Span{name + words(v), themes.Text, false}
	}
	row("memory", 5, say(model.HostClientRSS, draw.Bytes, "client "), say(model.HostServerRSS, draw.Bytes, "server "))
	row("files", 6, say(model.HostClientFiles, draw.Count, "client "), say(model.HostServerFiles, draw.Count, "server "))
	row("cores", 5, say(model.HostBusiestCore, draw.Percent, "busiest "), say(model.HostCPUClock, draw.Megahertz, ""), say(model.HostCPUPower, draw.Watts, ""))
	rate := func(v float64) string { return draw.Bytes(v) + "/s" }
	row("traffic", 6, say(model.HostNetRx, rate, "in "), say(model.HostNetTx, rate, "out "), say(model.HostDiskRead, rate, "disk "))
	return rows
}

// hostRows words the machine's figures, in the order in which interference is
// looked for.
func hostRows(s *model.HostSignals) []figure {
	thread := func(v float64) Span {
		role := themes.Text
		if v >= 0.9 {
			role = themes.Warn
		}
		return Span{draw.Percent(v) + " of a core", role, false}
	}
	ratio := func(name string, v, limit float64) Span {
		role := themes.Text
		if v >= limit {
			role = themes.Warn
		}
		return Span{name + " " + draw.Percent(v), role, false}
	}
	rows := []figure{
		{"client", []Span{thread(s.ClientThread), {"busiest thread", themes.Dim, false}}, 1},
		{"server", []Span{thread(s.ServerThread), {"busiest thread", themes.Dim, false}}, 2},
		{"sockets", []Span{{draw.Count(s.Established) + " open", themes.Text, false}, {number(s.NewConns, "/s new"), themes.Dim, false}}, 1},
		{"machine", []Span{ratio("others", s.OtherCPU, 0.25), ratio("stolen", s.Steal, 0.05)}, 3},
		{"network", []Span{ratio("resent", s.RetransShare, 0.01)}, 4},
		{"limits", []Span{ratio("CPU quota hit", s.QuotaShare, 0.1), ratio("memory stall", s.PSIMemory, 0.05)}, 4},
	}
	if !math.IsNaN(s.ClientQuota) {
		rows[5].vals = append(rows[5].vals, ratio("client's quota hit", s.ClientQuota, 0.1))
	}
	if s.Idle > 0 {
		rows[2].vals = append(rows[2].vals, Span{draw.Count(s.Idle) + " idle", themes.Dim, false})
	}
	if s.Connecting > 0 {
		rows[2].vals = append(rows[2].vals, Span{draw.Count(s.Connecting) + " connecting", themes.Warn, false})
	}
	if !math.IsNaN(s.OOMEver) && s.OOMEver > 0 {
		rows[5].vals = append([]Span{{draw.Count(s.OOMEver) + " OOM kills", themes.Bad, true}}, rows[5].vals...)
	}
	return rows
}
