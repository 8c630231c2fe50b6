// Package sources is how data gets in: a Source emits events through an
// Outlet, a Group starts sources, restarts them, catches their panics and
// closes the channel when the last one has ended.
//
// Delivery promise: what is read from a regular file, a replay or the
// simulator blocks until the engine takes it, so nothing is lost. What comes
// from a pipe, a socket or a child is always drained, so its writer never
// waits for us: when the engine lags, amounts are summed, observations are
// shed and counted, begins and ends are kept up to a cap and declared a gap
// past it. A poller's newest reading wins.
//
// No source knows the engine or the screen, and none may end the program.
package sources
