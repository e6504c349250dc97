// SPDX-License-Identifier: MIT

package duet

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// The page, version 2: docs/protocol.md has every number below.
const (
	pageVersion = 2
	pageMagic   = 0x3147415054455544
	pageBytes   = 657664
	ringRecords = 4096
	recordBytes = 80
	ringOffset  = 2304
	never       = ^uint64(0)

	regionsMax  = 16
	regionBytes = 32

	offVersion    = 8
	offPageBytes  = 12
	offSlotCount  = 16
	offRecords    = 20
	offRecordSize = 24
	offFlags      = 28
	offRings      = 32
	offNonce      = 40
	offRunTime    = 48
	offLeast      = 64
	offLimit      = 128
	offStop       = 136
	offAbort      = 140
	offLast       = 144
	offBegin      = 256
	offEnd        = 512
	offSecond     = 128 // of a meeting
	offSlots      = 768
	slotBytes     = 768

	// In a slot.
	slotClaim    = 0
	slotState    = 8
	slotTraits   = 12
	slotHead     = 16
	slotFillers  = 24
	slotEnded    = 32
	slotExpected = 40
	slotRegions  = 48
	slotDrained  = 128
	slotWake     = 136
	slotNames    = 256

	stateAttached = 1
	stateFull     = 2
	stateClosed   = 3
	stateLost     = 4

	traitFutex  = 1
	traitAsleep = 2

	flagSolo    = 1
	flagNoSpin  = 2
	flagUsage   = 4
	flagCPUTime = 8
	flagFill    = 16
	flagNoEnd   = 32
	flagsKnown  = 63
)

// record is one entry of a ring.
type record struct {
	startNs, endNs, cpuNs, userNs, systemNs, delayNs, operations uint64
	voluntary, involuntary, minorFaults, majorFaults, cpu        uint32
	flags, region                                                uint16
}

const (
	recordSlept     = 1
	recordNoUsage   = 2
	recordPreempted = 4
	recordCPUMoved  = 8
	recordDelay     = 16
)

// page is the mapped page.
type page struct {
	bytes []byte
	flags uint32
}

func (p *page) at(offset uintptr) unsafe.Pointer {
	return unsafe.Pointer(&p.bytes[offset])
}

func (p *page) u32(offset uintptr) *uint32 { return (*uint32)(p.at(offset)) }
func (p *page) u64(offset uintptr) *uint64 { return (*uint64)(p.at(offset)) }

// attach is what DUET_ATTACH says.
type attach struct {
	pageFd, bellFd, pid, slot int
	nonce                     uint64
}

const attachVariable = "DUET_ATTACH"

func parseAttach(text string) (attach, error) {
	var a attach
	malformed := fmt.Errorf("%s is malformed: '%.100s'; unset it to work without duet", attachVariable, text)
	version, _, found := strings.Cut(text, ":")
	if number, ok := strings.CutPrefix(version, "v"); found && ok && number != strconv.Itoa(pageVersion) {
		if _, err := strconv.ParseUint(number, 10, 64); err == nil {
			return a, fmt.Errorf("%s names protocol version %s, this package knows %d; "+
				"build the benchmark with the duet that runs it", attachVariable, number, pageVersion)
		}
	}
	fields := strings.Split(text, ":")
	want := []struct {
		key          string
		digits, base int
	}{{"page", 4, 10}, {"bell", 4, 10}, {"pid", 10, 10}, {"slot", 1, 10}, {"nonce", 16, 16}}
	if len(fields) != len(want)+1 || fields[0] != "v"+strconv.Itoa(pageVersion) {
		return a, malformed
	}
	var values [5]uint64
	for i, w := range want {
		digits, ok := strings.CutPrefix(fields[i+1], w.key+"=")
		if !ok || len(digits) != w.digits || strings.ToLower(digits) != digits || strings.ContainsAny(digits, "+-_") {
			return a, malformed
		}
		value, err := strconv.ParseUint(digits, w.base, 64)
		if err != nil {
			return a, malformed
		}
		values[i] = value
	}
	if values[2] == 0 || values[2] > 1<<31-1 || values[3] > 1 {
		return a, malformed
	}
	return attach{int(values[0]), int(values[1]), int(values[2]), int(values[3]), values[4]}, nil
}

var errVersion = errors.New("version")

// mapPage maps the page behind fd when it is this run's.
func mapPage(fd int, nonce uint64) (*page, error) {
	const getSeals, seals = 1034, 1 | 2 | 4 // F_GET_SEALS; SEAL, SHRINK, GROW
	var stat syscall.Stat_t
	got, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), getSeals, 0)
	if errno != 0 || syscall.Fstat(fd, &stat) != nil {
		return nil, fmt.Errorf("descriptor %d is not a shared page", fd)
	}
	if got&seals != seals || stat.Size < offLimit {
		return nil, fmt.Errorf("descriptor %d is not a sealed shared page", fd)
	}
	bytes, err := syscall.Mmap(fd, 0, int(stat.Size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("cannot map the shared page: %w", err)
	}
	p := &page{bytes: bytes}
	if err := p.check(nonce); err != nil {
		_ = syscall.Munmap(bytes)
		return nil, err
	}
	p.flags = *p.u32(offFlags)
	return p, nil
}

