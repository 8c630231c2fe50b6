// Package layout says where each panel goes: a pure function from the size of
// the screen and what the panels want to rectangles.
//
// It owns the arrangement (one column or two, frames or none, who shrinks and
// who goes first) and nothing else: it draws nothing and knows no panel.
package layout
