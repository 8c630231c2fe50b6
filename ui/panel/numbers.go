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
	'8': {"█▀█", "█▀█", "█▄█"}, '9': {"█▀█", "▀▀█", "▄▄█"}, '.': {" ", " ", "▄"}, '–': {"   ", "▀▀▀", "   "},
	'k': {"█ ▄", "█▀▄", "█ █"}, 'M': {"█▄█", "█ █", "█ █"}, '-': {"   ", "▀▀▀", "   "}, '%': {"▀ ▄", " █ ", "▀ ▄"},
}

// big is a number as three rows; what has no glyph stands beside it as it is.
// Thousands are not parted: a comma this big reads as a point.
func big(s string) (rows [3]string, rest string) {
	for i, r := range s {
		if r == ',' {
			continue
		}
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
	name, short, value string
	role               themes.Role
}

// width is how many columns the number takes, with its long or its short name.
func (n bigNumber) width(long bool) int {
	rows, rest := big(n.value)
	name := n.short
	if long {
		name = n.name
	}
	digits := draw.Width(rows[0])
	if rest != "" {
		digits += 1 + draw.Width(rest)
	}
	return max(digits, draw.Width(name))
}

func (f Frame) bigNumbers() []bigNumber {
	s := f.View.Figures
	nan := math.NaN()
	good, server := nan, current(s, admitted(s))
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
		{"good requests/s", "good/s", draw.Small(good), themes.Text},
		{"p95 of good", "p95", draw.Latency(p95), themes.Text},
		{"client in flight", "in flight", draw.Count(math.Round(client)), themes.Client},
		{"server running", "running", draw.Count(math.Round(server)), themes.Server},
		{"lost of the run", "lost", lost, role},
	}
	if g, ok := f.worstGPU(); ok {
		clock := f.shown(f.held(f.Snap.GPU(model.GPUSMClock, g.Key), least), current(s, s.GPU(model.GPUSMClock, g.Key)))
		role := themes.GPU
		at := f.View.Newest
		if f.View.Cursor >= 0 {
			at = f.View.Cursor
		}
		if t := f.throttling(g.Key); at < len(t.reason) && (t.reason[at] >= 0 || f.View.Cursor < 0 && at > 0 && t.reason[at-1] >= 0) {
			role = themes.Bad
		}
		name := "GPU " + draw.Count(float64(g.Index)) + " MHz"
		out = append(out, bigNumber{name, name, draw.Grouped(clock / 1e6), role})
	}
	return out
}

func drawNumbers(f Frame) {
	w, h := f.Grid.Size()
	all := f.bigNumbers()
	if f.View.Full && f.poster(all) {
		return
	}
	const least, most = 4, 12 // columns between two numbers: digits this big run together
	total := func(long bool) int {
		sum := 0
		for _, n := range all {
			sum += n.width(long) + least
		}
		return sum
	}
	long := total(true) <= w
	for total(long) > w+least && len(all) > 1 { // the last ones have a chart too
		all = all[:len(all)-1]
	}
	space := min(least+(w-2+least-total(long))/max(len(all), 1), most)
	x := 1
	for _, n := range all {
		room := n.width(long)
		if x+room > w {
			return
		}
		name := n.short
		if long {
			name = n.name
		}
		f.Grid.WriteFit(x, 0, room, themes.Dim, name)
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
		f.Grid.WriteFit(end, min(3, h-1), x+room-end, n.role, rest)
		x += room + space
	}
}
