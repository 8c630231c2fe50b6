package main

import (
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"time"

	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
)

// film is one animated picture: a scenario seen from one second to another.
type film struct {
	name        string
	scenario    string
	from, to    time.Duration
	every       time.Duration // of the run, a frame
	frame, last time.Duration // on show: a frame, and the last one
	w, h        int
	theme       string
}

// films lists the README's animated pictures.
var films = []film{
	{
		name: "thermal", scenario: "thermal_sw", from: 24 * time.Second, to: 134 * time.Second, every: 5 * time.Second,
		frame: 400 * time.Millisecond, last: 4 * time.Second, w: 120, h: 40, theme: "dark",
	},
}

const filmCell = 16 // pixels

func (f *film) paint(dir string) error {
	all, err := themes.Builtin()
	if err != nil {
		return err
	}
	th, err := themes.Find(all, f.theme)
	if err != nil {
		return err
	}
	var frames []*image.RGBA
	g := draw.NewGrid(f.w, f.h)
	for at := f.from; at <= f.to; at += f.every {
		s := shot{scenario: f.scenario, at: at}
		snap, err := s.play()
		if err != nil {
			return err
		}
		ui.Draw(g, snap, ui.ViewState{Window: ui.DefaultWindow}, themes.TrueColor)
		img, err := g.Picture(th, themes.TrueColor, filmCell)
		if err != nil {
			return err
		}
		frames = append(frames, img)
	}
	out, err := os.Create(filepath.Join(dir, f.name+".gif"))
	if err != nil {
		return err
	}
	err = gif.EncodeAll(out, f.develop(frames))
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}

// develop keeps of each frame only what differs from the one before, in the
// colours most used in all of them; the rest is transparent.
func (f *film) develop(frames []*image.RGBA) *gif.GIF {
	pal, index := palette(frames)
	anim := &gif.GIF{}
	for n, img := range frames {
		b := img.Bounds()
		if n > 0 {
			b = changed(frames[n-1], img)
		}
		p := image.NewPaletted(b, pal)
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				c := img.RGBAAt(x, y)
				if n > 0 && frames[n-1].RGBAAt(x, y) == c {
					continue // index 0: what is there stays
				}
				p.SetColorIndex(x, y, index(c))
			}
		}
		show := f.frame
		if n == len(frames)-1 {
			show = f.last
		}
		anim.Image = append(anim.Image, p)
		anim.Delay = append(anim.Delay, int(show/(10*time.Millisecond)))
		anim.Disposal = append(anim.Disposal, gif.DisposalNone)
	}
	return anim
}

// changed is the smallest rectangle that holds every difference.
func changed(a, b *image.RGBA) image.Rectangle {
	var r image.Rectangle
	all := b.Bounds()
	for y := all.Min.Y; y < all.Max.Y; y++ {
		for x := all.Min.X; x < all.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	return r
}

// palette is the colours most used, with a transparent one at 0, and how a
// colour is found in it.
func palette(frames []*image.RGBA) (color.Palette, func(color.RGBA) uint8) {
	uses := map[color.RGBA]int{}
	for _, img := range frames {
		for i := 0; i+3 < len(img.Pix); i += 4 {
			uses[color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], 255}]++
		}
	}
	most := make([]color.RGBA, 0, len(uses))
	for c := range uses {
		most = append(most, c)
	}
	slices.SortFunc(most, func(a, b color.RGBA) int {
		if d := uses[b] - uses[a]; d != 0 {
			return d
		}
		return int(a.R)<<16 + int(a.G)<<8 + int(a.B) - int(b.R)<<16 - int(b.G)<<8 - int(b.B)
	})
	most = most[:min(len(most), 255)]
	pal := color.Palette{color.RGBA{}}
	for _, c := range most {
		pal = append(pal, c)
	}
	known := map[color.RGBA]uint8{}
	return pal, func(c color.RGBA) uint8 {
		c.A = 255
		i, ok := known[c]
		if !ok {
			i = uint8(pal[1:].Index(c) + 1)
			known[c] = i
		}
		return i
	}
}
