package gpu

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"benchtop/model"
)

// column is one field of nvidia-smi's --query-gpu: the name to ask for first,
// then the names that other versions have or print in the header.
type column struct {
	names []string
	is    columnKind
	field Field
	unit  float64 // from the cell's usual unit to the field's
	fault FaultKind
}

type columnKind uint8

const (
	colReading columnKind = iota
	colIndex
	colUUID
	colName
	colBus
	colTime
	colDriver
	colStock
	colFault // a counter of what went wrong: read where it is, never asked for each second
)

// columns are the --query-gpu fields that mean something to us, in the order we
// ask for them. Of two for one field the earlier wins.
var columns = []column{
	{names: []string{"index"}, is: colIndex},
	{names: []string{"uuid", "gpu_uuid"}, is: colUUID},
	{names: []string{"name", "gpu_name"}, is: colName},
	{names: []string{"pci.bus_id", "gpu_bus_id"}, is: colBus},
	{names: []string{"driver_version"}, is: colDriver},
	{names: []string{"timestamp"}, is: colTime},
	{names: []string{"clocks.sm", "clocks.current.sm"}, field: SMClock, unit: 1},
	{names: []string{"clocks.mem", "clocks.current.memory"}, field: MemClock, unit: 1},
	{names: []string{"clocks.max.sm"}, field: MaxSMClock, unit: 1},
	{names: []string{"clocks.max.mem", "clocks.max.memory"}, field: MaxMemClock, unit: 1},
	{names: []string{"temperature.gpu"}, field: Temp, unit: 1},
	{names: []string{"temperature.memory"}, field: MemTemp, unit: 1},
	{names: []string{"temperature.gpu.tlimit"}, field: Margin, unit: 1},
	{names: []string{"power.draw.average"}, field: Power, unit: 1},
	{names: []string{"power.draw"}, field: Power, unit: 1},
	{names: []string{"power.draw.instant"}, field: PowerInstant, unit: 1},
	{names: []string{"enforced.power.limit"}, field: PowerLimit, unit: 1},
	{names: []string{"power.limit"}, field: PowerLimit, unit: 1},
	{names: []string{"power.default_limit"}, is: colStock},
	{names: []string{"utilization.gpu"}, field: Util, unit: 1},
	{names: []string{"memory.used"}, field: MemUsed, unit: 1},
	{names: []string{"memory.total"}, field: MemTotal, unit: 1},
	{names: []string{"clocks_event_reasons.active", "clocks_throttle_reasons.active"}, field: Reasons, unit: 1},
	{names: []string{"clocks_event_reasons_counters.sw_power_cap"}, field: HeldPowerCap, unit: 1e3},
	{names: []string{"clocks_event_reasons_counters.sync_boost"}, field: HeldSyncBoost, unit: 1e3},
	{names: []string{"clocks_event_reasons_counters.sw_thermal_slowdown"}, field: HeldSWThermal, unit: 1e3},
	{names: []string{"clocks_event_reasons_counters.hw_thermal_slowdown"}, field: HeldHWThermal, unit: 1e3},
	{names: []string{"clocks_event_reasons_counters.hw_power_brake_slowdown"}, field: HeldBrake, unit: 1e3},
	{names: []string{"ecc.errors.corrected.volatile.total"}, is: colFault, fault: FaultECCCorrected},
	{names: []string{"ecc.errors.uncorrected.volatile.total"}, is: colFault, fault: FaultECCUncorrected},
	{names: []string{"retired_pages.single_bit_ecc.count", "retired_pages.sbe"}, is: colFault, fault: FaultRetired},
	{names: []string{"retired_pages.double_bit.count", "retired_pages.dbe"}, is: colFault, fault: FaultRetired},
}

// columnByName finds a column by any of its names.
var columnByName = func() map[string]*column {
	m := make(map[string]*column)
	for i := range columns {
		for _, n := range columns[i].names {
			m[n] = &columns[i]
		}
	}
	return m
}()

// documentedOrder is the query that our own documentation gives for logging by
// hand; a file without a header is taken to be of it.
const documentedOrder = "index,uuid,timestamp,pstate,clocks.sm,clocks.mem,temperature.gpu,temperature.gpu.tlimit," +
	"temperature.memory,power.draw.instant,enforced.power.limit,utilization.gpu,memory.used,memory.total," +
	"clocks_event_reasons.active,clocks_event_reasons_counters.sw_power_cap," +
	"clocks_event_reasons_counters.sw_thermal_slowdown,clocks_event_reasons_counters.hw_thermal_slowdown," +
	"clocks_event_reasons_counters.hw_power_brake_slowdown"

// layout is what the cells of a line are, in order; nil for one we don't use.
type layout []*column

// layoutOf is the layout of a query, as it was asked for.
func layoutOf(query string) layout {
	var l layout
	for name := range strings.SplitSeq(query, ",") {
		l = append(l, columnByName[name])
	}
	return l
}

// headerLayout reads a header line. nvidia-smi prints the long names with
// units, whatever was asked. ok is false if the line is no header.
func headerLayout(line string) (l layout, ok bool) {
	known, words := 0, 0
	for cell := range strings.SplitSeq(line, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(cell), " [")
		c := columnByName[name]
		if c != nil {
			known++
		}
		if name != "" && name[0] >= 'a' && name[0] <= 'z' {
			words++
		}
		l = append(l, c)
	}
	return l, known >= 2 && words == len(l)
}

