package gpu

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"benchtop/sources"
)

// dcgmReader reads what a DCGM exporter serves. The exporter has its own, slow
// pace (30 s unless told otherwise): a GPU whose numbers are all as they were
// was not measured anew, and its reading is held.
type dcgmReader struct {
	o   Options
	get func() (io.ReadCloser, error)
	dog watchdog

	mu      sync.Mutex
	shelves map[string]*shelf // by UUID, or by index where there is none
	last    map[string]Reading
	faults  faultLog
	xids    map[string]int // the last that was seen of each GPU; nil before the first scrape
	err     error          // how the last scrape failed
}

// dcgmStale is the age from which an exporter's reading is stale: three of its
// own periods.
const dcgmStale = 3 * 30 * time.Second

// dcgmTimeout is how long one scrape may take.
const dcgmTimeout = 5 * time.Second

// dcgmMetric says what a metric is. Of two for one field the one with the lower
// rank wins.
type dcgmMetric struct {
	field Field
	per   float64 // the metric's units in one of the field's
	rank  int
}

// dcgmMetrics are the exporter's metrics without the prefix DCGM_FI_, after
// dcgm_fields.h and the exporter's own list.
var dcgmMetrics = map[string]dcgmMetric{
	"DEV_SM_CLOCK":                                       {SMClock, 1, 0},
	"DEV_MEM_CLOCK":                                      {MemClock, 1, 0},
	"DEV_CLOCKS_EVENT_REASONS":                           {Reasons, 1, 0},
	"DEV_CLOCK_THROTTLE_REASONS":                         {Reasons, 1, 1},
	"DEV_GPU_TEMP":                                       {Temp, 1, 0},
	"DEV_MEMORY_TEMP":                                    {MemTemp, 1, 0},
	"DEV_GPU_TEMP_LIMIT":                                 {Margin, 1, 0},
	"DEV_POWER_USAGE":                                    {Power, 1, 0},
	"DEV_POWER_USAGE_INSTANT":                            {PowerInstant, 1, 0},
	"DEV_ENFORCED_POWER_LIMIT":                           {PowerLimit, 1, 0},
	"DEV_POWER_MGMT_LIMIT":                               {PowerLimit, 1, 1},
	"DEV_TOTAL_ENERGY_CONSUMPTION":                       {Energy, 1e3, 0},
	"DEV_GPU_UTIL":                                       {Util, 1, 0},
	"DEV_FB_USED":                                        {MemUsed, 1, 0},
	"DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP_NS":            {HeldPowerCap, 1, 0},
	"DEV_POWER_VIOLATION":                                {HeldPowerCap, 1, 1},
	"DEV_CLOCKS_EVENT_REASON_SYNC_BOOST_NS":              {HeldSyncBoost, 1, 0},
	"DEV_SYNC_BOOST_VIOLATION":                           {HeldSyncBoost, 1, 1},
	"DEV_BOARD_LIMIT_VIOLATION":                          {HeldBoard, 1, 0},
	"DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS":       {HeldSWThermal, 1, 0},
	"DEV_THERMAL_VIOLATION":                              {HeldSWThermal, 1, 1},
	"DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS":       {HeldHWThermal, 1, 0},
	"DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS": {HeldBrake, 1, 0},
	"DEV_RELIABILITY_VIOLATION":                          {HeldReliability, 1, 0},
	"PROF_SM_ACTIVE":                                     {SMActivity, 1, 0},
	"PROF_SM_OCCUPANCY":                                  {SMOccupancy, 1, 0},
	"PROF_PIPE_TENSOR_ACTIVE":                            {TensorActivity, 1, 0},
	"PROF_DRAM_ACTIVE":                                   {DRAMActivity, 1, 0},
	"PROF_PCIE_RX_BYTES":                                 {PCIeRx, 1, 0},
	"PROF_PCIE_TX_BYTES":                                 {PCIeTx, 1, 0},
}

