//go:build unix

package kcp

// A client's key is used by one program at a time.

import (
	"os"
	"syscall"
)

// lock takes a file for this program; false if another has it, or another connection of
// this one. The system gives it free when the program ends, however it ends.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
