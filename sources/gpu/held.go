package gpu

import (
	"fmt"

	"benchtop/model"
	"benchtop/sources"
)

// heldWords are the reasons of which any hold is worth a line, and whether the
// run counts no more with it. Power is not among them: a card touches its limit
// all the time.
var heldWords = map[Field]struct {
	words string
	bad   bool
}{
	HeldSWThermal: {"thermal slowdown by software", false},
	HeldHWThermal: {"thermal slowdown by hardware", true},
	HeldBrake:     {"the power brake", true},
}

// quietHeld is for how long a counter must have stood still for its growth to be
// news again.
const quietHeld = 60 * 1e9

// brief tells that a counter of time held began to grow, however short the hold
// was: none of the polls need have met it.
func (k *known) brief(r *Reading, f Field, v float64, ev model.Event, out *sources.Outlet) {
	w, ok := heldWords[f]
	if !ok || k.on&(1<<f) == 0 || v <= k.last[f] {
		return
	}
	if k.grew[f] == 0 || ev.At-k.grew[f] > quietHeld {
		ms := (v - k.last[f]) / 1e6
		k.note(r, "throttle", fmt.Sprintf("held back by %s: %.3g ms since the poll before", w.words, ms), w.bad, ev.At, ev.Seen, out)
	}
	k.grew[f] = ev.At
}

// belowStock reports a power limit below the one that the card is made with. Half
// a watt is rounding.
func (r *Reading) belowStock() bool {
	return r.Stock > 0 && r.fresh(PowerLimit) && r.value[PowerLimit] < r.Stock-0.5
}

// limited tells once that a card is limited below what it is made with.
func (k *known) limited(r *Reading, at, seen model.Instant, out *sources.Outlet) {
	switch {
	case r.belowStock() && !k.below:
		k.below = true
		k.note(r, "gpu_limit", fmt.Sprintf("is limited to %.0f W, below its default of %.0f W: not comparable with a stock card", r.value[PowerLimit], r.Stock), false, at, seen, out)
	case k.below && r.Stock > 0 && r.fresh(PowerLimit) && !r.belowStock():
		k.below = false
	}
}
