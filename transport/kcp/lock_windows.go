package kcp

// A client's key is used by one program at a time.

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock takes a file for this program; false if another has it, or another connection of
// this one. The system gives it free when the program ends, however it ends. The byte that
// is locked is far behind the key, which can still be read.
func lock(f *os.File) bool {
	at := windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) == nil
}
