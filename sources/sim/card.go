package sim

import "math"

// card is one GPU: busy share, clock, power, temperature, and what it says of
// them. It moves in ticks of 0.1 s.
type card struct {
	w     *world
	index int
	dice  chance

	// Work, as the engine books it.
	before   float64 // busy seconds of finished spans
	from, to float64 // the present span
	counted  float64 // busy seconds up to the last tick
	batch    int

	busy    float64 // share, smoothed over about 0.7 s
	util    float64 // share, over about 1 s
	clock   float64 // MHz
	thermal float64 // MHz the software thermal limit allows
	hot     bool    // the hardware thermal slowdown holds
	power   float64 // watts
	mean    float64 // watts, over about 1 s
	temp    float64
	energy  float64 // joules
	reasons uint64
	held    struct{ powerCap, swThermal, hwThermal, brake uint64 } // ns
}

// Bits of the clocks event reasons mask, as NVML numbers them.
const (
	bitIdle       = 0x1
	bitPowerCap   = 0x4
	bitHWSlowdown = 0x8
	bitSWThermal  = 0x20
	bitHWThermal  = 0x40
	bitBrake      = 0x80
)

const (
	powerExponent = 2.2
	busySmooth    = 0.7
	utilSmooth    = 1.0
	clockStep     = 15  // MHz
	idleMHz       = 345 // what an idle card shows
	swFloor       = 0.45
	swRecoverC    = 1.5
	hwRecoverC    = 6
	driftTakes    = 10.0 // seconds
)

func newCard(w *world, index int, dice chance) *card {
	p := &w.p
	return &card{
		w: w, index: index, dice: dice,
		clock: p.ClockMaxMHz, thermal: p.ClockMaxMHz, power: p.IdleW, mean: p.IdleW,
		temp: p.InletC + p.ThermalR*p.IdleW,
	}
}

// run books a span of work; the one before has ended.
func (c *card) run(from, to float64, batch int) {
	c.before += c.to - c.from
	c.from, c.to, c.batch = from, to, batch
}

// stop cuts the present span short: its process was killed.
func (c *card) stop() {
	c.to = max(c.from, min(c.to, c.w.now))
	c.batch = 0
}

func (c *card) busySeconds(t float64) float64 {
	return c.before + max(0, min(t, c.to)-c.from)
}

func (c *card) tick() {
	done := c.busySeconds(c.w.now)
	share := min(1, (done-c.counted)/cardTick)
	c.counted = done
	c.busy += (share - c.busy) * (1 - math.Exp(-cardTick/busySmooth))
	c.util += (share - c.util) * (1 - math.Exp(-cardTick/utilSmooth))

	load := c.load()
	c.clock, c.reasons = c.limit(load)
	c.hold()

	p := &c.w.p
	c.power = p.IdleW + load*math.Pow(c.clock/p.ClockMaxMHz, powerExponent)
	c.mean += (c.power - c.mean) * (1 - math.Exp(-cardTick/utilSmooth))
	c.energy += c.power * cardTick
	c.temp += (c.inlet() + p.ThermalR*c.power - c.temp) / p.ThermalTau * cardTick
}

func (c *card) inlet() float64 {
	p := &c.w.p
	if p.HotBy != 0 && c.w.now >= p.HotFrom {
		return p.InletC + p.HotBy
	}
	return p.InletC
}

// activity is the share of SMs at work, against what a full batch gives.
func (c *card) activity() float64 {
	return c.busy * (0.25 + 0.75*min(1, float64(c.batch)/float64(c.w.p.MaxBatch)))
}

// load is the power above idle that the work would draw at the full clock.
func (c *card) load() float64 {
	return c.w.p.DynamicW * c.busy * (0.55 + 0.45*c.activity())
}

