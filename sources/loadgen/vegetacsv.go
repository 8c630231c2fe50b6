package loadgen

import (
	"bytes"

	"benchtop/model"
)

// vegetaCSV is `vegeta encode --to csv`: twelve columns without a header.
var vegetaCSV = Format{
	Name: "vegeta_csv", Versions: "12.13.0",
	Sniff: func(lines [][]byte) float64 {
		return share(lines, func(l []byte) bool {
			var c columns
			f := c.split(l)
			if len(f) != 12 || len(f[0]) != 19 {
				return false
			}
			for _, i := range []int{0, 1, 2, 3, 4, 8} {
				if _, ok := decimal(f[i], 0); !ok {
					return false
				}
			}
			return true
		})
	},
	New: func(*Options) parser { return &vegetaRows{} },
}

type vegetaRows struct {
	unheld
	columns
	rec  Record
	told bool
}

func (p *vegetaRows) parse(line []byte, yield func(*Record)) error {
	f := p.split(line)
	if len(f) < 9 {
		return badLine("fewer columns than a vegeta row")
	}
	start, ok1 := decimal(f[0], 0)
	code, ok2 := integer(f[1])
	took, ok3 := decimal(f[2], 0)
	seq, ok4 := decimal(f[8], 0)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return badLine("not a vegeta row")
	}
	r := &p.rec
	r.clear(KindEnd)
	r.HasSeq, r.Seq = true, uint64(seq)
	r.Start, r.At, r.Latency = start, start+took, float64(took)/1e9
	r.Outcome = vegetaOutcome(code, f[5])
	if code > 0 {
		r.Status = int(code)
	}
	if !p.told {
		p.told = true
		facts := newFacts()
		facts.Tool, facts.Name = "vegeta", string(f[7])
		if len(f) > 10 {
			facts.Target = string(bytes.TrimSpace(f[10]))
		}
		yield(impliedRun(start, facts))
	}
	yield(r)
	return nil
}

// impliedRun is a record of what the first request tells of its run.
func impliedRun(at model.Instant, f *RunFacts) *Record {
	var r Record
	r.clear(KindRun)
	r.At, r.Run, r.Implied = at, f, true
	return &r
}
