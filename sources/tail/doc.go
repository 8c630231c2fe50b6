// Package tail reads one path, FIFO, standard input or child command as one
// endless stream of lines. It knows no format: a line is bytes without their
// line end, with the time they were seen and whether they were there before we
// came.
//
// It owns what it opens and starts: files, pipes and children are closed,
// killed and reaped before Run returns, whatever the reason. Everything it
// delivers is delivered by the goroutine that called Run. It must not parse,
// must not write to the terminal, and must not hold up whoever writes: pipes
// are opened so that a writer never waits for a reader to appear.
//
// Regular files are followed through rename, copy-and-truncate, truncation
// that grew back between two looks, several rotations between two looks and
// swapped symlinks. Two followers stand behind that. The direct one reads
// blocks and looks at the path by itself. The library one is nxadm/tail, which
// follows regular server logs on Linux as long as it is safe: it asks the
// kernel for its offset on every line (about 11 us a line), and a failing stat
// of the path ends the whole program from inside it. So it never gets the
// path, only /proc/self/fd/N of a file that is already open, and it is watched
// here: on a rotation, a truncation, more than 5,000 lines/s for 2 s or an end
// of its own the direct follower goes on at the line where it stood.
//
// A program that a run is about (Options.Argv) differs from a command: its two
// outputs are told apart, its input may be ours, signals are passed on to it
// and all it started, and its end is told with its exit state.
//
// Delivery promise: of a regular file every line is delivered once and in
// order, except what copy-and-truncate itself loses, what was rotated away
// more than nine files ago between two looks, and what lies beyond a line's
// first MiB; cuts and rotations are counted and told. Of a pipe or child
// everything is read. A line's text is valid only during the call.
package tail
