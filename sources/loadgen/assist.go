package loadgen

import (
	"path/filepath"
	"slices"
	"strings"
)

// Advice is what would make a load generator's stream readable.
type Advice struct {
	Tool    string            // the tool's name; "" if it isn't known
	Own     []Output          // files that the command as given writes to
	Argv    []string          // the command with what Changes says
	Env     []string          // NAME=value to add to its environment
	Outputs []Output          // files that the changed command writes to, Own included
	Scripts map[string]string // files that must be there before it starts: path → content
	Changes []string          // each change in words; none if the tool needs or knows none
	Why     string            // what the tool says while it runs, one sentence
	Keep    string            // what in dir is the user's and must stay; "" if nothing is
}

// toolOf is where in argv a known tool stands, behind env, timeout and the
// like; nil if it isn't there.
func toolOf(argv []string) (t *tool, at int) {
	for i, a := range argv {
		name := strings.TrimSuffix(filepath.Base(a), ".py")
		for j := range tools {
			if k := &tools[j]; slices.Contains(k.names, name) && (k.verb == "" || slices.Contains(argv[i+1:], k.verb)) {
				return k, i
			}
		}
		if i >= 8 || i == 0 && (name == "sh" || name == "bash") {
			break
		}
	}
	return nil, 0
}

// toolName is what a command is called on the screen.
func toolName(argv []string) string {
	if t, _ := toolOf(argv); t != nil {
		return t.name
	}
	return filepath.Base(argv[0])
}

// Advise tells what is known of a command, and how it would have to be run for
// its stream to be read. dir is a folder for the files that takes; nothing is
// written here.
func Advise(argv []string, dir string) Advice {
	t, at := toolOf(argv)
	if t == nil {
		l := &commandLine{argv: slices.Clone(argv), dir: dir}
		l.report("--report-json", "", false) // the user's own client
		return Advice{Own: l.own, Argv: l.argv, Outputs: l.own, Why: "this program is not known: let it print the NDJSON stream (README, \"A load client of your own\")"}
	}
	l := &commandLine{argv: slices.Clone(argv), at: at, dir: dir}
	if t.verb != "" {
		l.at += 1 + slices.Index(argv[at+1:], t.verb)
	}
	t.read(l)
	own := slices.Clone(l.own)
	if t.assist != nil {
		t.assist(l)
	}
	return Advice{
		Tool: t.name, Own: own, Argv: l.argv, Env: l.env, Outputs: l.own, Scripts: l.scripts,
		Changes: l.changes, Why: t.says, Keep: l.keep,
	}
}

// commandLine is a command being looked at and changed.
type commandLine struct {
	argv    []string
	at      int // the tool's name, or its verb: flags go behind it
	dir     string
	own     []Output
	env     []string
	scripts map[string]string
	changes []string
	keep    string
}

// value is what a flag is given, as -f V, -f=V, --f V, --f=V, or, for a single
// letter, -fV; ok is false if the flag isn't there.
func (l *commandLine) value(flags ...string) (string, bool) {
	for i := l.at + 1; i < len(l.argv); i++ {
		a := l.argv[i]
		for _, f := range flags {
			switch {
			case a == f:
				if i+1 < len(l.argv) {
					return l.argv[i+1], true
				}
				return "", true
			case strings.HasPrefix(a, f+"="):
				return a[len(f)+1:], true
			case len(f) == 2 && f[0] == '-' && f[1] != '-' && strings.HasPrefix(a, f) && !strings.HasPrefix(a, "--"):
				return a[2:], true
			}
		}
	}
	return "", false
}

func (l *commandLine) has(flags ...string) bool {
	_, ok := l.value(flags...)
	return ok
}

// add puts words behind the tool's name, and says so.
func (l *commandLine) add(words ...string) {
	l.argv = slices.Insert(l.argv, l.at+1, words...)
	l.changes = append(l.changes, "added "+commandText(words))
}

// append puts words at the command's end, and says so.
func (l *commandLine) append(words ...string) {
	l.argv = append(l.argv, words...)
	l.changes = append(l.changes, "added "+commandText(words))
}

// verb reports whether a word stands somewhere behind the tool's name.
func (l *commandLine) verb(word string) bool { return slices.Contains(l.argv[l.at+1:], word) }

// set adds a variable to the environment.
func (l *commandLine) set(variable string) {
	l.env = append(l.env, variable)
	l.changes = append(l.changes, "set "+variable)
}

// report follows the file that a flag names.
func (l *commandLine) report(flag, format string, appends bool) bool {
	v, ok := l.value(flag)
	if ok && v != "" && v != "-" && !strings.HasPrefix(v, "/dev/std") {
		l.own = append(l.own, Output{Path: v, Format: format, Appends: appends})
	}
	return ok
}

// file is a new file of ours that will be followed.
func (l *commandLine) file(name, format string) string {
	path := filepath.Join(l.dir, name)
	l.own = append(l.own, Output{Path: path, Format: format})
	return path
}
