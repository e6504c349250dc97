// SPDX-License-Identifier: MIT

package duet

import (
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// What the runtime's own clock and spin loops use, without a system call. nanotime is
// CLOCK_MONOTONIC.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname procyield runtime.procyield
func procyield(cycles uint32)

func monoNs() uint64 { return uint64(nanotime()) }

const (
	meetDone      = 0
	meetWaiting   = 1
	meetAsleep    = 2
	meetDoneSlept = 3
	poison        = ^uint32(0)

	leastPatienceNs  = 20000
	mostPatienceNs   = 200000
	secondPatienceNs = 20000000
	orphanCheckNs    = 10000000000
	napNs            = 1000000
)

type outcome int

const (
	met outcome = iota
	metSlept
	poisoned
	orphaned
	confused
)

func (o outcome) good() bool { return o == met || o == metSlept }

// party is one side's own view of a meeting point.
type party struct {
	first, second *uint32
	round, again  uint32
	waitNs        uint64 // smoothed
	lastNs        uint64
	spunNs        uint64 // since the last sleep: CPU time that is not the program's
	spins, single bool
	mine, peer    *uint32 // traits
	woken         func()  // after each sleep; nil: nothing
	gone          func() bool
}

func word(round, state uint32) uint32 { return round<<3 | state }

const (
	futexWaitOp = 0
	futexWakeOp = 1
)

func futexWait(word *uint32, value uint32, ns uint64) {
	timeout := syscall.NsecToTimespec(int64(ns))
	_, _, _ = syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWaitOp,
		uintptr(value), uintptr(unsafe.Pointer(&timeout)), 0, 0)
}

func futexWakeAll(word *uint32) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWakeOp,
		1<<31-1, 0, 0, 0)
}

// spin looks while *at == value, about bound ns; returns what it saw last.
func (p *party) spin(at *uint32, value uint32, boundNs uint64) uint32 {
	const spinsPerClock, awayNs = 64, 10000
	var before, waited, spun uint64
	for waited < boundNs {
		for i := 0; i < spinsPerClock; i++ {
			if seen := atomic.LoadUint32(at); seen != value {
				p.lastNs += waited
				p.spunNs += spun
				return seen
			}
			procyield(1)
		}
		now := monoNs()
		if before != 0 {
			waited += now - before
			if now-before < awayNs {
				spun += now - before
			}
		}
		before = now
	}
	p.lastNs += waited
	p.spunNs += spun
	return value
}

func (p *party) sleep(at *uint32, value uint32) uint32 {
	checked := monoNs()
	for {
		if seen := atomic.LoadUint32(at); seen != value {
			return seen
		}
		nap := uint64(napNs) // a peer that can only spin wakes nobody
		if atomic.LoadUint32(p.peer)&traitFutex != 0 {
			nap = orphanCheckNs
		}
		futexWait(at, value, nap)
		if now := monoNs(); now-checked >= orphanCheckNs {
			checked = now
			if p.gone() {
				return atomic.LoadUint32(at)
			}
		}
	}
}

// judge says what the value that ended the wait in state mine means.
func (p *party) judge(seen, round, mine uint32) outcome {
	ahead := seen == word(round+1, meetWaiting) || seen == word(round+1, meetAsleep)
	switch {
	case seen == word(round, meetDone):
		return met
	case seen == word(round, meetDoneSlept):
		return metSlept
	case seen == poison:
		return poisoned
	case seen == word(round, mine):
		return orphaned
	case ahead && mine == meetWaiting:
		return met
	case ahead && (!p.spins || p.single):
		return metSlept
	}
	return confused
}

func (p *party) wait(at *uint32, round uint32, boundNs uint64) outcome {
	waiting, asleep := word(round, meetWaiting), word(round, meetAsleep)
	if seen := p.spin(at, waiting, boundNs); seen != waiting {
		return p.judge(seen, round, meetWaiting)
	}
	if !atomic.CompareAndSwapUint32(at, waiting, asleep) {
		return p.judge(atomic.LoadUint32(at), round, meetWaiting)
	}
	start := monoNs()
	atomic.OrUint32(p.mine, traitAsleep)
	seen := p.sleep(at, asleep)
	atomic.AndUint32(p.mine, ^uint32(traitAsleep))
	p.lastNs += monoNs() - start
	p.spunNs = 0
	if p.woken != nil {
		p.woken()
	}
	return p.judge(seen, round, meetAsleep)
}

func (p *party) arrive(at *uint32, round uint32, boundNs uint64) outcome {
	seen, next := word(round, meetWaiting), word(round, meetDone)
	for !atomic.CompareAndSwapUint32(at, seen, next) {
		seen = atomic.LoadUint32(at)
		switch seen {
		case word(round, meetWaiting):
			next = word(round, meetDone)
		case word(round, meetAsleep):
			next = word(round, meetDoneSlept)
		case word(round-1, meetDone), word(round-1, meetDoneSlept):
			next = word(round, meetWaiting)
		case poison:
			return poisoned
		default:
			return confused
		}
	}
	switch next {
	case word(round, meetDone):
		return met
	case word(round, meetWaiting):
		return p.wait(at, round, boundNs)
	}
	futexWakeAll(at)
	return metSlept
}

func (p *party) patience() uint64 {
	p.waitNs = p.waitNs - p.waitNs/4 + p.lastNs/4
	p.lastNs = 0
	switch {
	case !p.spins:
		return 0
	case 2*p.waitNs < leastPatienceNs:
		return leastPatienceNs
	case p.waitNs > mostPatienceNs: // sleeping is cheaper
		return leastPatienceNs
	}
	return min(2*p.waitNs, mostPatienceNs)
}

// meet meets the peer in the next round.
func (p *party) meet() outcome {
	bound := p.patience()
	p.spunNs = 0
	p.round = (p.round + 1) & (1<<29 - 1)
	result := p.arrive(p.first, p.round, bound)
	if result == metSlept && p.spins && !p.single {
		lastNs := p.lastNs
		p.again = (p.again + 1) & (1<<29 - 1)
		result = p.arrive(p.second, p.again, secondPatienceNs)
		if result == met {
			result = metSlept
		}
		p.lastNs = lastNs
	}
	return result
}

var _ = time.Now // nanotime needs the runtime's clock set up, which importing time does
