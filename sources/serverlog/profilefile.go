package serverlog

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"sort"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// deepInferProfile is the profile that ships as the example: gateways and
// schedulers in DeepInfer's style.
//
// Origin: lipish/deepinfer crates/deepinfer-gateway; the scheduler's lines are
// those of a server of one's own in that style.
//
//go:embed profiles/deepinfer.yaml
var deepInferProfile []byte

// ProfileText is the profile that a format is told by, as written; nil if it is
// not told by one.
func ProfileText(name string) []byte {
	if name == "deepinfer" {
		return deepInferProfile
	}
	return nil
}

// builtin is a profile of ours, which a test has read.
func builtin(name string, b []byte) Format {
	f, err := ParseProfile("profiles/"+name+".yaml", b)
	if err != nil {
		panic(err)
	}
	return f
}

// profileText is a profile as written.
type profileText struct {
	Name     string        `yaml:"name"`
	Versions string        `yaml:"versions"`
	Hint     string        `yaml:"hint"`
	Patterns []patternText `yaml:"patterns"`
}

type patternText struct {
	Literal string            `yaml:"literal"`
	Match   string            `yaml:"match"`
	Per     string            `yaml:"per"`
	Units   map[string]string `yaml:"units"`
	Event   string            `yaml:"event"`
	Restart bool              `yaml:"restart"`
	Example string            `yaml:"example"`
}

// maxPatterns bounds a profile.
const maxPatterns = 100

// Words of `per`.
const (
	perExecution = "execution"
	perRequest   = "request"
)

// loader reads one profile.
type loader struct {
	path string
	file *ast.File
	text profileText
}

// ParseProfile reads the text of a profile and checks all of it: unknown keys,
// expressions, group names, units, and that each example matches. path stands
// in front of errors, which tell line and column.
func ParseProfile(path string, b []byte) (f Format, err error) {
	defer func() { // the YAML library panics on some broken texts
		if r := recover(); r != nil {
			f, err = Format{}, fmt.Errorf("%s: no YAML that can be read: %v", path, r)
		}
	}()
	l := loader{path: path}
	if err := CheckAliases(b); err != nil {
		return Format{}, fmt.Errorf("%s: %w", path, err)
	}
	if l.file, err = parser.ParseBytes(b, 0); err != nil {
		return Format{}, l.syntax(err)
	}
	if err := yaml.UnmarshalWithOptions(b, &l.text, yaml.Strict()); err != nil {
		return Format{}, l.syntax(err)
	}
	if len(l.text.Patterns) == 0 || len(l.text.Patterns) > maxPatterns {
		return Format{}, l.wrong("$", "a profile has 1 to %d patterns under `patterns:`", maxPatterns)
	}
	p := &profile{}
	for i := range l.text.Patterns {
		q, err := l.pattern(i)
		if err != nil {
			return Format{}, err
		}
		p.patterns = append(p.patterns, q)
	}
	name := l.text.Name
	if name == "" {
		name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".yaml"), ".yml")
	}
	if !profileName.MatchString(name) {
		return Format{}, l.wrong("$.name", "a name is 1 to 40 of a-z, 0-9, _ and -, got %q", name)
	}
	f = Format{Name: name, Versions: l.text.Versions, Hint: l.text.Hint, profile: p, vote: p.vote, parse: p.parse}
	if f.Versions == "" {
		f.Versions = "a profile"
	}
	if f.Hint == "" {
		f.Hint = "no pattern of the profile matches; try benchtop probe --as " + path + " FILE"
	}
	for i := range l.text.Patterns {
		if err := l.example(&f, i); err != nil {
			return Format{}, err
		}
	}
	return f, nil
}

var profileName = regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)

// pattern checks and compiles one.
func (l *loader) pattern(i int) (pattern, error) {
	in := &l.text.Patterns[i]
	at := fmt.Sprintf("$.patterns[%d]", i)
	q := pattern{literal: []byte(in.Literal), restart: in.Restart, source: in.Match, request: in.Per == perRequest}
	if len(in.Literal) < 3 {
		return q, l.wrong(at, "`literal:` must be three letters or more that stand in every such line: it is looked for first, which keeps reading fast")
	}
	var err error
	if q.re, err = regexp.Compile(in.Match); err != nil || in.Match == "" {
		if err == nil {
			err = errors.New("is empty")
		}
		return q, l.wrong(at+".match", "`match:` is no regular expression: %v", err)
	}
	if n := steps(in.Match); n > maxSteps {
		return q, l.wrong(at+".match", "`match:` takes %d steps for each letter, at most %d: a counted part like {900} is as long as if it were written out, use + or a smaller count", n, maxSteps)
	}
	q.plain = newTemplate(in.Match)
	switch in.Per {
	case "", perExecution, perRequest:
	default:
		return q, l.wrong(at+".per", "`per:` is %s or %s, got %q", perExecution, perRequest, in.Per)
	}
	if in.Event != "" {
		if q.event = outcomeNamed(in.Event); q.event == NoOutcome {
			return q, l.wrong(at+".event", "no event %q (one of%s)", in.Event, strings.Join(outcomeNames[:], " "))
		}
	}
	if err := l.groups(&q, in, at); err != nil {
		return q, err
	}
	return q, nil
}

