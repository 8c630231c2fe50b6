package sources

import (
	"regexp"
	"slices"
	"strings"
)

// Hidden stands where a password or key was.
const Hidden = "•••"

var (
	flagHead    = regexp.MustCompile(`(?:^|[\s'":])(--?[A-Za-z][A-Za-z0-9_-]*)[ =]+`)
	flagValue   = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|[^\s'"]+)`)
	pairHead    = regexp.MustCompile(`([A-Za-z0-9_.-]+)["']?\s*[:=]\s*`)
	pairValue   = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|(?i:bearer|basic|digest)\s+[^\s'"]+|[^\s&,;'"{}()\[\]]+)`)
	bearerWord  = regexp.MustCompile(`(?i)(\bbearer\s+)[^\s'"]+`)
	urlUser     = regexp.MustCompile(`(://)[^/\s@]+@`)
	secretToken = regexp.MustCompile(`\b(?:sk|hf|ghp|gho|glpat|xox[bp])[-_][A-Za-z0-9_-]{8,}`)
)

// harmless are words with the letters of a secret's name in them; secret are
// those letters.
var (
	harmless = []string{"tokens", "tokenizer", "tokenization", "token_type", "keyword", "keyspace", "key-prefix", "author", "monkey"}
	secret   = []string{"key", "token", "secret", "passw", "auth", "credential", "cookie", "signature"}
)

// SecretName reports whether a flag, header, variable or query parameter of
// this name holds what must not be passed on.
func SecretName(name string) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, "authorization") {
		return true
	}
	for _, w := range harmless {
		name = strings.ReplaceAll(name, w, "")
	}
	return slices.ContainsFunc(secret, func(w string) bool { return strings.Contains(name, w) })
}

// secretFlag reports whether the value behind a flag is a secret.
func secretFlag(name, value string) bool {
	switch {
	case name == "-u": // curl's user:password; journalctl's is a unit
		return strings.Contains(value, ":")
	case name == "-H":
		return true
	}
	return strings.HasPrefix(name, "-") && (SecretName(name) || strings.Contains(strings.ToLower(name), "header"))
}

// Redact takes passwords and keys out of what is shown or recorded: a place, a
// command line, an error. Text without any comes back as it is.
func Redact(s string) string {
	s = urlUser.ReplaceAllString(s, "${1}"+Hidden+"@")
	s = bearerWord.ReplaceAllString(s, "${1}"+Hidden)
	s = hide(s, flagHead, flagValue, secretFlag)
	s = hide(s, pairHead, pairValue, func(name, value string) bool {
		return SecretName(name) && value != "***" && !strings.HasPrefix(value, "//")
	})
	return secretToken.ReplaceAllString(s, Hidden)
}

// hide looks for heads, whose first part is a name, and hides the value behind
// each that is a secret. A value that is none may hold the next head.
func hide(s string, head, value *regexp.Regexp, is func(name, value string) bool) string {
	var b strings.Builder
	for {
		m := head.FindStringSubmatchIndex(s)
		if m == nil {
			b.WriteString(s)
			return b.String()
		}
		rest := s[m[1]:]
		if v := value.FindString(rest); v != "" && is(s[m[2]:m[3]], v) {
			b.WriteString(s[:m[1]])
			b.WriteString(Hidden)
			s = rest[len(v):]
			for strings.HasPrefix(v, "-") { // or it is a flag, and what it takes comes next
				gap := s[:len(s)-len(strings.TrimLeft(s, " ="))]
				next := value.FindString(s[len(gap):])
				if gap == "" || next == "" || !is(v, next) {
					break
				}
				b.WriteString(gap + Hidden)
				s, v = s[len(gap)+len(next):], next
			}
			continue
		}
		b.WriteString(s[:m[3]])
		s = s[m[3]:]
	}
}

// RedactArgs is Redact for a command line in words, as exec takes it.
func RedactArgs(args []string) []string {
	out := slices.Clone(args)
	for i, a := range args {
		if i > 0 && !strings.HasPrefix(a, "-") && !strings.Contains(args[i-1], "=") && secretFlag(args[i-1], a) {
			out[i] = Hidden
			continue
		}
		out[i] = Redact(a)
	}
	return out
}
