package serverlog

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// maxMatch bounds how much of a record a profile's patterns look at. Their time
// grows in step with it (they never backtrack), so no line stalls the tail.
const maxMatch = 4 << 10

// profile is a format told by a YAML file: patterns that are tried in order on
// a record's text, with the prefixes gone; the first that matches counts.
type profile struct {
	patterns []pattern
	watch    func(i int, text []byte, at []int) // hears every try of a pattern whose literal stands; nil is nobody
}

// pattern is one kind of line.
type pattern struct {
	literal []byte
	re      *regexp.Regexp
	plain   *template      // does the same faster; nil where it can't
	fields  []profileField // by the number of the group, 0 for none
	scale   []float64      // what a group's number is multiplied with, or how it is told
	event   Outcome
	request bool // told once for each request, not for each execution
	restart bool
	source  string // the expression as written
}

// parse reads a record with the first pattern that matches its text or, of a
// JSON record, the object as written.
func (p *profile) parse(c *record, r *Reading) {
	hit, near := p.read(c.text, c, r)
	if !hit && c.structured() {
		hit, near = p.read(c.src, c, r)
	}
	switch {
	case hit, readAccess(c.text, r):
	case c.level == errorLevel:
		r.fault()
	default:
		r.Odd = near
	}
}

// read tries the patterns on t. near says that the literal of one stands there.
func (p *profile) read(t []byte, c *record, r *Reading) (hit, near bool) {
	t = t[:min(len(t), maxMatch)]
	var f fitting
	for i := range p.patterns {
		q := &p.patterns[i]
		if !bytes.Contains(t, q.literal) {
			continue
		}
		at := q.find(t, &f)
		if p.watch != nil {
			p.watch(i, t, slices.Clone(at))
		}
		if at != nil {
			q.fill(t, at, c, r)
			return true, false
		}
		near = true
	}
	return false, near
}

// find gives the places of the first match and its groups, nil if there is
// none.
func (q *pattern) find(t []byte, f *fitting) []int {
	if q.plain != nil {
		if at, ok := q.plain.match(t, f); ok {
			return at
		}
	}
	return q.re.FindSubmatchIndex(t)
}

// vote is whole for a record that a pattern matches.
func (p *profile) vote(c *record) float64 {
	for _, t := range [...][]byte{c.text, c.src} {
		t = t[:min(len(t), maxMatch)]
		for i := range p.patterns {
			if q := &p.patterns[i]; bytes.Contains(t, q.literal) && q.re.Match(t) {
				return 1
			}
		}
	}
	return 0
}

// fill takes the groups of a match over. A group that is no number, or that
// took no part, says nothing.
func (q *pattern) fill(t []byte, at []int, c *record, r *Reading) {
	for g, f := range q.fields {
		if f == 0 || at[2*g] < 0 {
			continue
		}
		v := t[at[2*g]:at[2*g+1]]
		if profileFields[f].text != nil {
			profileFields[f].text(c, r, v)
			continue
		}
		if x, ok := q.value(g, v); ok {
			profileFields[f].number(r, x)
		}
	}
	r.event(q.event)
	r.Each = q.request
	r.Restart = q.restart
}

// Scales that are no factors.
const (
	ownUnit  = 0  // the text carries its unit
	usedOfIt = -1 // the text is two numbers, used/all
)

// value is what a group's text says; ok is false if it is no such number.
func (q *pattern) value(g int, v []byte) (x float64, ok bool) {
	var n int
	switch q.scale[g] {
	case ownUnit:
		x, n = duration(v)
	case usedOfIt:
		all, m := 0.0, 0
		if x, n = number(v); n > 0 && n < len(v) && v[n] == '/' {
			all, m = number(v[n+1:])
			n += 1 + m
		}
		if m == 0 || all <= 0 {
			return 0, false
		}
		x /= all
	default:
		x, n = number(v)
		x *= q.scale[g]
	}
	return x, n > 0 && n == len(v)
}

