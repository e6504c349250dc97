// SPDX-License-Identifier: MIT

package duet

type visits struct {
	any                    bool
	first, spent, spentCPU uint64
}

// regions are the named parts of an iteration.
type regions struct {
	names           []string
	visits          []visits
	open            int // from 1; 0: none
	opened, openCPU uint64
}

func (r *regions) begin() {
	r.open = 0
	clear(r.visits)
}

func (r *regions) leave(now, nowCPU uint64) {
	if r.open != 0 {
		v := &r.visits[r.open-1]
		v.spent += now - r.opened
		v.spentCPU += nowCPU - r.openCPU
		r.open = 0
	}
}

func nameFits(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] < ' ' || name[i] > '~' {
			return false
		}
	}
	return len(name) > 0 && len(name) < regionBytes
}

func (r *regions) enter(name string, now, nowCPU uint64) (added bool, wrong string) {
	r.leave(now, nowCPU)
	if name == "" {
		return false, ""
	}
	for i, known := range r.names {
		if known == name {
			r.open = i + 1
		}
	}
	if r.open == 0 {
		if !nameFits(name) {
			return false, "Region was called with a name that is not 1 to 31 printable characters of ASCII"
		}
		if len(r.names) == regionsMax {
			return false, "Region was called with more than 16 different names"
		}
		r.names, r.visits = append(r.names, name), append(r.visits, visits{})
		r.open, added = len(r.names), true
	}
	if v := &r.visits[r.open-1]; !v.any {
		*v = visits{any: true, first: now}
	}
	r.opened, r.openCPU = now, nowCPU
	return added, ""
}
