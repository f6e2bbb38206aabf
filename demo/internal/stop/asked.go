//go:build !js

package stop

// The signals that ask a program to end, where there are terminals.

import (
	"os"
	"os/signal"
	"syscall"
)

func asked() []os.Signal {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	return ends
}