// limit is the lowest of all the limits on the clock, and the reasons for it.
func (c *card) limit(load float64) (mhz float64, reasons uint64) {
	p := &c.w.p
	top := p.ClockMaxMHz
	powerCap := top
	if load > p.LimitW-p.IdleW {
		powerCap = top * math.Pow((p.LimitW-p.IdleW)/load, 1/powerExponent)
	}
	switch {
	case c.temp > p.SWSlowdownC:
		c.thermal = max(swFloor*top, c.thermal-c.dice.between(15, 45))
	case c.temp < p.SWSlowdownC-swRecoverC:
		c.thermal = min(top, c.thermal+5)
	}
	hw := top
	if c.hot = c.temp >= p.HWSlowdownC || c.hot && c.temp > p.HWSlowdownC-hwRecoverC; c.hot {
		hw = top / 2
	}
	brake := top
	if c.w.now >= p.BrakeFrom && c.w.now < p.BrakeFrom+p.BrakeLen {
		brake = top / 2
	}
	drift := top
	if p.DriftFrac > 0 && c.w.now > p.DriftFrom {
		drift = top * (1 - p.DriftFrac*min(1, (c.w.now-p.DriftFrom)/driftTakes))
	}
	mhz = min(powerCap, c.thermal, hw, brake, drift)
	if c.busy < 0.005 {
		return mhz, bitIdle
	}
	for _, l := range [...]struct {
		mhz float64
		bit uint64
	}{{powerCap, bitPowerCap}, {c.thermal, bitSWThermal}, {hw, bitHWThermal | bitHWSlowdown}, {brake, bitBrake | bitHWSlowdown}} {
		if l.mhz < top && l.mhz <= mhz+clockStep { // it holds the clock down, alone or with others
			reasons |= l.bit
		}
	}
	return mhz, reasons
}

// hold lets the counters of time run for the reasons that are on.
func (c *card) hold() {
	const tick = uint64(cardTick * nanosPerSec)
	for _, h := range [...]struct {
		bit uint64
		ns  *uint64
	}{
		{bitPowerCap, &c.held.powerCap},
		{bitSWThermal, &c.held.swThermal},
		{bitHWThermal, &c.held.hwThermal},
		{bitBrake, &c.held.brake},
	} {
		if c.reasons&h.bit != 0 {
			*h.ns += tick
		}
	}
}

// cardSample is one poll of a GPU in the units of its driver.
type cardSample struct {
	Index                                int
	SMClockMHz, MaxClockMHz              float64
	TempC, SlowdownC, MarginC            float64
	PowerW, InstantW, LimitW, EnergyJ    float64
	UtilPct                              float64
	MemUsedMiB, MemTotalMiB              float64
	Reasons                              uint64
	PowerCapNS, SWThermalNS              uint64
	HWThermalNS, BrakeNS                 uint64
	SMActivity, TensorActivity, DRAMBusy float64
	SMOccupancy                          float64 // 0: not measured
}

// The card's memory, in MiB: weights and the KV cache, taken at start-up.
const (
	memTotalMiB = 81559
	memUsedMiB  = 71820
	memBareMiB  = 540
)

func (c *card) sample() {
	p := &c.w.p
	mhz := c.clock
	if c.reasons&bitIdle != 0 {
		mhz = min(mhz, idleMHz)
	}
	mhz = min(p.ClockMaxMHz, clockStep*math.Round((mhz+6*c.dice.NormFloat64())/clockStep))
	used := float64(memUsedMiB)
	if c.w.server.down {
		used = memBareMiB
	}
	act := p.SMActivityFull * c.activity()
	c.w.tell.gpu(c.w.instant(), &cardSample{
		Index: c.index, SMClockMHz: mhz, MaxClockMHz: p.ClockMaxMHz,
		TempC: math.Round(c.temp), SlowdownC: p.HWSlowdownC,
		MarginC: math.Round(min(p.SWSlowdownC, p.HWSlowdownC)) - math.Round(c.temp),
		PowerW:  c.mean, InstantW: c.power, LimitW: p.LimitW, EnergyJ: c.energy,
		UtilPct: math.Round(100 * c.util), MemUsedMiB: used, MemTotalMiB: memTotalMiB,
		Reasons: c.reasons, PowerCapNS: c.held.powerCap, SWThermalNS: c.held.swThermal,
		HWThermalNS: c.held.hwThermal, BrakeNS: c.held.brake,
		SMActivity: act, TensorActivity: 0.4 * act, DRAMBusy: 0.8 * c.busy, SMOccupancy: p.SMOccupancy * c.busy,
	})
}
