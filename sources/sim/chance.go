package sim

import (
	"math"
	"math/rand/v2"
)

// chance is one stream of random numbers. Each part of the model has its own,
// so that a change in one part does not move the others.
type chance struct{ *rand.Rand }

// Streams, the second half of a generator's seed.
const (
	streamClient = iota + 1
	streamPath
	streamServer
	streamGPU
	streamHost
	streamLengths
)

func newChance(seed, stream uint64) chance {
	return chance{rand.New(rand.NewPCG(seed, stream))}
}

// between is uniform in [lo, hi).
func (c chance) between(lo, hi float64) float64 { return lo + (hi-lo)*c.Float64() }

// around is x plus or minus up to the share.
func (c chance) around(x, share float64) float64 { return x * c.between(1-share, 1+share) }

// noise is a factor of mean 1; the floor keeps a wide one positive.
func (c chance) noise(cv float64) float64 {
	if cv == 0 {
		return 1
	}
	return max(0.2, 1+cv*c.NormFloat64())
}

// lognormal has the given mean and coefficient of variation.
func (c chance) lognormal(mean, cv float64) float64 {
	if cv == 0 {
		return mean
	}
	v := math.Log(1 + cv*cv)
	return mean * math.Exp(math.Sqrt(v)*c.NormFloat64()-v/2)
}
