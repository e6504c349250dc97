// SPDX-License-Identifier: MIT

package duet

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// alone is a benchmark that nobody compares.
type alone struct {
	name       string
	iterations uint64
	timeNs     uint64
	list, warm bool
	quiet      bool // standard output belongs to something else
	opened     uint64
	startNs    uint64
	operations uint64
	tookNs     uint64 // as the program has said; never: it has not
	times      []float64
	regions    regions
	parts      [][]float64
}

// What DUET_TIME may say in every language, and Go does not know.
var otherUnits = map[string]float64{"": 1e9, "min": 60e9, "d": 86400e9}

// durationNs returns false where the text is no duration.
func durationNs(text string) (uint64, bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return uint64(d), d > 0
	}
	unit := strings.TrimLeft(text, "0123456789.")
	number, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	ns := number * otherUnits[unit]
	return uint64(ns), err == nil && ns >= 1 && ns < 1<<63
}

func openAlone(name string) (*alone, error) {
	a := &alone{name: name, iterations: 1000000, timeNs: 1e9}
	if text := os.Getenv("DUET_TIME"); text != "" {
		ns, ok := durationNs(text)
		if !ok {
			return nil, fmt.Errorf("DUET_TIME=%s is no duration; type a number and a unit, such as 500ms", text)
		}
		a.timeNs = ns
	}
	if text := os.Getenv("DUET_ITERATIONS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 60)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("DUET_ITERATIONS=%s is no number of iterations, such as 100", text)
		}
		a.iterations = n
		if os.Getenv("DUET_TIME") == "" {
			a.timeNs = never
		}
	}
	text := os.Getenv("DUET_TIMES")
	a.list = text != "" && text != "0"
	a.quiet = os.Getenv("DUET_REPORT") == "none"
	a.times = make([]float64, 0, 1024)
	return a, nil
}

func (a *alone) next() bool {
	now := monoNs()
	a.operations, a.tookNs = 1, never
	if a.opened == 0 {
		a.opened = now
		return true
	}
	if !a.warm {
		a.warm = a.timeNs == never || now-a.opened >= a.timeNs/10
		return true
	}
	n := uint64(len(a.times))
	return n == 0 || (n < a.iterations && now-a.opened < a.timeNs)
}

func (a *alone) begin() {
	a.regions.begin()
	a.startNs = monoNs()
}

func (a *alone) end() {
	now := monoNs()
	a.regions.leave(now, 0)
	if !a.warm {
		return
	}
	a.times = append(a.times, float64(min(a.tookNs, now-a.startNs))/float64(a.operations))
	for len(a.parts) < len(a.regions.visits) {
		a.parts = append(a.parts, nil)
	}
	for i, v := range a.regions.visits {
		if v.any {
			a.parts[i] = append(a.parts[i], float64(v.spent)/float64(a.operations))
		}
	}
}

func summary(name string, times []float64) string {
	sorted := slices.Sorted(slices.Values(times))
	n, sum, squares := float64(len(sorted)), 0.0, 0.0
	for _, t := range sorted {
		sum += t
	}
	mean := sum / n
	for _, t := range sorted {
		squares += (t - mean) * (t - mean)
	}
	median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	unit, divisor := "ns", 1.0
	switch {
	case mean >= 1e9:
		unit, divisor = "s", 1e9
	case mean >= 1e6:
		unit, divisor = "ms", 1e6
	case mean >= 1e3:
		unit, divisor = "\u00b5s", 1e3
	}
	digits := 3
	if mean/divisor >= 100 {
		digits = 1
	} else if mean/divisor >= 10 {
		digits = 2
	}
	show := func(ns float64) string { return strconv.FormatFloat(ns/divisor, 'f', digits, 64) }
	spread, plural := "", "s"
	if len(sorted) > 1 {
		spread = " \u00b1 " + show(math.Sqrt(squares/(n-1)))
	} else {
		plural = ""
	}
	return fmt.Sprintf("%s: %s%s %s, median %s, min %s, max %s (%d iteration%s)\n", name, show(mean), spread,
		unit, show(median), show(sorted[0]), show(sorted[len(sorted)-1]), len(sorted), plural)
}

func (a *alone) report() (string, error) {
	if a.quiet {
		return "", nil
	}
	if len(a.times) == 0 {
		return "", fmt.Errorf("%s: no iteration was measured; Begin and End belong into a loop over Next", a.name)
	}
	var text strings.Builder
	for _, t := range a.times {
		if a.list {
			fmt.Fprintf(&text, "%.15g\n", t)
		}
	}
	text.WriteString(summary(a.name, a.times))
	for i, times := range a.parts {
		if len(times) > 0 {
			text.WriteString(summary(a.name+": "+a.regions.names[i], times))
		}
	}
	return text.String(), nil
}
