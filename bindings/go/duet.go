// SPDX-License-Identifier: MIT

// Package duet is the harness of duet for Go, without cgo: the functions of duet.h under
// Go's names.
//
//	d := duet.Open("")      // attaches to a running duet, or works alone
//	for d.Next() {          // false: enough
//		prepare()           // not timed
//		d.Begin()           // both sides are released together
//		work()
//		d.End()
//	}
//	if err := d.Close(); err != nil {
//		log.Fatal(err)
//	}
//
// Started by `duet OLD NEW`, two such programs are measured in lock-step; started by
// itself, the program measures itself and prints its times on standard output. For
// functions of package testing use package duettest.
package duet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

type phase int

const (
	between phase = iota
	wanted
	timed
	ended
)

// Duet is one process's part in a measurement. One goroutine drives it: from Open to
// Close it is locked to its thread. The work may use as many goroutines as it likes.
type Duet struct {
	side   *side
	alone  *alone
	err    error // attaching failed
	misuse string
	phase  phase
	// Since when no yes of Next was used; 0: it was.
	skippedNs uint64
}

// A loop may leave out an iteration that it was asked for, but one that begins none would
// never end.
const skippedMostNs = 10_000_000_000

func (d *Duet) skipsTooLong() bool {
	now := monoNs()
	if d.skippedNs == 0 {
		d.skippedNs = now
	}
	return now-d.skippedNs >= skippedMostNs
}

// Open attaches to the runner that started this process, or, without one, prepares to
// work alone. name is of the benchmark, shown when it works alone; "": the program's
// name. A failure is told by Err and Close; Next then says false at once.
func Open(name string) *Duet {
	if name == "" {
		name = filepath.Base(os.Args[0])
	}
	d := &Duet{}
	if text := os.Getenv(attachVariable); text != "" {
		runtime.LockOSThread()
		if d.side, d.err = openSide(text); d.err != nil {
			runtime.UnlockOSThread()
		}
	} else {
		d.alone, d.err = openAlone(name)
	}
	return d
}

// Err returns why attaching failed; nil: it did not.
func (d *Duet) Err() error { return d.err }

// Attached says whether a runner is attached; false: the program works alone.
func (d *Duet) Attached() bool { return d.side != nil }

func (d *Duet) misused(text string) {
	if d.misuse == "" {
		d.misuse = text
	}
}

// Next says whether another iteration is wanted. It may be a filler, which is executed in
// the same way but not recorded.
func (d *Duet) Next() bool {
	if d.phase == timed {
		d.misused("Next was called before End")
	}
	if d.phase != wanted {
		d.skippedNs = 0
	} else if d.skipsTooLong() {
		d.misused("Next was called for 10 s without Begin: call Begin and End around the work")
	}
	if d.misuse != "" || (d.side == nil && d.alone == nil) {
		return false
	}
	more := false
	if d.side != nil {
		more = d.side.next()
	} else {
		more = d.alone.next()
	}
	d.phase = between
	if more {
		d.phase = wanted
	}
	return more
}

// Begin waits for the other side and starts the clock.
func (d *Duet) Begin() {
	if d.side == nil && d.alone == nil {
		return
	}
	if d.phase != wanted {
		d.misused("Begin was called without Next saying so")
		return
	}
	d.phase = timed
	if d.side != nil {
		d.side.beginIteration()
	} else {
		d.alone.begin()
	}
}

// End stops the clock; then it waits until the other side has ended its iteration too.
func (d *Duet) End() {
	if d.phase == timed {
		if d.side != nil {
			d.side.endIteration()
		} else {
			d.alone.end()
		}
		d.phase = ended
	} else if d.side != nil || d.alone != nil {
		d.misused("End was called without Begin")
	}
}

// Count says that the iteration under way executes so many operations, 1 to 2^53; without
// it, it is one. The sides are compared by time per operation.
func (d *Duet) Count(operations uint64) {
	switch {
	case d.side == nil && d.alone == nil:
	case d.phase != wanted && d.phase != timed:
		d.misused("Count was called outside of an iteration")
	case operations == 0 || operations > 1<<53:
		d.misused("Count was called with a number that is not 1 to 2^53")
	case d.side != nil:
		d.side.operations = operations
	default:
		d.alone.operations = operations
	}
}

// Region ends the region of the iteration that is open, and begins the one called name
// (""; none). Each name is compared by itself, too, in the same run.
func (d *Duet) Region(name string) {
	wrong := ""
	switch {
	case d.side == nil && d.alone == nil:
	case d.phase != timed:
		wrong = "Region was called outside of Begin and End"
	case d.side != nil:
		wrong = d.side.region(name)
	default:
		_, wrong = d.alone.regions.enter(name, monoNs(), 0)
	}
	if wrong != "" {
		d.misused(wrong)
	}
}

// Took says that the work of the iteration under way took so many nanoseconds by a clock of the
// program's own, where Begin and End cannot be called right around it. It counts instead of the time
// between these two, and at most that. CPU times stay as they are.
func (d *Duet) Took(ns uint64) {
	switch {
	case d.side == nil && d.alone == nil:
	case d.phase != timed:
		d.misused("Took was called outside of Begin and End")
	case d.side != nil:
		d.side.tookNs = max(ns, 1)
	default:
		d.alone.tookNs = max(ns, 1)
	}
}

// HandOn leaves the measurement to another process, before the first Begin: to a worker
// that is started afterwards and calls Open.
func (d *Duet) HandOn() {
	if d.side == nil && d.alone == nil {
		return
	}
	begun := (d.side != nil && d.side.ended > 0) || (d.alone != nil && d.alone.warm)
	if begun || d.phase == timed || d.phase == ended {
		d.misused("HandOn was called after Begin")
		return
	}
	if d.side != nil {
		d.side.handOn()
		runtime.UnlockOSThread()
	}
	d.side, d.alone, d.phase = nil, nil, between
}

// Index is the current iteration, from 0; a filler has that of the iteration it follows.
func (d *Duet) Index() uint64 {
	back := func(count uint64, done bool) uint64 {
		if done && count > 0 {
			return count - 1
		}
		return count
	}
	switch {
	case d.alone != nil:
		return back(uint64(len(d.alone.times)), d.phase == ended || d.phase == between)
	case d.side != nil:
		return back(d.side.ended, d.side.filler || d.phase == ended)
	}
	return 0
}

// Close ends the measurement; alone, it prints the times. The error says that attaching
// failed, that an error ended the run, or that calls came in a wrong order. A second call
// does nothing.
func (d *Duet) Close() error {
	err := d.err
	if d.side != nil {
		count := d.side.ended
		if reason := d.side.close(); reason != "" {
			err = fmt.Errorf("stopped after %d iterations: %s", count, reason)
		}
		runtime.UnlockOSThread()
	} else if d.alone != nil && d.misuse == "" {
		var text string
		if text, err = d.alone.report(); err == nil {
			_, err = os.Stdout.WriteString(text)
		}
	}
	if d.misuse != "" {
		err = errors.New(d.misuse)
	}
	*d = Duet{}
	if err != nil {
		err = fmt.Errorf("duet: %w", err)
	}
	return err
}

// Wanted says whether a runner started this process and waits for somebody to attach.
func Wanted() bool { return os.Getenv(attachVariable) != "" }
