package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"benchtop/themes"
	"benchtop/ui/draw"
	"benchtop/ui/panel"
)

// Binding is one key: what it is called, what it does.
type Binding struct {
	Keys   []string // as bubbletea names them
	Name   string   // as users read it
	Help   string   // one line
	Footer string   // word in the footer; "" if not shown there
	Replay bool     // only of use while a recording plays
	do     func(*screen) tea.Cmd
}

// Bindings lists every key once. The help page, the footer and the README read
// it.
func Bindings() []Binding {
	return []Binding{
		{Keys: []string{"q", "ctrl+c"}, Name: "q", Help: "quit", Footer: "quit", do: quit},
		{Keys: []string{"?", "f1"}, Name: "?", Help: "this help", Footer: "help", do: (*screen).toggleHelp},
		{Keys: []string{"p", "space"}, Name: "p space", Help: "pause the picture (a replay: the recording); the run goes on", Footer: "pause", do: (*screen).pause},
		{Keys: []string{"left"}, Name: "← →", Help: "move the cursor: one moment on all charts; shift moves ten columns", Footer: "cursor", do: moves(-1)},
		{Keys: []string{"right"}, do: moves(1)},
		{Keys: []string{"shift+left", "H"}, do: moves(-10)},
		{Keys: []string{"shift+right", "L"}, do: moves(10)},
		{Keys: []string{"+", "="}, Name: "+ -", Help: "a shorter or longer time window, 30 s to the whole run", Footer: "window", do: zooms(-1)},
		{Keys: []string{"-", "_"}, do: zooms(1)},
		{Keys: []string{"pgup"}, Name: "pgup pgdn", Help: "go back and forth in time by half a window", do: scrolls(-1)},
		{Keys: []string{"pgdown"}, do: scrolls(1)},
		{Keys: []string{"l", "end"}, Name: "l", Help: "back to live: no cursor, no pause, right edge now", Footer: "live", do: (*screen).live},
		{Keys: []string{"e"}, Name: "e", Help: "all findings with their evidence (h: help on the verdict, next tool)", Footer: "evidence", do: fulls("findings")},
		{Keys: []string{"h"}, do: fulls("guide")},
		{Keys: []string{"tab"}, Name: "tab 0-9", Help: "focus a panel (a b c i n o r u: others)", do: focuses(1)},
		{Keys: []string{"shift+tab"}, do: focuses(-1)},
		{Keys: []string{"enter"}, Name: "enter", Help: "the focused panel on the whole screen, and back", do: (*screen).enlarge},
		{Keys: []string{"up", "k"}, Name: "↑ ↓", Help: "scroll a list that has the whole screen", do: lines(-1)},
		{Keys: []string{"down", "j"}, do: lines(1)},
		{Keys: []string{"["}, Name: "[ ]", Help: "the cursor on the event before or after it", do: jumps(-1)},
		{Keys: []string{"]"}, do: jumps(1)},
		{Keys: []string{"/"}, Name: "/", Help: "only events with these letters in them; enter keeps it, esc drops it", do: (*screen).filter},
		{Keys: []string{"w"}, Name: "w f2-f5", Help: "layouts: run, gpu, latency, demo", Footer: "layout", do: (*screen).nextLayout},
		{Keys: []string{"f2"}, do: arranges(0)},
		{Keys: []string{"f3"}, do: arranges(1)},
		{Keys: []string{"f4"}, do: arranges(2)},
		{Keys: []string{"f5"}, do: arranges(3)},
		{Keys: []string{"x"}, Name: "x X", Help: "hide the focused panel; show all again", do: (*screen).hide},
		{Keys: []string{"X"}, do: (*screen).unhide},
		{Keys: []string{"v"}, Name: "v", Help: "concurrency as areas or as lines", do: (*screen).style},
		{Keys: []string{"t"}, Name: "t", Help: "next theme", do: (*screen).nextTheme},
		{Keys: []string{"T"}, Name: "T", Help: "choose a theme, with a look at each", do: (*screen).pick},
		{Keys: []string{"s"}, Name: "s", Help: "save the screen as SVG and text into the current folder", do: (*screen).save},
		{Keys: []string{"S"}, Name: "S", Help: "write the report of the run so far", do: (*screen).report},
		{Keys: []string{"y"}, Name: "y", Help: "copy the verdict (the terminal must allow it: OSC 52)", do: (*screen).copyVerdict},
		{Keys: []string{"m"}, Name: "m", Help: "put a note on the time axis (recorded)", do: (*screen).mark},
		{Keys: []string{","}, Name: ", .", Help: "10 s back or forward in the recording", Footer: "seek", Replay: true, do: seeks(-10)},
		{Keys: []string{"."}, Replay: true, do: seeks(10)},
		{Keys: []string{"<"}, Name: "< >", Help: "half or double speed", Footer: "speed", Replay: true, do: speeds(0.5)},
		{Keys: []string{">"}, Replay: true, do: speeds(2)},
		{Keys: []string{"g"}, Name: "g", Help: "play from the cursor", Replay: true, do: (*screen).seekCursor},
		{Keys: []string{"esc"}, Name: "esc", Help: "leave help, the whole screen, the cursor", do: (*screen).leave},
		{Keys: []string{"ctrl+z"}, Name: "ctrl+z", Help: "suspend", do: func(*screen) tea.Cmd { return tea.Suspend }},
		{Keys: []string{"ctrl+l"}, Name: "ctrl+l", Help: "draw everything anew", do: func(*screen) tea.Cmd { return tea.ClearScreen }},
	}
}

// plainKeys names keys without signs that their stand-ins would confuse with
// other keys: < and > are the speed of a replay.
var plainKeys = strings.NewReplacer("← →", "left right", "↑ ↓", "up down", "←", "left", "→", "right", "↑", "up", "↓", "down")

// called is a key's name as it is shown.
func called(name string, ascii bool) string {
	if ascii {
		return plainKeys.Replace(name)
	}
	return name
}

// footer is the bottom line's keys: name and word in turn.
func footer(v ViewState) []panel.Span {
	switch {
	case v.Prompt != "":
		return []panel.Span{{Text: draw.Sanitize(v.Prompt), Role: themes.Accent}, {Text: "enter keeps it, esc drops it", Role: themes.Dim}}
	case v.Notice != "":
		return []panel.Span{{Text: draw.Sanitize(v.Notice), Role: themes.Accent}, {Text: "", Role: themes.Dim}}
	}
	var out []panel.Span
	for _, b := range Bindings() {
		if b.Footer == "" || b.Replay && !v.Replay {
			continue
		}
		word := b.Footer
		if b.Footer == "pause" && v.Paused {
			word = "go on"
		}
		out = append(out, panel.Span{Text: called(b.Name, v.ASCII), Role: themes.Text}, panel.Span{Text: word, Role: themes.Dim})
	}
	return out
}
