// SPDX-License-Identifier: MIT

package duet

import (
	"bytes"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// lostNs is what lies between arrival and start, besides spinning, where the CPU was away: the clock's
// reading and a wake-up of the peer take less.
const lostNs = 50000

// usage is what a process has used so far.
type usage struct {
	user, system                         uint64
	voluntary, involuntary, minor, major uint32
	delay                                uint64
	delayKnown                           bool
}

// side is one side of a run under a runner.
type side struct {
	page             *page
	slot, peer, ring uintptr
	bell             int
	bellOwned        bool
	held             string // where duet holds the page; "": not visible from here
	begin, end       party
	ended, written   uint64
	filler           bool
	lookedNs         uint64 // during fillers, for the runner
	result, begun    outcome
	firstStart       uint64
	lastEnd          uint64
	startNs          uint64
	startCPUNs       uint64
	startCPU         uint32
	start            usage
	readyNs          uint64 // when it was read
	schedstat        int    // of the thread that drives it; -1: none
	operations       uint64
	tookNs           uint64 // as the program has said; never: it has not
	regions          regions
	runTimeNs        uint64
	least            uint64
}

func openSide(text string) (*side, error) {
	a, err := parseAttach(text)
	if err != nil {
		return nil, err
	}
	p, err := findPage(a)
	if err != nil {
		return nil, err
	}
	held := findHeld(a) // before the claim, by which others know of us
	bell, owned, err := findBell(a, held != "")
	if err == nil {
		slot := uintptr(offSlots + a.slot*slotBytes)
		if err = p.claim(slot); err == nil {
			// A child of fork has no business in the page.
			_ = syscall.Madvise(p.bytes, 10) // MADV_DONTFORK
			return newSide(p, a, held, bell, owned), nil
		}
	}
	if owned {
		_ = syscall.Close(bell)
	}
	_ = syscall.Munmap(p.bytes)
	return nil, err
}

// The path where duet holds the page, if it is visible from here, else "". The pid means
// something here only when it leads to this very page.
func findHeld(a attach) string {
	path := runnerPath(a, a.pageFd)
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	same, err := mapPage(fd, a.nonce)
	if err != nil {
		return ""
	}
	_ = syscall.Munmap(same.bytes)
	return path
}

func newSide(p *page, a attach, held string, bell int, owned bool) *side {
	s := &side{page: p, held: held, bell: bell, bellOwned: owned, schedstat: -1, runTimeNs: *p.u64(offRunTime),
		least: *p.u64(offLeast)}
	s.slot = uintptr(offSlots + a.slot*slotBytes)
	s.peer = uintptr(offSlots + (1-a.slot)*slotBytes)
	s.ring = uintptr(ringOffset + a.slot*ringRecords*recordBytes)
	gone := func() bool { return runnerGone(s.held) }
	s.begin = party{first: p.u32(offBegin), second: p.u32(offBegin + offSecond), spins: p.flags&flagNoSpin == 0,
		mine: p.u32(s.slot + slotTraits), peer: p.u32(s.peer + slotTraits), gone: gone}
	s.end = s.begin
	s.end.first, s.end.second, s.end.single = p.u32(offEnd), p.u32(offEnd+offSecond), true
	if p.flags&flagUsage != 0 {
		s.begin.woken = s.readStart
	}
	for i := uintptr(0); i < ringRecords; i++ { // page faults now
		s.record(uint64(i)).flags = 0
	}
	ringBell(bell)
	return s
}

func (s *side) record(n uint64) *record {
	return (*record)(s.page.at(s.ring + uintptr(n%ringRecords)*recordBytes))
}

func (s *side) has(flag uint32) bool { return s.page.flags&flag != 0 }

func cpuHere() uint32 {
	var cpu uint32
	_, _, _ = syscall.RawSyscall(sysGetcpu, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return cpu
}

func cpuNs() uint64 {
	var now syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 2, uintptr(unsafe.Pointer(&now)), 0)
	return uint64(now.Nano())
}

// read reads what the process has used. That makes the kernel look whose turn it is: a thread whose
// time is over loses its CPU when the call returns, and so its delay is read on the iteration's side.
func (u *usage) read() {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	u.user, u.system = uint64(r.Utime.Nano()), uint64(r.Stime.Nano())
	u.voluntary, u.involuntary = uint32(r.Nvcsw), uint32(r.Nivcsw)
	u.minor, u.major = uint32(r.Minflt), uint32(r.Majflt)
}

// readDelay reads how long this thread was ready without a CPU.
func (s *side) readDelay(u *usage) {
	if s.schedstat < 0 {
		return
	}
	var text [96]byte
	n, err := syscall.Pread(s.schedstat, text[:], 0)
	if fields := bytes.Fields(text[:max(n, 0)]); err == nil && len(fields) > 1 && string(fields[0]) != "0" {
		u.delay, err = strconv.ParseUint(string(fields[1]), 10, 64)
		u.delayKnown = err == nil
	}
}

func (s *side) readStart() {
	s.start = usage{}
	s.start.read()
	s.readDelay(&s.start)
	s.readyNs = monoNs()
}

// decideLast writes the index of the last iteration when this is it; docs/protocol.md
// says why both sides agree.
func (s *side) decideLast() {
	p, expected := s.page, uint64(0)
	if s.ended > 0 {
		elapsed := s.lastEnd - s.firstStart
		expected = elapsed + elapsed/s.ended
	}
	if s.ended+1 >= atomic.LoadUint64(p.u64(offLimit)) || atomic.LoadUint32(p.u32(offStop)) != 0 ||
		(s.ended > 0 && s.ended >= s.least && expected >= s.runTimeNs) {
		atomic.CompareAndSwapUint64(p.u64(offLast), never, s.ended)
	}
}

func (s *side) beginIteration() {
	if s.filler {
		return
	}
	s.decideLast()
	s.regions.begin()
	if s.schedstat < 0 && s.has(flagUsage) {
		s.schedstat, _ = syscall.Open("/proc/thread-self/schedstat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	}
	if s.has(flagUsage) {
		s.readStart()
	}
	s.startCPU = cpuHere()
	s.begun = met
	if !s.has(flagSolo) {
		s.begun = s.begin.meet()
	}
	// The timed window: from here to the reading in endIteration. System calls left in it:
	// two of the CPU clock, and only with CPU_TIME.
	s.startNs = monoNs()
	if s.has(flagCPUTime) {
		s.startCPUNs = cpuNs()
	}
}

func minus(a, b uint64) uint64 {
	if a > b {
		return a - b
	}
	return 0
}

// measuresAPart says whether the usage is of much more than the time that counts. Where CPU time is
// compared, it is of the whole window, whatever the program says.
func (s *side) measuresAPart(windowNs uint64) bool {
	return !s.has(flagCPUTime) && s.tookNs < windowNs-windowNs/8
}

func (s *side) write(endNs, endCPUNs uint64) {
	for i := range s.regions.visits {
		if v := &s.regions.visits[i]; v.any {
			*s.record(s.written) = record{startNs: v.first, endNs: v.first + v.spent, cpuNs: v.spentCPU,
				operations: s.operations, cpu: s.startCPU, flags: recordNoUsage, region: uint16(i + 1)}
			s.written++
		}
	}
	windowNs := endNs - s.startNs
	r := record{startNs: s.startNs, endNs: s.startNs + min(s.tookNs, windowNs), operations: s.operations, cpu: s.startCPU}
	if s.begun == metSlept {
		r.flags |= recordSlept
	}
	if cpuHere() != s.startCPU {
		r.flags |= recordCPUMoved
	}
	if s.has(flagUsage) && !s.measuresAPart(windowNs) {
		var now usage
		s.readDelay(&now)
		now.read()
		r.userNs = minus(minus(now.user, s.start.user), s.begin.spunNs)
		r.systemNs = minus(now.system, s.start.system)
		r.cpuNs = r.userNs + r.systemNs
		r.voluntary = now.voluntary - s.start.voluntary
		r.involuntary = now.involuntary - s.start.involuntary
		r.minorFaults = now.minor - s.start.minor
		r.majorFaults = now.major - s.start.major
		// What was taken between arrival and start is not the iteration's.
		if s.startNs-s.readyNs > s.begin.spunNs+lostNs {
			r.flags |= recordPreempted
		} else if now.delayKnown && s.start.delayKnown {
			r.delayNs = minus(now.delay, s.start.delay)
			r.flags |= recordDelay
		}
	} else {
		r.flags |= recordNoUsage
	}
	if s.has(flagCPUTime) {
		r.cpuNs = endCPUNs - s.startCPUNs
	}
	*s.record(s.written) = r
	s.written++
	atomic.StoreUint64(s.page.u64(s.slot+slotHead), s.written)
}

// expect keeps up how long an iteration is expected to take.
func (s *side) expect(took uint64) {
	word := s.page.u64(s.slot + slotExpected)
	before := atomic.LoadUint64(word)
	if before != 0 {
		took = min(before-before/4+took/4, before+before/32)
	}
	atomic.StoreUint64(word, took)
}

func (s *side) endIteration() {
	var endCPUNs uint64
	if s.has(flagCPUTime) {
		endCPUNs = cpuNs()
	}
	endNs := monoNs()
	s.regions.leave(endNs, endCPUNs)
	if s.filler {
		atomic.AddUint64(s.page.u64(s.slot+slotFillers), 1)
		return
	}
	if !s.begun.good() {
		s.result = s.begun
		return
	}
	if s.ended == 0 {
		s.firstStart = s.startNs
	}
	s.lastEnd = endNs
	s.write(endNs, endCPUNs)
	s.ended++
	if s.has(flagFill) {
		s.expect(endNs - s.startNs)
	}
	atomic.StoreUint64(s.page.u64(s.slot+slotEnded), s.ended)
	if !s.has(flagFill) && !s.has(flagSolo) && !s.has(flagNoEnd) {
		s.result = s.end.meet()
	}
}

func (s *side) mustFill() bool {
	p := s.page
	if !s.has(flagFill) || s.has(flagSolo) || atomic.LoadUint64(p.u64(s.peer+slotEnded)) >= s.ended ||
		atomic.LoadUint32(p.u32(s.peer+slotState)) >= stateClosed {
		return false
	}
	theirs := atomic.LoadUint64(p.u64(s.peer + slotExpected))
	mine := atomic.LoadUint64(p.u64(s.slot + slotExpected))
	return theirs == 0 || theirs >= monoNs()-s.startNs+mine/16
}

func (s *side) hasRoom() bool {
	return s.written-atomic.LoadUint64(s.page.u64(s.slot+slotDrained)) <= ringRecords-regionsMax-1
}

func (s *side) aborted() bool { return atomic.LoadUint32(s.page.u32(offAbort)) != 0 }

// Who executes fillers never sleeps at a meeting, where the runner is looked for.
func (s *side) deserted() bool {
	now := monoNs()
	due := now-s.startNs >= orphanCheckNs && now-s.lookedNs >= orphanCheckNs
	if due {
		s.lookedNs = now
	}
	return due && runnerGone(s.held)
}

func (s *side) waitForRoom() {
	p := s.page
	atomic.StoreUint32(p.u32(s.slot+slotState), stateFull)
	ringBell(s.bell)
	checked := monoNs()
	for {
		wake := atomic.LoadUint32(p.u32(s.slot + slotWake))
		if s.hasRoom() {
			break
		}
		if s.aborted() {
			s.result = poisoned
			break
		}
		futexWait(p.u32(s.slot+slotWake), wake, orphanCheckNs)
		if now := monoNs(); now-checked >= orphanCheckNs {
			checked = now
			if runnerGone(s.held) {
				s.result = orphaned
				break
			}
		}
	}
	atomic.StoreUint32(p.u32(s.slot+slotState), stateAttached)
}

func (s *side) next() bool {
	s.filler, s.operations, s.tookNs = false, 1, never
	if !s.result.good() {
		return false
	}
	if s.ended > 0 && s.mustFill() && !s.aborted() {
		if s.deserted() {
			s.result = orphaned
			return false
		}
		s.filler = true
		return true
	}
	if last := atomic.LoadUint64(s.page.u64(offLast)); last != never && s.ended > last {
		return false
	}
	if s.aborted() {
		s.result = poisoned
		return false
	}
	if !s.hasRoom() {
		s.waitForRoom()
	}
	return s.result.good()
}

func (s *side) region(name string) string {
	if s.filler {
		return ""
	}
	var now uint64
	if s.has(flagCPUTime) {
		now = cpuNs()
	}
	added, wrong := s.regions.enter(name, monoNs(), now)
	if added {
		n := uintptr(len(s.regions.names) - 1)
		copy(s.page.bytes[s.slot+slotNames+n*regionBytes:][:regionBytes-1], name)
		atomic.StoreUint32(s.page.u32(s.slot+slotRegions), uint32(n)+1)
	}
	return wrong
}

func (s *side) release() {
	if s.bellOwned {
		_ = syscall.Close(s.bell)
	}
	if s.schedstat >= 0 {
		_ = syscall.Close(s.schedstat)
	}
	_ = syscall.Munmap(s.page.bytes)
	s.page.bytes = nil
	runtime.KeepAlive(s)
}

func (s *side) handOn() {
	atomic.StoreUint32(s.page.u32(s.slot+slotTraits), 0)
	atomic.StoreUint32(s.page.u32(s.slot+slotState), 0)
	atomic.StoreUint64(s.page.u64(s.slot+slotClaim), 0)
	s.release()
}

// close returns why the run ended before its time, or "".
func (s *side) close() string {
	reason := ""
	switch s.result {
	case poisoned:
		reason = abortText(atomic.LoadUint32(s.page.u32(offAbort)))
	case orphaned:
		reason = "duet itself is gone"
	case confused:
		reason = "the two sides lost step: the shared page holds what no other side writes"
	}
	state := uint32(stateClosed)
	if s.result == confused {
		state = stateLost
	}
	atomic.StoreUint32(s.page.u32(s.slot+slotState), state)
	ringBell(s.bell)
	s.release()
	return reason
}
