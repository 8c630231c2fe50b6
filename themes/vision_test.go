package themes_test

import (
	"math"
	"slices"
	"testing"

	"benchtop/themes"
)

// visions are the three kinds of colour blindness at full strength, as
// matrices over linear red, green and blue (Machado, Oliveira and Fernandes
// 2009).
var visions = map[string][3][3]float64{
	"no red":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"no green": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"no blue":  {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a colour in CIE L*a*b*, as seen with one of the visions.
func lab(c [3]uint8, m [3][3]float64) [3]float64 {
	var lin, seen [3]float64
	for i, v := range c {
		x := float64(v) / 255
		lin[i] = math.Pow((x+0.055)/1.055, 2.4)
		if x <= 0.04045 {
			lin[i] = x / 12.92
		}
	}
	for i, row := range m {
		for k, w := range row {
			seen[i] += w * lin[k]
		}
		seen[i] = min(max(seen[i], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]) / 0.95047)
	y := f(0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2])
	z := f((0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// The default palettes and the one made for it stay told apart with any colour
// vision: what lies side by side on a chart, and good from bad.
func TestColourVision(t *testing.T) {
	pairs := [][2]themes.Role{
		{themes.Client, themes.ServerFill},
		{themes.Client, themes.WaitingFill},
		{themes.Client, themes.Gap},
		{themes.Client, themes.Background},
		{themes.ServerFill, themes.WaitingFill},
		{themes.ServerFill, themes.Gap},
		{themes.ServerFill, themes.Background},
		{themes.WaitingFill, themes.Gap},
		{themes.WaitingFill, themes.Background},
		{themes.Gap, themes.Background},
		{themes.Good, themes.Warn},
		{themes.Good, themes.Bad},
		{themes.Warn, themes.Bad},
		{themes.GPU, themes.Bad},
		{themes.Batch, themes.WarnFill},
		{themes.Queue, themes.WarnFill},
		{themes.ServerFill, themes.Bad},
	}
	const least = 15 // two colours side by side are told apart with ease
	for _, th := range builtin(t) {
		if !slices.Contains([]string{"dark", "light", "contrast", "safe"}, th.Name) {
			continue
		}
		for name, m := range visions {
			for _, p := range pairs {
				a, b := lab(th.Colour(p[0], themes.TrueColor), m), lab(th.Colour(p[1], themes.TrueColor), m)
				if d := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2])); d < least {
					t.Errorf("%s seen with %s: %s and %s are %.0f apart, want at least %d", th.Name, name, p[0], p[1], d, least)
				}
			}
		}
	}
}
