package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"benchtop/model"
	"benchtop/sources/serverlog"
)

// runFile is a YAML (or JSON) run file: values of flags, what is declared about
// the load and the configuration, the goal, and thresholds of the rules. The
// keys of `benchtop rounds` may stand in the same file.
//
// What it declares reaches the model as notes, so that it is recorded and
// replayed like everything else: a fact "goal"; a fact "load.KEY" or
// "config.KEY" for each key that the file gives; and settings "(declared)"
// where a rule asks for the number: target_concurrency, client_connections,
// client_timeout_s, max_batch, slo_ttft_s, slo_e2e_s, slo_itl_s, slo_tpot_s.
type runFile struct {
	path       string
	flags      map[string][]string // by the flag's name, dashes as typed on the command line
	lines      map[string]int      // where each top-level key stands
	load       []declared
	config     []declared
	goal       string
	thresholds *model.Thresholds // nil unless the file changes one
	rounds     ast.Node          // the part that benchtop rounds reads, nil if there is none
}

// declared is one key of load: or config: with its value as text.
type declared struct {
	key
	text  string
	value float64 // NaN unless it is a number or a time in seconds
}

// mostRunFile bounds a run file: what is larger is something else.
const mostRunFile = 1 << 20

// goals are the questions that a run can be asked.
var goals = []string{"max_throughput", "sla", "compare"}

// roundsKeys are those of `benchtop rounds`, which reads them itself.
var roundsKeys = []string{"passes", "warmup", "cool_below", "cool_wait", "watch", "assist", "knob", "arms"}

// readRunFile reads and checks a run file; what is wrong is bad usage, with the
// line it stands in.
func readRunFile(path string) (f *runFile, err error) {
	defer func() { // the YAML library panics on some broken texts
		if r := recover(); r != nil {
			f, err = nil, usage("run file %s: no YAML that can be read: %v", path, r)
		}
	}()
	data, err := readBounded(path)
	if err != nil {
		return nil, usage("run file: %w", err)
	}
	if err := serverlog.CheckAliases(data); err != nil {
		return nil, usage("run file %s: %w", path, err)
	}
	var doc yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(data, &doc, yaml.UseOrderedMap()); err != nil && !errors.Is(err, io.EOF) {
		return nil, usage("run file %s: %s", path, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	f = &runFile{path: path, flags: map[string][]string{}, lines: map[string]int{}}
	f.locate(data)
	for _, item := range doc {
		key := fmt.Sprint(item.Key)
		if err := f.take(key, item.Value); err != nil {
			return nil, usage("run file %s:%d: %s: %w", path, f.lines[key], key, err)
		}
	}
	return f, nil
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(file, mostRunFile+1))
	if err == nil && len(data) > mostRunFile {
		err = fmt.Errorf("%s: larger than %d KiB: no run file", path, mostRunFile>>10)
	}
	return data, err
}

// locate tells where each top-level key stands, and keeps the part that
// `benchtop rounds` reads.
func (f *runFile) locate(data []byte) {
	file, err := parser.ParseBytes(data, 0)
	if err != nil || len(file.Docs) == 0 {
		return // the decoder has said what is wrong
	}
	body, ok := file.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return
	}
	var rounds []*ast.MappingValueNode
	for _, v := range body.Values {
		name := strings.Trim(v.Key.String(), `"'`)
		if t := v.Key.GetToken(); t != nil {
			f.lines[name] = t.Position.Line
		}
		if slices.Contains(roundsKeys, name) {
			rounds = append(rounds, v)
		}
	}
	if len(rounds) > 0 {
		f.rounds = ast.Mapping(body.Start, body.IsFlowStyle, rounds...)
	}
}

// take reads one top-level key.
func (f *runFile) take(key string, value any) error {
	section, isMap := value.(yaml.MapSlice)
	switch name := dashed(key); {
	case key == "goal":
		f.goal = fmt.Sprint(value)
		if !slices.Contains(goals, f.goal) {
			return fmt.Errorf("%q: max_throughput, sla or compare", f.goal)
		}
	case value == nil:
		return nil // a key without a value says nothing
	case key == "load" && isMap:
		return f.takeLoad(section)
	case key == "config" && isMap:
		return f.takeConfig(section)
	case key == "thresholds":
		if !isMap {
			return errors.New("want names with numbers below it")
		}
		return f.takeThresholds(section)
	case name == "meta" && isMap, name == "slo" && isMap:
		return f.takePairs(name, section)
	case slices.Contains(roundsKeys, key):
		if key == "assist" {
			f.flags["assist"] = []string{fmt.Sprint(value)}
		}
	case name == "run-file":
		return errors.New("a run file can't name another")
	case isFlag(name):
		texts, err := texts(value)
		if err != nil {
			return err
		}
		f.flags[name] = texts
	default:
		return errors.New("no such key" + near(key, runFileKeys()))
	}
	return nil
}

// dashed is a key as a flag's name: target_concurrency is --target-concurrency.
func dashed(key string) string { return strings.ReplaceAll(key, "_", "-") }

// takePairs reads meta: and slo: written as names with values.
func (f *runFile) takePairs(flag string, section yaml.MapSlice) error {
	var out []string
	for _, item := range section {
		v, err := oneText(item.Value)
		if err != nil {
			return fmt.Errorf("%v: %w", item.Key, err)
		}
		out = append(out, fmt.Sprintf("%v%s%s", item.Key, map[string]string{"meta": "=", "slo": "<"}[flag], v))
	}
	if flag == "slo" {
		out = []string{strings.Join(out, ",")}
	}
	f.flags[flag] = out
	return nil
}

// texts are a flag's values as they would be typed.
func texts(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []string
	for _, v := range list {
		s, err := oneText(v)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func oneText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case int, int64, uint64:
		return fmt.Sprint(v), nil
	}
	return "", errors.New("want a text, a number, yes or no, or a list of them")
}

// runFileKeys are all keys that a run file can hold, as they are written.
func runFileKeys() []string {
	keys := slices.Concat([]string{"goal", "load", "config", "thresholds"}, roundsKeys)
	for _, name := range flagNames() {
		if k := strings.ReplaceAll(name, "-", "_"); !slices.Contains(keys, k) && k != "run_file" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// near names the known key that was most likely meant.
func near(key string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(strings.ReplaceAll(key, "-", "_"), k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return " (it can hold " + strings.Join(known, ", ") + ")"
	}
	return " (is " + best + " meant?)"
}

// distance is how many letters must be put in, left out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, last+1)
		}
	}
	return row[len(b)]
}
