package loadgen

import (
	"io"
	"sort"
)

// Format is one tool's way of writing. A format file provides one and knows
// text only.
type Format struct {
	Name     string // stable, snake_case: what ,format=NAME takes
	Versions string // what it was checked against
	// Sniff scores the first lines of a stream from 0 (not mine) to 1 (nobody
	// else's). Lines of other programs may stand between.
	Sniff func(lines [][]byte) float64
	// New makes the parser of one stream.
	New func(o *Options) parser
	// Blind lists the kinds of failure that the format doesn't tell apart; their
	// counts are unknown, not 0.
	Blind []Outcome
	// GoodOnly: requests that failed are not in it at all.
	GoodOnly bool
	// Document: the stream is one text, complete only at its end, where the last
	// line feed may be missing.
	Document bool
	// Binary, if not nil, reads a stream that has no lines: each call yields
	// what comes next, io.EOF ends it. Such a stream can't be followed live.
	Binary func(r io.Reader) func(yield func(*Record)) error
	// Relative: times count from the start of the run, or by a clock that isn't
	// the time of day.
	Relative bool
}

// parser reads the lines of one stream.
type parser interface {
	// parse reads one line without its line end and yields what it tells. The
	// record and its ID belong to the parser after yield returns. A badLine says
	// that the line wasn't understood; any other error ends the stream.
	parse(line []byte, yield func(*Record)) error
	// flush yields what was held back. The input is idle, or over if last.
	flush(last bool, yield func(*Record)) error
}

// badLine is why a line wasn't understood.
type badLine string

func (b badLine) Error() string { return string(b) }

// unheld is embedded by parsers that hold nothing back.
type unheld struct{}

func (unheld) flush(bool, func(*Record)) error { return nil }

// Formats lists every format in the order they are shown.
var Formats = []*Format{
	&ndjson,
	&vegetaJSON,
	&vegetaCSV,
	&vegetaGob,
	&k6JSON,
	&k6CSV,
	&fortioAccess,
	&h2loadLog,
	&aiperfJSONL,
	&jmeterCSV,
	&siegeLines,
	&heyCSV,
	&ohaCSV,
	&ghzCSV,
	&vllmBench,
	&vllmText,
	&sglangBench,
	&guidellmReport,
	&genaiPerf,
	&inferencePerf,
	&llmLoadTest,
	&llmperfResponses,
	&ghzJSON,
	&gatlingText,
	&mlperfTrace,
	&wrkText,
	&heyText,
	&abText,
	&h2loadText,
	&siegeSummary,
	&siegeJSON,
	&locustHistory,
	&locustStats,
	&bombardierJSON,
	&bombardierText,
	&autocannonJSON,
	&autocannonText,
	&fortioReport,
	&ohaReport,
	&k6Summary,
	&vegetaReportJSON,
	&vegetaReportText,
	&trtllmReport,
	&gatlingBinary,
	&jmeterXML,
	&abGnuplot,
	&abPercentiles,
	&locustConsole,
	&evalscopeLog,
	&k6Text,
	&k6REST,
	&mlperfDetail,
	&tqdmBar,
	&abProgress,
	&locustFailures,
	&k6Log,
	&k6Dashboard,
	&fortioLog,
	&vegetaHist,
	&tgiBenchmark,
	&aiperfProgress,
	&guidellmLog,
	&jmeterSummary,
	&clientReport,
}

// FormatNamed finds a format by its name; nil if there is none.
func FormatNamed(name string) *Format {
	for _, f := range Formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Match is how well a format fits some lines.
type Match struct {
	Format *Format
	Score  float64 // 0..1
}

// Sniff scores every format on the first lines of a stream, the best first,
// and leaves out those that don't fit at all.
func Sniff(lines [][]byte) []Match {
	var all []Match
	for _, f := range Formats {
		if s := f.Sniff(lines); s > 0 {
			all = append(all, Match{f, s})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Score > all[j].Score })
	return all
}

// share is the part of the lines that are test's, of those that aren't blank.
func share(lines [][]byte, test func(line []byte) bool) float64 {
	n, hit := 0, 0
	for _, l := range lines {
		if len(l) == 0 {
			continue
		}
		n++
		if test(l) {
			hit++
		}
	}
	if hit == 0 {
		return 0
	}
	return float64(hit) / float64(n)
}
