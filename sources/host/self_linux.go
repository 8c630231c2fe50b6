package host

// meter keeps what the share of a core is computed from.
type meter struct{ Sampler }

func newMeter() *meter {
	m := new(meter)
	m.o.defaults()
	return m
}
