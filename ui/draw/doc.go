// Package draw is the cell canvas that every screen of benchtop is made of:
// a Grid of runes and roles, and the charts, axes and number formats drawn on
// it.
//
// It owns how things are drawn (eighth blocks, braille, half blocks, line
// charts) and how numbers are worded, not what is drawn: it knows no series and
// no panels. Roles become colours only when a Grid is encoded with a theme. A
// Grid clips: whatever is drawn outside it is dropped, so nothing can overflow.
package draw
