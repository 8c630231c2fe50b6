package panel

import (
	"math"
	"strings"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/layout"
)

var numbers = Panel{
	ID: "numbers", Title: "in big numbers", Key: "n",
	Want: layout.Want{Steps: []int{4}, Rank: 20, Spare: true},
	Head: numbersHead,
	Draw: drawNumbers,
}

// bigDigits are three rows a glyph, for a screen that many people look at.
var bigDigits = map[rune][3]string{
	'0': {"█▀█", "█ █", "█▄█"}, '1': {"▀█ ", " █ ", "▄█▄"}, '2': {"▀▀█", "█▀▀", "█▄▄"}, '3': {"▀▀█", " ▀█", "▄▄█"},
	'4': {"█ █", "▀▀█", "  █"}, '5': {"█▀▀", "▀▀█", "▄▄█"}, '6': {"█▀▀", "█▀█", "█▄█"}, '7': {"▀▀█", "  █", "  █"},
	'8': {"█▀█", "█▀█", "█▄█"}, '9': {"█▀█", "▀▀█", "▄▄█"}, '.': {" ", " ", "▄"}, ',': {" ", " ", "▄"}, '–': {"   ", "▀▀▀", "   "},
	'k': {"█ ▄", "█▀▄", "█ █"}, 'M': {"█▄█", "█ █", "█ █"}, '-': {"   ", "▀▀▀", "   "}, '%': {"▀ ▄", " █ ", "▀ ▄"},
}

// big is a number as three rows; what has no glyph stands beside it as it is.
func big(s string) (rows [3]string, rest string) {
	for i, r := range s {
		g, ok := bigDigits[r]
		if !ok {
			return rows, strings.TrimSpace(s[i:])
		}
		for k := range rows {
			if rows[k] != "" {
				rows[k] += " "
			}
			rows[k] += g[k]
		}
	}
	return rows, ""
}

func numbersHead(f Frame) Head {
	return Head{Title: "in big numbers", Notes: []Span{figuresSpan(f)}}
}

// bigNumber is one of the numbers shown big.
type bigNumber struct {
	name, value string
	role        themes.Role
}

func (f Frame) bigNumbers() []bigNumber {
	s := f.View.Figures
	nan := math.NaN()
	good, server := nan, last(s.Whole(model.ServerRunning))
	client := last(s.Whole(model.ClientInFlight))
	p95 := s.Latency.WindowOK.P95
	if sig := s.Signals; sig != nil {
		good, client = sig.Client.XOK, first(sig.Client.InFlightNow, client)
	}
	if at, looking := f.moment(); looking {
		sd := f.sides()
		good, client, server, p95 = f.rate(at, model.ClientOK), f.looked(sd.client), f.looked(sd.running), f.binQuantiles(at).P95
	}
	lost := draw.None
	role := themes.Good
	if t := &s.Client; t.Known && t.Done > 0 {
		lost = draw.Percent(float64(t.Failed()) / float64(t.Done))
		if t.Failed() > 0 {
			role = themes.Bad
		}
	}
	out := []bigNumber{
		{"good requests/s", draw.Small(good), themes.Text},
		{"p95 of good", draw.Latency(p95), themes.Text},
		{"client in flight", draw.Count(math.Round(client)), themes.Client},
		{"server running", draw.Count(math.Round(server)), themes.Server},
		{"lost of the run", lost, role},
	}
	if g, ok := f.worstGPU(); ok {
		clock := f.shown(f.held(f.Snap.GPU(model.GPUSMClock, g.Key), least), last(s.GPU(model.GPUSMClock, g.Key)))
		out = append(out, bigNumber{"MHz GPU " + draw.Count(float64(g.Index)), draw.Grouped(clock / 1e6), themes.GPU})
	}
	return out
}

func drawNumbers(f Frame) {
	w, h := f.Grid.Size()
	all := f.bigNumbers()
	each := max(w/max(len(all), 1), 17)
	for i, n := range all {
		x := 1 + i*each
		if x+each > w+1 {
			return
		}
		f.Grid.WriteFit(x, 0, each-1, themes.Dim, n.name)
		rows, rest := big(n.value)
		end := x
		for k, r := range rows {
			if k+1 < h {
				end = f.Grid.Write(x, k+1, n.role, r)
			}
		}
		if end > x {
			end++
		}
		f.Grid.WriteFit(end, min(3, h-1), x+each-1-end, n.role, rest)
	}
}
