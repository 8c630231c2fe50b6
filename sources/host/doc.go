// Package host tells how the machine fares under a benchmark: cores, pressure,
// the client's and the server's processes, the sockets between them, and what
// benchtop itself costs.
//
// It owns Reading (one poll's values, each with a validity bit), its NDJSON
// form, Apply, which alone turns Readings into events, a Source that polls
// procfs once a second (Linux; elsewhere it says so and ends), and a Feed of
// saved readings. The simulator makes Readings of its own.
//
// It must not disturb the benchmark: a poll costs well under 2 ms, and what
// would cost more (a huge socket table, thousands of threads) is read less
// often instead. It needs no privileges and sends nothing. A value that can't
// be read is absent, never zero.
//
// Delivery promise: the newest reading wins; a missed poll is a gap. Amounts
// are told as ever-growing totals, so that a gap loses nothing.
package host
