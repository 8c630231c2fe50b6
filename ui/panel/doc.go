// Package panel draws the parts of the screen: one file a panel, each a pure
// function of a Frame (a snapshot, what the user looks at, a clipped part of
// the Grid).
//
// It owns what each panel shows and how it shrinks. It must not read the
// terminal's size, the time, the environment or any configuration, and keeps
// nothing between frames: what must survive one lives in the ui package.
// Panels draw roles, never colours, and colour is never the only sign.
package panel