func (p *page) check(nonce uint64) error {
	if *p.u64(0) != pageMagic || *p.u64(offNonce) != nonce {
		return errors.New("the inherited descriptor is not this run's shared page")
	}
	if version := *p.u32(offVersion); version != pageVersion {
		return fmt.Errorf("the shared page has layout %w %d, this package knows %d; "+
			"build the benchmark with the duet that runs it", errVersion, version, pageVersion)
	}
	if len(p.bytes) != pageBytes || *p.u32(offPageBytes) != pageBytes || *p.u32(offSlotCount) != 2 ||
		*p.u32(offRecords) != ringRecords || *p.u32(offRecordSize) != recordBytes ||
		*p.u32(offFlags)&^flagsKnown != 0 || *p.u32(offRings) != ringOffset ||
		*p.u32(offRings + 4) != ringOffset+ringRecords*recordBytes {
		return fmt.Errorf("the shared page's header contradicts layout version %d", pageVersion)
	}
	return nil
}

func runnerPath(a attach, fd int) string { return fmt.Sprintf("/proc/%d/fd/%d", a.pid, fd) }

// findPage takes the inherited descriptor or, where a launcher has closed it, the runner's.
func findPage(a attach) (*page, error) {
	p, inherited := mapPage(a.pageFd, a.nonce)
	if inherited == nil {
		syscall.CloseOnExec(a.pageFd)
		return p, nil
	}
	if errors.Is(inherited, errVersion) {
		return nil, inherited
	}
	fd, err := syscall.Open(runnerPath(a, a.pageFd), syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w; nor can it be opened as %s (%s is of a run that is over, or of another container)",
			inherited, runnerPath(a, a.pageFd), attachVariable)
	}
	defer syscall.Close(fd)
	return mapPage(fd, a.nonce)
}

func isPipeEnd(fd int) bool {
	var stat syscall.Stat_t
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
	return errno == 0 && flags&syscall.O_ACCMODE == syscall.O_WRONLY &&
		syscall.Fstat(fd, &stat) == nil && stat.Mode&syscall.S_IFMT == syscall.S_IFIFO
}

// findBell returns the bell; owned: it was opened here. visible: the pid leads to the runner. Else what it leads
// to is anybody's, and its pipes are not written to.
func findBell(a attach, visible bool) (fd int, owned bool, err error) {
	var mine, theirs syscall.Stat_t
	if isPipeEnd(a.bellFd) && syscall.Fstat(a.bellFd, &mine) == nil &&
		(!visible || syscall.Stat(runnerPath(a, a.bellFd), &theirs) != nil ||
			(mine.Dev == theirs.Dev && mine.Ino == theirs.Ino)) {
		syscall.CloseOnExec(a.bellFd)
		return a.bellFd, false, nil
	}
	err = syscall.ESRCH
	if visible {
		fd, err = syscall.Open(runnerPath(a, a.bellFd), syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	}
	if err == nil && isPipeEnd(fd) {
		return fd, true, nil
	}
	if err == nil {
		_ = syscall.Close(fd)
	}
	return -1, false, fmt.Errorf("cannot reach duet's bell, neither as descriptor %d nor as %s",
		a.bellFd, runnerPath(a, a.bellFd))
}

// claim takes the slot for this process.
func (p *page) claim(slot uintptr) error {
	pid := uint64(os.Getpid())
	if atomic.CompareAndSwapUint64(p.u64(slot+slotClaim), 0, pid) {
		atomic.StoreUint32(p.u32(slot+slotTraits), traitFutex)
		atomic.StoreUint32(p.u32(slot+slotState), stateAttached)
		return nil
	}
	owner := atomic.LoadUint64(p.u64(slot + slotClaim))
	if owner == pid {
		return errors.New("this process attached twice; call duet.Open once and use its result for all iterations")
	}
	name := "which has ended"
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", owner)); err == nil {
		name = strings.TrimSpace(string(comm))
	}
	return fmt.Errorf("process %d (%s) already takes part in the measurement, and each side is one process; "+
		"let it call HandOn before this one attaches, or start this one without %s", owner, name, attachVariable)
}

// ring rings the bell: a full pipe is as good, and a runner that is gone must not kill.
func ringBell(fd int) {
	// The Go runtime turns EPIPE on descriptors above 2 into an error, without SIGPIPE.
	_, _ = syscall.Write(fd, []byte{0})
}

// runnerGone tells whether the runner's descriptor at the path ("": it is not visible) is gone. A process that
// has ended and that nobody has collected has none.
func runnerGone(held string) bool {
	var stat syscall.Stat_t
	return held != "" && syscall.Lstat(held, &stat) == syscall.ENOENT
}

func abortText(reason uint32) string {
	texts := []string{"nothing happened", "the other side died", "the other side was stopped",
		"the other side left early", "the other side never attached", "the time limit is over",
		"the measurement was interrupted", "duet itself failed"}
	if int(reason) < len(texts) {
		return texts[reason]
	}
	return "unknown reason"
}