func (l layout) has(is columnKind) bool {
	for _, c := range l {
		if c != nil && c.is == is {
			return true
		}
	}
	return false
}

// Why a line is not a row.
var (
	errMessage = errors.New("a message, not a row")
	errNoTime  = errors.New("no readable timestamp in the row (add timestamp to --query-gpu)")
	errNoIndex = errors.New("no readable index or uuid in the row (add index,uuid to --query-gpu)")
)

// row is one line of nvidia-smi's CSV.
type row struct {
	Reading
	bus    string
	counts faultCounts
}

// id tells GPUs apart.
func (r *row) id() string { return cmp.Or(r.UUID, strconv.Itoa(r.Index)) }

// parse reads a line by the layout. A zero now asks for the row's own time.
func (l layout) parse(line string, zone *time.Location, now model.Instant) (row, error) {
	r := row{Reading: Reading{Index: -1, At: now}}
	cells := cellsOf(line, len(l))
	if len(cells) != len(l) {
		return r, errMessage
	}
	gone := Code(0)
	for i, c := range l {
		if c == nil {
			continue
		}
		cell := strings.TrimSpace(cells[i])
		if c.is == colFault {
			if n, err := strconv.ParseUint(cell, 10, 32); err == nil {
				r.counts.add(c.fault, float64(n))
			}
			continue
		}
		if c.is != colReading {
			r.identity(c, cell, zone, now)
			continue
		}
		if code := r.reading(c, cell); code.gone() {
			gone = code
		}
	}
	switch {
	case r.Index < 0 && l.has(colIndex), r.Index < 0 && r.UUID == "":
		return r, errNoIndex
	case r.At == 0:
		return r, errNoTime
	}
	r.Index = max(r.Index, 0)
	if gone != 0 && r.valid == 0 {
		r.State, r.Held = Lost, true
	}
	return r, nil
}

// cellsOf splits a line. Where that gives more cells than there are columns, some
// commas are a locale's decimal ones: those that no blank follows.
func cellsOf(line string, columns int) []string {
	cells := strings.Split(line, ",")
	if len(cells) > columns {
		cells = strings.Split(line, ", ")
	}
	return cells
}

func (r *row) identity(c *column, cell string, zone *time.Location, now model.Instant) {
	if noValue(cell) != 0 {
		return
	}
	switch c.is {
	case colIndex:
		if n, err := strconv.ParseUint(cell, 10, 16); err == nil {
			r.Index = int(n)
		}
	case colUUID:
		if strings.Contains(cell, "-") {
			r.UUID = cell
		}
	case colName:
		r.Name = cell
	case colBus:
		r.bus = cell
	case colDriver:
		r.Driver = cell
	case colStock:
		r.Stock, _ = cellNumber(&column{unit: 1}, cell) // 0 if it is none
	case colTime:
		if now != 0 {
			return // live: our own clock, for theirs may be elsewhere
		}
		if t, err := time.ParseInLocation("2006/01/02 15:04:05", cell, zone); err == nil && t.Year() >= 1970 && t.Year() < 2262 {
			r.At = model.InstantOf(t)
		}
	}
}

// reading stores one cell, or why there is no value in it.
func (r *row) reading(c *column, cell string) Code {
	if r.Has(c.field) {
		return 0
	}
	if code := noValue(cell); code != 0 {
		r.Fail(c.field, code)
		return code
	}
	v, ok := cellNumber(c, cell)
	if !ok {
		r.Fail(c.field, CodeUnknown)
		return CodeUnknown
	}
	r.Set(c.field, v)
	return 0
}

// cellUnits are the units a cell may carry, as factors to the usual unit of
// what they measure: MHz, W, C, MiB, percent, us.
var cellUnits = map[string]float64{
	"MHz": 1, "GHz": 1e3, "W": 1, "mW": 1e-3, "C": 1, "%": 1,
	"MiB": 1, "GiB": 1 << 10, "KiB": 1.0 / (1 << 10), "us": 1, "ns": 1e-3, "ms": 1e3, "s": 1e6,
}

func cellNumber(c *column, cell string) (float64, bool) {
	number, unit, _ := strings.Cut(cell, " ")
	if c.field == Reasons {
		bits, err := strconv.ParseUint(number, 0, 64)
		return float64(bits), err == nil && unit == ""
	}
	if strings.Count(number, ",") == 1 && !strings.Contains(number, ".") {
		number = strings.Replace(number, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	if unit != "" {
		f, ok := cellUnits[unit]
		if !ok {
			return 0, false
		}
		v *= f
	}
	return v * c.unit, true
}

// noValue is the code for the words nvidia-smi writes where it has no number, 0
// for anything else.
func noValue(cell string) Code {
	switch strings.Trim(cell, "[]") {
	case "", "N/A", "Not Supported":
		return CodeNotSupported
	case "Insufficient Permissions":
		return CodeNoPermission
	case "Requested functionality has been deprecated":
		return CodeDeprecated
	case "GPU requires reset":
		return CodeResetRequired
	case "GPU is lost":
		return CodeLost
	case "Unknown Error":
		return CodeUnknown
	}
	return 0
}
