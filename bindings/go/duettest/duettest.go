// SPDX-License-Identifier: MIT

// Package duettest lets functions of package testing take part in a measurement by duet.
//
//	func BenchmarkParse(b *testing.B) {
//		duettest.Run(b, func() { Parse(input) })
//	}
//
// Under plain `go test -bench` this is `for b.Loop() { Parse(input) }`. Under duet, which
// starts the two test binaries with one benchmark and -test.benchtime=1x, the function is
// called in batches, and each batch is an iteration beside the other side's:
//
//	go test -c -o old.test ./old && go test -c -o new.test ./new
//	duet './old.test -test.run=NONE "-test.bench=^BenchmarkParse$" -test.benchtime=1x' \
//	     './new.test -test.run=NONE "-test.bench=^BenchmarkParse$" -test.benchtime=1x'
package duettest

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"duet.example/duet"
)

// Options of Measure. The zero value is what Run takes.
type Options struct {
	// Batch is how many calls an iteration makes. 0: as many as take about 200 µs, found
	// before the first iteration. The sides may differ: they are compared by time per call.
	Batch int
	// GC collects garbage before each iteration, outside the timed window. For functions
	// that allocate and take milliseconds; GOGC=off switches the collector off otherwise.
	GC bool
}

// Run measures f as an operation. What f does between b.StopTimer and b.StartTimer is not timed.
func Run(b *testing.B, f func()) {
	b.Helper()
	Measure(b, Options{}, f)
}

// One process takes part once: package testing may call a benchmark again with a larger
// b.N, and a binary may have several of them.
var (
	once     sync.Mutex
	measured string
)

// Measure is Run with options.
func Measure(b *testing.B, options Options, f func()) {
	b.Helper()
	if list := os.Getenv("DUET_LIST"); list != "" {
		if err := appendTo(list, b.Name()); err != nil {
			fail(b, err)
		}
		b.SkipNow()
	}
	if !duet.Wanted() {
		for b.Loop() {
			f()
		}
		return
	}
	once.Lock()
	defer once.Unlock()
	if measured == b.Name() {
		return
	}
	if measured != "" {
		fail(b, fmt.Errorf("duet: it measures one benchmark of a process, and that was %s: select one with "+
			"-test.bench='^%s$'", measured, b.Name()))
	}
	measured = b.Name()
	d := duet.Open(b.Name())
	calls, spent := 0, time.Duration(0)
	batch, stops := options.Batch, false
	if d.Attached() {
		b.StartTimer() // where it was stopped before
		stood := timerStood(b)
		if batch <= 0 {
			batch = calibrate(f)
		} else {
			f()
		}
		stops = stood()
	}
	runtime.GC() // what was left by the set-up
	for d.Next() {
		if options.GC {
			runtime.GC()
		}
		d.Count(uint64(batch))
		start := time.Now()
		d.Begin()
		if stops {
			before := b.Elapsed()
			for i := 0; i < batch; i++ {
				f()
			}
			d.Took(uint64(b.Elapsed() - before))
		} else {
			for i := 0; i < batch; i++ {
				f()
			}
		}
		d.End()
		spent += time.Since(start)
		calls += batch
	}
	if err := d.Close(); err != nil {
		fail(b, err)
	}
	if calls > 0 { // the waiting for the other side is in it
		b.ReportMetric(float64(spent.Nanoseconds())/float64(calls), "ns/op")
	}
}

// appendTo adds a line with the benchmark's name and the words that select it, for a front-end such
// as `duet go-test`.
func appendTo(list, name string) error {
	elements := strings.Split(name, "/")
	for i, element := range elements {
		elements[i] = "^" + regexp.QuoteMeta(element) + "$"
	}
	pattern := strings.ReplaceAll(strings.Join(elements, "/"), "'", `'\''`)
	file, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("duet: %w", err)
	}
	_, err = fmt.Fprintf(file, "%s\t-test.run=NONE '-test.bench=%s' -test.benchtime=1x\n", name, pattern)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// fail tells it on standard error, too: duet shows that.
func fail(b *testing.B, err error) {
	b.Helper()
	fmt.Fprintln(os.Stderr, err)
	b.Fatal(err)
}

// timerStood returns what says whether the benchmark's timer has stood still since. To stop and to start it
// takes tens of microseconds.
func timerStood(b *testing.B) func() bool {
	const reading = 2 * time.Microsecond
	start, before := time.Now(), b.Elapsed()
	return func() bool {
		counted := b.Elapsed() - before
		return time.Since(start)-counted > reading
	}
}

// calibrate calls f for some milliseconds, which also warms caches up. The longest call does not
// count: another program may have taken the CPU meanwhile.
func calibrate(f func()) int {
	const batchTime, warmup, slow = 200 * time.Microsecond, 5 * time.Millisecond, 100 * time.Millisecond
	var spent, longest time.Duration
	calls := 0
	for start := time.Now(); calls < 2 || spent-longest < warmup; calls++ {
		before := spent
		f()
		spent = time.Since(start)
		longest = max(longest, spent-before)
		if calls == 0 && spent > slow {
			return 1
		}
	}
	each := (spent - longest) / time.Duration(calls-1)
	return max(1, int(batchTime/max(each, 1)))
}
