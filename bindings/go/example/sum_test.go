// A benchmark to copy from. Alone: go test -bench . ; beside another one: README.md.
package example

import (
	"os"
	"strconv"
	"testing"

	"duet.example/duet/duettest"
)

var sink uint64

func sum(n int) {
	var total uint64
	for i := 0; i < n; i++ {
		total += uint64(i) ^ (total << 1)
	}
	sink = total
}

// count is the work, so that two of the same binary can differ.
func count() int {
	if n, err := strconv.Atoi(os.Getenv("SUM_COUNT")); err == nil {
		return n
	}
	return 1000
}

func BenchmarkSum(b *testing.B) {
	n := count()
	duettest.Run(b, func() { sum(n) })
}

func BenchmarkTwice(b *testing.B) {
	n := count()
	duettest.Run(b, func() { sum(n); sum(n) })
}

// BenchmarkPrepared times the sum, and not what goes before it.
func BenchmarkPrepared(b *testing.B) {
	n := count()
	duettest.Run(b, func() {
		b.StopTimer()
		sum(1000000)
		b.StartTimer()
		sum(n)
	})
}
