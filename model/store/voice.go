package store

import (
	"math"

	"benchtop/model"
)

// voice is the machine whose word on one host series is taken for the run's:
// client and server are often two machines, and each tells all that it has.
type voice struct {
	source model.SourceID
	rank   int
	at     model.Instant // when it last spoke
}

// voiceLost is how long a better placed machine may be silent before another
// one's word is taken.
const voiceLost = 10_000_000_000

// rank says how well placed a machine is to tell a series: what is of the
// client or of the connections, as the client has them, the client's machine;
// all else, which is of what the server runs on, the server's. What benchtop
// costs is told by the process on this machine, not by one that was asked for
// readings elsewhere.
func rank(id model.SeriesID, info *model.SourceInfo) int {
	const best, middle, least = 2, 1, 0
	side := "server"
	switch id {
	case model.SelfCPU, model.SelfRSS:
		if info.Format == "procfs" {
			return best
		}
		return least
	case model.HostClientThread, model.HostClientCPU, model.HostClientRSS, model.HostClientFiles,
		model.HostClientQuotaPeriods, model.HostClientQuotaThrottled,
		model.HostEstablished, model.HostConnecting, model.HostConnsOpened, model.HostIdle, model.HostClosing:
		side = "client"
	}
	switch info.Label {
	case side:
		return best
	case "":
		return middle
	}
	return least
}

// speaks reports whether a host event is the run's word on its series. One that
// takes over starts anew: two machines' totals have nothing to do with each
// other.
func (s *Store) speaks(e *model.Event) bool {
	v, r := &s.voices[e.Series], rank(e.Series, &s.source(e.Source).info)
	if v.at != 0 && v.source != e.Source {
		if r <= v.rank && e.Seen-v.at < voiceLost {
			return false
		}
		s.wholeTrack(e.Series).last = math.NaN()
	}
	*v = voice{e.Source, r, max(v.at, e.Seen)}
	return true
}