// dcgmFaults are the metrics that count what went wrong, without the prefix
// DCGM_FI_; of one kind they are parts.
var dcgmFaults = map[string]FaultKind{
	"DEV_ECC_SBE_VOL_TOTAL":                 FaultECCCorrected,
	"DEV_ECC_DBE_VOL_TOTAL":                 FaultECCUncorrected,
	"DEV_PCIE_REPLAY_COUNTER":               FaultPCIeReplay,
	"DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": FaultNVLink,
	"DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL": FaultNVLink,
	"DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL":   FaultNVLink,
	"DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL": FaultNVLink,
	"DEV_RETIRED_SBE":                       FaultRetired,
	"DEV_RETIRED_DBE":                       FaultRetired,
	"DEV_CORRECTABLE_REMAPPED_ROWS":         FaultRetired,
	"DEV_UNCORRECTABLE_REMAPPED_ROWS":       FaultRetired,
	"DEV_ROW_REMAP_FAILURE":                 FaultRemapFailure,
}

// openDCGM reads the exporter at a URL; "host:9400" is enough.
func openDCGM(url string, o Options) Reader {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	if scheme := strings.Index(url, "://"); !strings.Contains(url[scheme+3:], "/") {
		url += "/metrics"
	}
	client := &http.Client{Timeout: dcgmTimeout, CheckRedirect: stayOnHost}
	return newDCGM(o, func() (io.ReadCloser, error) {
		resp, err := client.Get(url)
		if err != nil {
			return nil, errors.New(sources.Redact(err.Error()))
		}
		if resp.StatusCode != http.StatusOK {
			_ = resp.Body.Close()
			return nil, fmt.Errorf("GET %s: %s", sources.Redact(url), resp.Status)
		}
		return resp.Body, nil
	})
}

// stayOnHost refuses to leave the host that the user named.
func stayOnHost(req *http.Request, via []*http.Request) error {
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme || len(via) > 3 {
		return errors.New("redirected elsewhere: not followed (give the final address if it is the right one)")
	}
	return nil
}

func newDCGM(o Options, get func() (io.ReadCloser, error)) *dcgmReader {
	return &dcgmReader{o: o, get: get, shelves: make(map[string]*shelf), last: make(map[string]Reading)}
}

// Read implements Reader.
func (d *dcgmReader) Read(dst []Reading) ([]Reading, error) {
	waitAll(d.o.pace.grace, d.dog.start(d.scrape))
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	from := len(dst)
	for _, s := range d.shelves {
		dst = append(dst, s.take(now, dcgmStale))
	}
	slices.SortFunc(dst[from:], func(a, b Reading) int { return cmp.Or(a.Index-b.Index, a.Instance-b.Instance) })
	return dst, d.err
}

// Close implements Reader.
func (d *dcgmReader) Close() error { return nil }

func (d *dcgmReader) scrape() {
	now := time.Now()
	p, err := d.fetch(now)
	rs, xids := p.readings(), p.xids()
	if err == nil && len(rs) == 0 {
		err = errors.New("no GPU in it: is this a DCGM exporter (port 9400, /metrics)?")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = nil
	if err != nil {
		d.err = fmt.Errorf("dcgm exporter: %w", err)
	}
	for id, r := range rs {
		s := d.shelves[id]
		if s == nil {
			if len(d.shelves) >= 2*maxGPUs { // names that change with each scrape
				continue
			}
			s = newShelf(r.Index, now)
			s.r.Instance = r.Instance
			d.shelves[id] = s
		}
		// The exporter tells only which was the last: one that was there before we
		// looked is none of this run.
		if x := xids[id]; x != 0 && d.xids != nil && x != d.xids[id] {
			r.Xids = []int{x}
		}
		r.Faults = d.faults.grown(id, p.gpus[id].counts)
		if last := d.last[id]; !r.says(&last) || r.Xids != nil || r.Faults != nil {
			s.put(r, now)
		}
		d.last[id] = r
	}
	if err == nil {
		d.xids = xids
	}
}

// fetch scrapes once; the page is there, if empty, whatever went wrong.
func (d *dcgmReader) fetch(now time.Time) (*dcgmPage, error) {
	p := newDCGMPage(now)
	body, err := d.get()
	if err != nil {
		return p, err
	}
	defer func() { _ = body.Close() }() // read only
	in := bufio.NewScanner(io.LimitReader(body, 64<<20))
	in.Buffer(make([]byte, 0, 4096), maxLine)
	for in.Scan() {
		p.line(in.Text())
	}
	if err := in.Err(); err != nil {
		return newDCGMPage(now), err
	}
	return p, nil
}
