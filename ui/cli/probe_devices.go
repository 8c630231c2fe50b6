package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"benchtop/sources/gpu"
	"benchtop/sources/host"
)

// gpu polls for a while and prints a JSON line per GPU and poll, or else after
// the second, since shares need two, what can be read.
func (p *prober) gpu(ctx context.Context) error {
	r, name, err := gpu.Open(p.gpuChoice, gpu.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	ctx, stop := context.WithTimeout(ctx, p.for_)
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var rs []gpu.Reading
	said := ""
	for polls := 1; ; polls++ {
		rs, err = r.Read(rs[:0])
		if errors.Is(err, gpu.ErrDown) {
			return fmt.Errorf("gpu (%s): %w", name, err)
		}
		if err != nil && err.Error() != said { // it goes on: a slow driver, one GPU of several
			said = err.Error()
			fmt.Fprintln(p.io.Err, "benchtop: gpu: "+oneLine(said))
		}
		for i := range rs {
			if !p.json {
				break
			}
			if err := gpu.WriteReading(p.io.Out, &rs[i]); err != nil {
				return err
			}
		}
		if len(rs) > 0 && !p.json && polls >= 2 {
			p.tellGPUs(name, rs)
			return nil
		}
		select {
		case <-ctx.Done():
			if !p.json {
				p.tellGPUs(name, rs)
			}
			return nil
		case <-tick.C:
		}
	}
}

// tellGPUs says of each GPU what can be read and what can't.
func (p *prober) tellGPUs(backend string, rs []gpu.Reading) {
	for i := range rs {
		r := &rs[i]
		t := newTable(p.io.Out, "gpu "+r.Label())
		t.row("kind", "GPU readings by %s", backend)
		t.row("name", "%s %s", r.Name, r.UUID)
		if r.State != gpu.OK {
			t.row("state", "%s", r.State)
		}
		t.row("readings", "%d of %d kinds", r.Count(), gpu.NumFields)
		var lacks, fails []string
		for f := range gpu.Field(gpu.NumFields) {
			switch {
			case r.Err(f) != 0:
				fails = append(fails, f.Key()+" ("+r.Err(f).String()+")")
			case !r.Has(f):
				lacks = append(lacks, f.Key())
			}
		}
		if r.Instance != 0 {
			lacks = nil // clocks, heat and power are the whole GPU's
		}
		if len(fails) > 0 {
			t.row("failed", "%s", strings.Join(fails, ", "))
		}
		if len(lacks) > 0 {
			t.row("missing", "%s: not on this card, or not by %s", strings.Join(lacks, ", "), backend)
		}
		if r.Memory == gpu.MemoryShared {
			t.row("memory", "the machine's, shared with its CPU")
		}
	}
}

// host polls for a while and prints a JSON line per poll.
func (p *prober) host(ctx context.Context) error {
	s, err := host.NewSampler(host.Options{Find: host.NewFinder(host.FinderOptions{Port: p.serverPort}).Find})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, p.for_)
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var r host.Reading
	s.Read(&r) // shares need two readings
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		s.Read(&r)
		if _, err := p.io.Out.Write(append(r.AppendJSON(nil), '\n')); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		if !p.json {
			return nil
		}
	}
}
