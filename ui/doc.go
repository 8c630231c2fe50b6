// Package ui is the live screen: a bubbletea program over the newest snapshot.
//
// It owns what the user looks at (window, cursor, focus, scroll, pause), the
// keys, and the one Grid that is drawn and encoded. Snapshots are only read;
// nothing here ever makes a source or the engine wait. At most one frame is
// asked for at a time and at most FPS a second; frames in between are skipped,
// never queued. The package starts no goroutine of its own, has no clock and
// leaves signals to main.
package ui
