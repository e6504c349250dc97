// What tests/bindings/test_conformance.py asks of every binding:
// conformance WHAT WORK [ITERATION].
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"duet.example/duet"
)

var sink uint64

func work(thousands int) {
	var total uint64
	for i := 0; i < thousands*1000; i++ {
		total += uint64(i) ^ (total << 1)
	}
	sink = total
}

func number(index int) int {
	if len(os.Args) <= index {
		return 0
	}
	n, _ := strconv.Atoi(os.Args[index])
	return n
}

func handOn() int {
	d := duet.Open("")
	d.HandOn()
	worker := exec.Command(os.Args[0], "plain", os.Args[2])
	worker.Stdout, worker.Stderr = os.Stdout, os.Stderr
	if worker.Run() != nil || d.Close() != nil {
		return 1
	}
	return 0
}

func second() {
	other := exec.Command(os.Args[0], "plain", os.Args[2])
	other.Stdout, other.Stderr = os.Stdout, os.Stderr
	if other.Run() == nil {
		os.Exit(9)
	}
}

func measure(what string, d *duet.Duet) error {
	done := 0
	for d.Next() {
		if what == "skip" {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if what == "misuse" {
			d.End()
		}
		if what == "count" {
			d.Count(uint64(number(3)))
		}
		if what == "second" && done == 0 {
			second()
		}
		d.Begin()
		if what == "kill" && done == number(3) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		switch what {
		case "count":
			work(number(2) * number(3))
		case "region":
			d.Region("parse")
			work(number(2))
			d.Region("run")
			work(number(2))
		default:
			work(number(2))
		}
		d.End()
		done++
	}
	kind := "alone"
	if d.Attached() {
		kind = "attached"
	}
	if what == "report" {
		fmt.Fprintln(os.Stderr, kind, done)
	}
	return d.Close()
}

func main() {
	what := os.Args[1]
	if what == "hand-on" {
		os.Exit(handOn())
	}
	result := make(chan error)
	run := func() { result <- measure(what, duet.Open("conformance")) }
	go run() // any goroutine may drive it
	if err := <-result; err != nil {
		fmt.Fprintf(os.Stderr, "%T: %v\n", err, err)
		os.Exit(1)
	}
}