// profileField numbers what a group can be.
type profileField int

// fieldKind says which units a field takes.
type fieldKind uint8

const (
	plainField fieldKind = iota // no unit
	timeField                   // ns, us, ms, s, min, or duration where the text carries its unit
	shareField                  // ratio, percent, or used/all where two numbers stand there
)

// profileFields are the names that groups of a profile may have.
var profileFields = [...]struct {
	name   string
	kind   fieldKind
	number func(r *Reading, v float64)
	text   func(c *record, r *Reading, v []byte)
}{
	{},
	{name: "running", number: func(r *Reading, v float64) { r.running(int64(v)) }},
	{name: "waiting", number: func(r *Reading, v float64) { r.waiting(int64(v)) }},
	{name: "batch", number: func(r *Reading, v float64) { r.batch(int64(v)) }},
	{name: "preempted", number: func(r *Reading, v float64) { r.preempted(int64(v)) }},
	{name: "prompt_tps", number: (*Reading).promptTPS},
	{name: "gen_tps", number: (*Reading).genTPS},
	{name: "kv_usage", kind: shareField, number: (*Reading).kv},
	{name: "batch_wait", kind: timeField, number: (*Reading).batchWait},
	{name: "exec", kind: timeField, number: (*Reading).exec},
	{name: "latency", kind: timeField, number: (*Reading).latency},
	{name: "max_batch", number: (*Reading).maxBatch},
	{name: "max_batch_wait", kind: timeField, number: (*Reading).configWait},
	{name: "kv_tokens", number: (*Reading).kvTokens},
	{name: "slots", number: (*Reading).slots},
	{name: "engine", text: func(_ *record, r *Reading, v []byte) { r.Engine = v[:min(len(v), maxKey)] }},
	{name: "time", text: func(c *record, _ *Reading, v []byte) { c.take(textStamp(v)) }},
	{name: "event", text: func(_ *record, r *Reading, v []byte) { r.event(outcomeNamed(string(v))) }},
}

// outcomeNamed is the outcome with that word, NoOutcome if there is none.
func outcomeNamed(word string) Outcome {
	for i, name := range outcomeNames {
		if i > 0 && word == name {
			return Outcome(i)
		}
	}
	return NoOutcome
}

// fieldNamed is the field with that name, 0 if there is none.
func fieldNamed(name string) profileField {
	for i := 1; i < len(profileFields); i++ {
		if profileFields[i].name == name {
			return profileField(i)
		}
	}
	return 0
}

// profileUnits are the units of times, in milliseconds, and of shares.
var profileUnits = map[fieldKind]map[string]float64{
	timeField:  {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3, "min": 60e3, "duration": ownUnit},
	shareField: {"ratio": 1, "percent": 0.01, "used/all": usedOfIt},
}

// isProfile reports whether a format's name is the path of a profile.
func isProfile(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || strings.ContainsRune(name, '/')
}

// Load finds a format by name, as Lookup does, or reads the profile that a path
// ending in .yaml names. The error of a profile tells line and column.
func Load(name string) (Format, error) {
	if !isProfile(name) {
		if f, ok := Lookup(name); ok {
			return f, nil
		}
		return Format{}, fmt.Errorf("no log format %q (see benchtop formats, or give the path of a profile, ./NAME.yaml)", name)
	}
	fi, err := os.Stat(name)
	if err == nil && (!fi.Mode().IsRegular() || fi.Size() > profileMost) { // a pipe would be waited for, a device never end
		err = fmt.Errorf("%s: no file of at most %d KiB", name, profileMost>>10)
	}
	if err != nil {
		return Format{}, fmt.Errorf("read the log profile: %w", err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return Format{}, fmt.Errorf("read the log profile: %w", err)
	}
	return ParseProfile(name, b)
}

// profileMost bounds a profile's file in bytes.
const profileMost = 1 << 20
