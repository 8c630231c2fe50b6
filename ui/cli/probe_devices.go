package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"benchtop/sources/gpu"
	"benchtop/sources/host"
)

// gpu polls for a while and prints a JSON line per GPU and poll.
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
	for {
		rs, err = r.Read(rs[:0])
		if errors.Is(err, gpu.ErrDown) {
			return fmt.Errorf("gpu (%s): %w", name, err)
		}
		if err != nil && err.Error() != said { // it goes on: a slow driver, one GPU of several
			said = err.Error()
			fmt.Fprintln(p.io.Err, "benchtop: gpu: "+oneLine(said))
		}
		for i := range rs {
			if p.json {
				if err := gpu.WriteReading(p.io.Out, &rs[i]); err != nil {
					return err
				}
			} else {
				t := newTable(p.io.Out, fmt.Sprintf("gpu %d", rs[i].Index))
				t.row("kind", "GPU readings by %s", name)
				t.row("name", "%s %s", rs[i].Name, rs[i].UUID)
				t.row("readings", "%d of %d kinds", rs[i].Count(), gpu.NumFields)
			}
		}
		if len(rs) > 0 && !p.json {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
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
