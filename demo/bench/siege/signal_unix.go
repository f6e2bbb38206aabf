//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// Signals that stop a process, as a lid that is closed does, and let it go on.
const (
	standStill = syscall.SIGSTOP
	goOn       = syscall.SIGCONT
)

func (p *process) signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// openFiles is how many files this process has open; -1 where that is not told.
func openFiles() int {
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", os.Getpid()))
	if err != nil {
		return -1
	}
	return len(all)
}
