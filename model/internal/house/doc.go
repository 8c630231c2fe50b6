// Package house holds the rules of the house as tests: who may import whom,
// how long a file or function may be, where goroutines start and the clock is
// read, what may be a package variable, and that the README's tables say what
// the program's own lists print.
//
// It owns the rules and nothing else: no other package may import it and it
// has no code of its own outside tests. A rule that must give way is changed
// here by name and with its reason, in the commit that needs it.
package house
