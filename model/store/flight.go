package store

import "benchtop/model"

// The flight record counts begins and ends in steps of 10 ms over the last two
// minutes, so that the client's in-flight can be read at the very instant of a
// server's sample.
const (
	flightStep  = 10_000_000 // ns
	flightLen   = 12_000
	flightBlock = 100
)

type flight struct {
	begun, ended [flightLen]int32
	newest       int64 // step number of the newest slot in use
	totalBegun   int64
	totalEnded   int64
	base         int64 // number of the first step that sweep has summed up

	// Up to and with each step, oldest first; rebuilt by sweep.
	sumBegun, sumEnded []int64
	area               []int64 // of in-flight, in steps
	peaks              []int64 // the highest in-flight of each flightBlock steps
}

// slot makes room up to the step that holds at; -1 if it is too old.
func (f *flight) slot(at model.Instant) int64 {
	n := int64(at) / flightStep
	if f.newest == 0 {
		f.newest = n
	}
	if n > f.newest {
		if n-f.newest >= flightLen {
			clear(f.begun[:])
			clear(f.ended[:])
		} else {
			for m := f.newest + 1; m <= n; m++ {
				f.begun[m%flightLen], f.ended[m%flightLen] = 0, 0
			}
		}
		f.newest = n
	}
	if n <= f.newest-flightLen || n < 0 {
		return -1
	}
	return n % flightLen
}

func (f *flight) begin(at model.Instant, d int) {
	if i := f.slot(at); i >= 0 {
		f.begun[i] += int32(d)
	}
	f.totalBegun += int64(d)
}

func (f *flight) end(at model.Instant) {
	if i := f.slot(at); i >= 0 {
		f.ended[i]++
	}
	f.totalEnded++
}

// sweep prepares the running sums that at reads. Call it once a second.
func (f *flight) sweep() {
	if f.sumBegun == nil {
		f.sumBegun, f.sumEnded = make([]int64, flightLen), make([]int64, flightLen)
		f.area, f.peaks = make([]int64, flightLen), make([]int64, flightLen/flightBlock)
	}
	b, e := f.totalBegun, f.totalEnded
	f.base = f.newest - flightLen + 1
	for i := flightLen - 1; i >= 0; i-- {
		n := f.base + int64(i)
		f.sumBegun[i], f.sumEnded[i] = b, e
		if n >= 0 {
			b -= int64(f.begun[n%flightLen])
			e -= int64(f.ended[n%flightLen])
		}
	}
	clear(f.peaks)
	sum := int64(0)
	for i := range f.area {
		v := f.sumBegun[i] - f.sumEnded[i]
		sum += v
		f.area[i] = sum
		f.peaks[i/flightBlock] = max(f.peaks[i/flightBlock], v)
	}
}

// at is how many requests had begun by t and not ended by t+grace; false
// outside the two minutes. A grace of half an execution undoes that a line per
// batch is written while the batch's replies are still leaving.
func (f *flight) at(t, grace model.Instant) (float64, bool) {
	if f.sumBegun == nil {
		return 0, false
	}
	i := int64(t)/flightStep - f.base
	j := int64(t+grace)/flightStep - f.base
	if i < 0 {
		return 0, false
	}
	i, j = min(i, flightLen-1), min(j, flightLen-1)
	return max(0, float64(f.sumBegun[i]-f.sumEnded[j])), true
}

// over is the mean and the peak of in-flight in [from, to).
func (f *flight) over(from, to model.Instant) (mean, peak float64, ok bool) {
	lo, hi := int64(from)/flightStep-f.base, int64(to)/flightStep-f.base
	lo, hi = max(lo, 0), min(hi, flightLen)
	if f.sumBegun == nil || lo >= hi {
		return 0, 0, false
	}
	sum, most := f.area[hi-1], int64(0)
	if lo > 0 {
		sum -= f.area[lo-1]
	}
	for i := lo; i < hi; {
		if i%flightBlock == 0 && i+flightBlock <= hi {
			most = max(most, f.peaks[i/flightBlock])
			i += flightBlock
			continue
		}
		most = max(most, f.sumBegun[i]-f.sumEnded[i])
		i++
	}
	return float64(sum) / float64(hi-lo), float64(most), true
}
