package ui_test

import (
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"benchtop/model"
	"benchtop/themes"
	"benchtop/ui"
	"benchtop/ui/draw"
	"benchtop/ui/panel"
	"benchtop/ui/plain"
)

// evil is what a hostile log line, host name or label may hold: a new title, a
// cleared screen, a colour without end, text that runs backwards, a bell, line
// ends, a combining pile, an escape that stops half way and broken UTF-8.
const evil = "\x1b]0;owned\x07\x1b[2J\x1b[41m\u202eevil\r\n\t\u200b\u0300\u0300\x9b31m<a href='x'>&\x1b_Gf=1\x1b\\\xff\xfe\x1b["

// poison puts evil into every string of a value, wherever it is: whoever adds
// a field that comes from outside is covered too.
func poison(v reflect.Value, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(evil)
		}
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		poison(v.Elem(), seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				poison(v.Field(i), seen)
			}
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k == reflect.Uint8 || k == reflect.Float64 {
			return
		}
		for i := range v.Len() {
			poison(v.Index(i), seen)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			poison(e, seen)
			v.SetMapIndex(k, e)
		}
		if v.Type().Key().Kind() == reflect.String && v.Len() > 0 {
			e := reflect.New(v.Type().Elem()).Elem()
			poison(e, seen)
			v.SetMapIndex(reflect.ValueOf(evil).Convert(v.Type().Key()), e)
		}
	default:
	}
}

// onlyStyle matches what the encoder may send besides text: style sequences.
var onlyStyle = regexp.MustCompile("\x1b\\[[0-9;:]*m")

// harmless fails on anything that is no text.
func harmless(t *testing.T, where, text string) {
	t.Helper()
	for i, r := range onlyStyle.ReplaceAllString(text, "") {
		if r == '\n' {
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.M, r) || r == unicode.ReplacementChar {
			t.Errorf("%s: want nothing but text, got %U at byte %d", where, r, i)
			return
		}
	}
}

func TestNothingFromOutsideReachesTheTerminal(t *testing.T) {
	all, err := themes.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	snap := busy()
	poison(reflect.ValueOf(snap), map[uintptr]bool{})
	for i := range snap.Findings { // so that they are told in full
		snap.Findings[i].State = model.Raised
	}
	views := []ui.ViewState{{}, {Title: evil, Notice: evil}, {Prompt: evil, Filter: evil}, {Cursor: sceneNow.Add(-200e9)}}
	for _, l := range panel.Layouts() {
		views = append(views, ui.ViewState{Layout: l.Name})
	}
	for _, p := range append(panel.All(), panel.Findings()) {
		views = append(views, ui.ViewState{Full: p.ID}, ui.ViewState{Full: p.ID, Cursor: sceneNow.Add(-60e9)})
	}
	for _, v := range views {
		v.Window = ui.DefaultWindow
		for _, size := range [][2]int{{30, 8}, {60, 15}, {80, 24}, {120, 40}, {200, 60}} {
			where := "layout " + v.Layout + " full " + v.Full
			harmless(t, where, ui.Render(snap, v, size[0], size[1], all[0], themes.TrueColor))
			g := draw.NewGrid(size[0], size[1])
			ui.Draw(g, snap, v, themes.TrueColor)
			if svg := g.SVG(nil, all[0]); size[0] == 120 {
				for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatalf("%s: want a picture that is XML, got %v", where, err)
					}
				}
			}
		}
	}
	s := screenOf(t, newFeed(snap), ui.Options{Title: evil})
	harmless(t, "the window's title", s.Title())
	harmless(t, "the clipboard", s.Verdict())
	harmless(t, "the plain line", plain.Line(snap))
	for _, key := range []string{"[", "]", "e", "8", "enter", "9", "s", "S", "m", "/"} {
		s.Press(key)
		harmless(t, "after "+key, s.Send(nil))
	}
}
