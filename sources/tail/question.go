package tail

import (
	"strings"
	"time"
)

// question is what a command printed last, without a line's end, and now waits
// for an answer to. As an error it ends the reading: nobody can answer.
type question string

func (q question) Error() string { return "asks " + string(q) }

// cure is what lets the command do without its question.
func (q question) cure() string {
	if strings.Contains(strings.ToLower(string(q)), "yes/no") {
		return "connect once by hand, so that the host is known"
	}
	return "use keys, an agent or sudo -n"
}

// Bounds of what is a question: how long a command says nothing more after it,
// and how long it is.
const (
	askedAfter   = 2 * time.Second
	questionMost = 200
)

// question is the end of what one of a command's outputs printed if that asks
// for a password or a yes; "" if not.
func (r *reader) question() question {
	if len(r.t.o.Argv) > 0 {
		return "" // the user's program, which may ask what it likes
	}
	for _, p := range r.pipes {
		text := strings.TrimSpace(string(p.split.carry[:min(len(p.split.carry), questionMost+1)]))
		if text == "" || len(text) > questionMost || text[len(text)-1] != ':' && text[len(text)-1] != '?' {
			continue
		}
		if asks(text) || strings.Contains(text, "(yes/no") {
			return question(text)
		}
	}
	return ""
}

// asks guesses from its last words that a command wanted a password.
func asks(said string) bool {
	low := strings.ToLower(said)
	for _, word := range []string{"password", "passphrase", "askpass", "terminal", "permission denied (", "a tty"} {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}
