package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"benchtop/model/compare"
)

// Rounds is the documents' own table: seven columns, one row a run, with what
// makes a row doubtful among its notes.
func Rounds(rows []compare.Row) Table {
	t := Table{
		Head:  []string{"round", "change", "client concurrency", "success/failure", "server mean batch", "timeouts or rejections", "notes"},
		Right: []bool{true, false, true, true, true, true, false},
	}
	for i := range rows {
		r := &rows[i]
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(r.Round), changeOf(r), target(r.Concurrency, r.Target), short(r.OK) + "/" + short(r.Failed), short(r.Batch), lost(r), strings.Join(r.Notes, "; "),
		})
	}
	return t
}

func changeOf(r *compare.Row) string {
	switch {
	case r.Change != "":
		return r.Change
	case r.Arm != "" && r.Arm != r.Run:
		return r.Arm
	case r.Round <= 1:
		return "baseline"
	}
	return cmp.Or(r.Label, "none")
}

// target prints a value with the one it was to reach.
func target(v, want float64) string {
	if math.IsNaN(want) {
		return short(v)
	}
	return short(v) + " of " + short(want)
}

// lost prints the client's count and, where it differs, the server's.
func lost(r *compare.Row) string {
	client := sum(r.Timeouts, r.Rejected)
	if math.IsNaN(r.ServerLost) || client == r.ServerLost {
		return short(client)
	}
	if math.IsNaN(client) {
		return "server " + short(r.ServerLost)
	}
	return fmt.Sprintf("client %s, server %s", short(client), short(r.ServerLost))
}

// figureIDs are the columns of the table of figures.
var figureIDs = []string{
	compare.OutputTPS, compare.Goodput, compare.ServerTPS, compare.LatencyP50, compare.LatencyP99, compare.TTFTP50,
	compare.Clock, "gpu_power", "gpu_temp", compare.StartTemp, compare.HeldPower, compare.HeldThermal, "gpu_util", compare.Occupancy,
}

// Figures is what each run is compared by, one row a run; columns that no run
// measured are left out.
func Figures(rows []compare.Row) Table {
	t := Table{Head: []string{"round", "run", "arm", "measured s"}, Right: []bool{true, false, false, true}}
	var ids []compare.Metric
	for _, id := range figureIDs {
		m, _ := compare.Find(id)
		for i := range rows {
			if !math.IsNaN(rows[i].Value(id)) {
				ids = append(ids, m)
				t.Head, t.Right = append(t.Head, head(m)), append(t.Right, true)
				break
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		line := []string{fmt.Sprint(r.Round), r.Run, r.Arm, short(math.Round(r.MeasuredS))}
		for _, m := range ids {
			line = append(line, short(r.Value(m.ID)*m.Scale))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// head is a metric as a column's head: short name and unit.
func head(m compare.Metric) string {
	names := map[string]string{
		compare.OutputTPS: "output", compare.Goodput: "good", compare.ServerTPS: "server gen", compare.LatencyP50: "p50", compare.LatencyP99: "p99", compare.TTFTP50: "TTFT p50",
		compare.Clock: "SM clock", "gpu_power": "power", "gpu_temp": "temp", compare.StartTemp: "start temp", compare.HeldPower: "power cap", compare.HeldThermal: "heat", "gpu_util": "busy",
		compare.Occupancy: "SM occupancy",
	}
	return strings.TrimSpace(cmp.Or(names[m.ID], m.ID) + " " + m.Unit)
}

// RowCSV is a row with every figure under its own name, for spreadsheets.
func RowCSV(rows []compare.Row) Table {
	t := Table{Head: []string{
		"round", "change", "client_concurrency", "success", "failure", "server_mean_batch", "timeouts", "rejections", "server_lost", "notes",
		"run", "arm", "label", "started", "duration_s", "measured_s", "warm", "verdict", "model", "server", "gpus",
	}}
	var ids []compare.Metric
	for _, m := range compare.Metrics() {
		ids = append(ids, m)
		t.Head = append(t.Head, strings.TrimSuffix(m.ID+"_"+csvUnit(m.Unit), "_"))
	}
	for i := range rows {
		r := &rows[i]
		line := []string{
			fmt.Sprint(r.Round), changeOf(r), plain(r.Concurrency), plain(r.OK), plain(r.Failed), plain(r.Batch), plain(r.Timeouts), plain(r.Rejected), plain(r.ServerLost), strings.Join(r.Notes, "; "),
			r.Run, r.Arm, r.Label, started(r), plain(r.DurationS), plain(r.MeasuredS), fmt.Sprint(r.Warm), r.Verdict, r.Facts["model"], strings.TrimSpace(r.Facts["engine"] + " " + r.Facts["engine_version"]), r.Facts["gpus"],
		}
		for _, m := range ids {
			line = append(line, plain(r.Value(m.ID)*m.Scale))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

func started(r *compare.Row) string {
	if s := stamp(r.Started); s != nil {
		return *s
	}
	return ""
}

func csvUnit(u string) string {
	return strings.NewReplacer("tok/s", "tok_s", "req/s", "rps", "%", "pct", "°C", "c", "1/s", "per_s", "MHz", "mhz", "W", "w", "MiB", "mib").Replace(u)
}

// plain prints a number for machines: nothing where nobody measured.
func plain(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", v), "0"), ".")
}

// RoundLog is the documents' table as it is kept from round to round: with when
// the run was, its id, and the model's identity.
func RoundLog(rows []compare.Row) *Page {
	t := Rounds(rows)
	t.Head = append(t.Head, "started", "run", "model", "server")
	t.Right = append(t.Right, false, false, false, false)
	for i := range rows {
		f := rows[i].Facts
		t.Rows[i] = append(t.Rows[i], started(&rows[i]), rows[i].Run, dash(f["model"]), dash(strings.TrimSpace(f["engine"]+" "+f["engine_version"])))
	}
	p := &Page{}
	p.table(t)
	return p
}

// RoundLine is one round's row for the terminal, with the table's head if it is
// the first.
func RoundLine(rows []compare.Row, first bool) *Page {
	p := &Page{}
	t := Rounds(rows)
	if first {
		p.table(t)
		return p
	}
	var parts []string
	for i, c := range t.Rows[0] {
		parts = append(parts, t.Head[i]+" "+c)
	}
	p.text(strings.Join(parts, "; "))
	return p
}