// maxSteps bounds how large an expression may become: what it costs to look at
// a letter grows with it, so that one of 3,000 would keep a log of a few long
// lines a second busy all the time.
const maxSteps = 1000

// steps is how many states an expression has.
func steps(expression string) int {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 0
	}
	return len(prog.Inst)
}

// groups maps the expression's groups to fields and units.
func (l *loader) groups(q *pattern, in *patternText, at string) error {
	names := q.re.SubexpNames()
	q.fields, q.scale = make([]profileField, len(names)), make([]float64, len(names))
	any := q.event != NoOutcome || q.restart
	for g, name := range names {
		if name == "" {
			continue
		}
		f := fieldNamed(name)
		if f == 0 {
			return l.wrong(at+".match", "group %q is none of ours (%s)", name, strings.Join(fieldList(), ", "))
		}
		if name == "batch" && in.Per == "" {
			return l.wrong(at, "say `per: %s` if such a line is printed once for each batch, `per: %s` if once for each request in it", perExecution, perRequest)
		}
		scale, err := l.unit(f, in.Units[name], at)
		if err != nil {
			return err
		}
		q.fields[g], q.scale[g] = f, scale
		any = true
	}
	for name := range in.Units {
		if q.re.SubexpIndex(name) < 0 {
			return l.wrong(at+".units", "a unit for %q, which is no group of the expression", name)
		}
	}
	if !any {
		return l.wrong(at, "says nothing: name a group, (?P<batch>[0-9]+), or give `event:`")
	}
	return nil
}

// unit is the factor of a field's unit.
func (l *loader) unit(f profileField, word, at string) (float64, error) {
	d := &profileFields[f]
	units := profileUnits[d.kind]
	if units == nil {
		if word != "" {
			return 0, l.wrong(at+".units", "%s has no unit", d.name)
		}
		return 1, nil
	}
	scale, ok := units[word]
	if !ok {
		var list []string
		for u := range units {
			list = append(list, u)
		}
		sort.Strings(list)
		return 0, l.wrong(at, "say the unit of %s under `units:`, {%s: UNIT}, one of %s; got %q", d.name, d.name, strings.Join(list, ", "), word)
	}
	return scale, nil
}

func fieldList() []string {
	var names []string
	for _, f := range profileFields[1:] {
		names = append(names, f.name)
	}
	return names
}

// example checks that a pattern's example is read by that pattern.
func (l *loader) example(f *Format, i int) error {
	text := l.text.Patterns[i].Example
	if text == "" {
		return nil
	}
	hit := -1
	p := *f.profile
	p.watch = func(k int, _ []byte, at []int) {
		if at != nil {
			hit = k
		}
	}
	own := *f
	own.parse = p.parse
	rd := reader{f: &own, all: true}
	rd.read(bytes.TrimSpace([]byte(text)), func(*record, *Reading) {})
	at := fmt.Sprintf("$.patterns[%d].example", i)
	switch {
	case hit == i:
		return nil
	case hit >= 0:
		return l.wrong(at, "the example is matched by pattern %d before this one (number %d) is tried", hit+1, i+1)
	}
	return l.wrong(at, "the example does not match (stamps and prefixes are taken off before; `literal:` must stand in it)")
}

// syntax is an error of the YAML text.
func (l *loader) syntax(err error) error {
	text := yaml.FormatError(err, false, false)
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		pos := e.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s%s", l.path, pos.Line, pos.Column, e.GetMessage(), syntaxHelp(e.GetMessage()))
	}
	return fmt.Errorf("%s: %s", l.path, text)
}

// syntaxHelp is the cure of what is most often wrong in a profile's YAML.
func syntaxHelp(message string) string {
	switch {
	case strings.Contains(message, "escape character"):
		return " (write an expression in single quotes)"
	case strings.Contains(message, "cannot start any token"):
		return " (indent with blanks, not tabs; put text with signs in single quotes)"
	case strings.Contains(message, "expected"):
		return " (a profile is `patterns:` and under it a list of `- literal: …` with `match: …`; `benchtop formats deepinfer` shows one)"
	}
	return ""
}

// wrong is an error about what stands at a path of the document.
func (l *loader) wrong(at, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	for at != "" {
		if p, err := yaml.PathString(at); err == nil {
			if n, err := p.FilterFile(l.file); err == nil && n != nil && n.GetToken() != nil {
				pos := n.GetToken().Position
				return fmt.Errorf("%s:%d:%d: %s", l.path, pos.Line, pos.Column, text)
			}
		}
		cut := strings.LastIndexAny(at, ".[")
		if cut < 0 {
			break
		}
		at = at[:cut]
	}
	return fmt.Errorf("%s: %s", l.path, text)
}

// mostAliases bounds how often a YAML text may refer to another part of itself:
// each level of such references multiplies what a reader has to hold.
const mostAliases = 16

// CheckAliases refuses a text that would grow without end when it is read.
func CheckAliases(data []byte) error {
	n := 0
	for _, t := range lexer.Tokenize(string(data)) {
		if t.Type == token.AliasType {
			n++
		}
	}
	if n > mostAliases {
		return fmt.Errorf("%d aliases (*name) in it: at most %d", n, mostAliases)
	}
	return nil
}
