package ui

import "time"

// DefaultFPS is how often a second the charts move where nobody asks for more:
// it looks alive and costs half of what ten times would. Keys are answered at
// once all the same.
const DefaultFPS = 5

// framesASecond bounds how often the run is looked at.
const framesASecond = 10

// sendsASecond is how often what was drawn is sent: a key and the very first
// frame wait for it, 25 ms at most. To look and find nothing costs next to
// nothing.
const sendsASecond = 40

// Step is how far the run moves on between two pictures of the charts when
// there are fps of them a second, as of Options: snapshots need not come more
// often.
func Step(fps int) time.Duration {
	if fps == 0 {
		fps = DefaultFPS
	}
	return time.Second / time.Duration(min(max(fps, 1), framesASecond))
}

// slowest is the longest that charts stand still, however slowly they fill.
const slowest = time.Second / 2

// pace is how far the run must have moved on for another picture: a column that
// takes seconds to fill need not be drawn more than a few times meanwhile. Who
// asks for more pictures than there are by default gets them.
func (s *screen) pace() time.Duration {
	if s.step < Step(DefaultFPS) {
		return s.step
	}
	return max(s.step, min(s.axis.Step/4, slowest))
}
