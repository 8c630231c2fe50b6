package serverlog

import (
	"math"
	"time"

	"benchtop/model"
)

// stamp is a point in time as a line writes it: maybe without year, maybe
// without zone.
type stamp struct {
	year, month, day  int32
	hour, minute, sec int32
	nano              int32
	offset            int32 // seconds east of UTC, if zoned
	zoned             bool
	epoch             model.Instant // set instead of all others by a number since 1970
}

// dayed reports whether the stamp names a day, with or without its year.
func (s *stamp) dayed() bool { return s.epoch != 0 || s.month != 0 }

// full reports whether the stamp names its year as well.
func (s *stamp) full() bool { return s.epoch != 0 || s.year != 0 }

// instant places the stamp, taking year and zone from the reference where it
// has none of its own. 0 if it names no day, or no year and none is given.
func (s *stamp) instant(year int, zone *time.Location) model.Instant {
	if s.epoch != 0 || s.month == 0 {
		return s.epoch
	}
	y := int(s.year)
	if y == 0 {
		y = year
	}
	if y == 0 {
		return 0
	}
	if s.zoned || zone == nil || zone == time.UTC {
		days := civilDays(y, int(s.month), int(s.day))
		secs := days*86400 + int64(s.hour)*3600 + int64(s.minute)*60 + int64(s.sec) - int64(s.offset)
		return model.Instant(secs*1e9 + int64(s.nano))
	}
	return model.InstantOf(time.Date(y, time.Month(s.month), int(s.day), int(s.hour), int(s.minute), int(s.sec), int(s.nano), zone))
}

// civilDays counts the days from 1970-01-01 in the Gregorian calendar.
func civilDays(y, m, d int) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return int64(era)*146097 + int64(doe) - 719468
}

// two reads exactly two digits.
func two(b []byte) (int32, bool) {
	if len(b) < 2 || !isDigit(b[0]) || !isDigit(b[1]) {
		return 0, false
	}
	return int32(b[0]-'0')*10 + int32(b[1]-'0'), true
}

// parseStamp reads a stamp in any of the known forms at the start of b:
//
//	2026-06-03 09:02:00,123  2026-06-03T09:02:00.123Z  2026/06/03 - 09:02:00
//	06/10/2026-09:56:44  06-10-2026 10:00:00.25  06-03 09:02:00  Jun  3 09:02:00
//
// n is 0 if there is none.
func parseStamp(b []byte) (s stamp, n int) {
	if len(b) < 14 {
		return s, 0
	}
	if !isDigit(b[0]) {
		return parseMonthStamp(b)
	}
	n = s.date(b)
	if n == 0 {
		return parseMonthStamp(b)
	}
	gap := n
	n = skipDateGap(b, n)
	k := s.clock(b[n:])
	if k == 0 || n == gap || s.month < 1 || s.month > 12 || s.day < 1 || s.day > 31 {
		return stamp{}, 0
	}
	n += k
	return s, n + s.zone(b[n:])
}

// date reads the day in one of the numeric forms.
func (s *stamp) date(b []byte) int {
	y1, ok := two(b)
	if !ok {
		return 0
	}
	sep := b[2]
	if sep != '-' && sep != '/' { // year first
		y2, ok := two(b[2:])
		if !ok || b[4] != '-' && b[4] != '/' || b[7] != b[4] {
			return 0
		}
		m, ok1 := two(b[5:])
		d, ok2 := two(b[8:])
		if !ok1 || !ok2 || y1 == 0 { // year 0 would be taken for none
			return 0
		}
		s.year, s.month, s.day = y1*100+y2, m, d
		return 10
	}
	d, ok := two(b[3:])
	if !ok {
		return 0
	}
	s.month, s.day = y1, d
	if b[5] != sep {
		if sep == '/' {
			return 0
		}
		return 5
	}
	y2, ok1 := two(b[6:])
	y3, ok2 := two(b[8:])
	if !ok1 || !ok2 || y2 == 0 {
		return 0
	}
	s.year = y2*100 + y3
	return 10
}

// skipDateGap steps over what stands between day and time of day.
func skipDateGap(b []byte, n int) int {
	if n >= len(b) {
		return n
	}
	switch b[n] {
	case 'T', '-', '_':
		return n + 1
	case ' ':
		if n+2 < len(b) && b[n+1] == '-' && b[n+2] == ' ' {
			return n + 3
		}
		return n + 1
	}
	return n
}

// clock reads hh:mm:ss with an optional fraction.
func (s *stamp) clock(b []byte) int {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return 0
	}
	h, ok1 := two(b)
	m, ok2 := two(b[3:])
	sec, ok3 := two(b[6:])
	if !ok1 || !ok2 || !ok3 || h > 24 || m > 59 || sec > 60 {
		return 0
	}
	s.hour, s.minute, s.sec = h, m, sec
	n := 8
	if n+1 < len(b) && (b[n] == '.' || b[n] == ',') && isDigit(b[n+1]) {
		n++
		scale := int32(100_000_000)
		for n < len(b) && isDigit(b[n]) {
			s.nano += int32(b[n]-'0') * scale
			scale /= 10
			n++
		}
	}
	if n < len(b) && (isDigit(b[n]) || b[n] == ':') {
		return 0
	}
	return n
}

// zone reads Z, an offset or " UTC" behind the time of day.
func (s *stamp) zone(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case 'Z', 'z':
		s.zoned = true
		return 1
	case '+', '-':
		h, ok := two(b[1:])
		if !ok {
			return 0
		}
		n, m := 3, int32(0)
		if n < len(b) && b[n] == ':' {
			n++
		}
		if v, ok := two(b[n:]); ok {
			m, n = v, n+2
		} else if n == 4 {
			n--
		}
		s.zoned, s.offset = true, h*3600+m*60
		if b[0] == '-' {
			s.offset = -s.offset
		}
		return n
	case ' ':
		if len(b) >= 4 && b[1] == 'U' && b[2] == 'T' && b[3] == 'C' {
			s.zoned = true
			return 4
		}
	}
	return 0
}

// epochStamp places a number since 1970 in seconds, or in a finer unit where
// its size says so.
func epochStamp(v float64) stamp {
	switch {
	case v >= 1e17: // nanoseconds
		v /= 1e9
	case v >= 1e14:
		v /= 1e6
	case v >= 1e11:
		v /= 1e3
	}
	if !(v >= 1e8 && v < 9e9) {
		return stamp{}
	}
	sec := math.Floor(v)
	return stamp{epoch: model.Instant(sec)*1e9 + model.Instant(math.Round((v-sec)*1e6)*1e3)}
}

// sinceStart reads M.SS.mmm.uuu, a clock that starts with the server; minutes
// are unbounded.
func sinceStart(b []byte) (d time.Duration, n int) {
	m, n := integer(b)
	if n == 0 || n > 9 || n+11 > len(b) || b[n] != '.' || b[n+3] != '.' || b[n+7] != '.' {
		return 0, 0
	}
	s, k1 := integer(b[n+1 : n+3])
	ms, k2 := integer(b[n+4 : n+7])
	us, k3 := integer(b[n+8 : n+11])
	if k1 != 2 || k2 != 3 || k3 != 3 || s > 59 {
		return 0, 0
	}
	d = time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(ms)*time.Millisecond + time.Duration(us)*time.Microsecond
	return d, n + 11
}
