//go:build !unix

package main

import "errors"

const (
	standStill = 0
	goOn       = 1
)

// signal cannot stop a process here; the scenario says so.
func (p *process) signal(int) error { return errors.New("a process cannot be stopped on this system") }

func openFiles() int { return -1 }
