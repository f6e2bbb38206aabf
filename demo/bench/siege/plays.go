package main

// What the scenarios have in common.

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long anything may take that is not measured: the machine may be busy.
const patience = 20 * time.Second

func (s *stage) server(args ...string) (p *process, addr string) {
	p = s.start("server", args...)
	return p, p.wait("listens", patience).Text
}

func (s *stage) relay(to string) (p *process, addr string) {
	p = s.start("relay", "-to", to)
	return p, p.wait("listens", patience).Text
}

// clients starts n clients in one process and waits until they play.
func (s *stage) clients(addr string, n int) *process {
	p := s.asking(addr, n)
	for range n {
		p.wait("in", patience)
	}
	return p
}

// asking starts clients and does not wait.
func (s *stage) asking(addr string, n int) *process {
	return s.start("clients", "-addr", addr, "-n", fmt.Sprint(n))
}

// foe starts an attacker who has what a relay has recorded; nil: nothing.
func (s *stage) foe(to string, relay *process) *process {
	if relay == nil {
		f := s.start("foe", "-to", to)
		f.wait("ready", patience)
		return f
	}
	file := filepath.Join(s.dir, fmt.Sprint("packets", len(s.procs)))
	relay.tellText("record", file, nil)
	f := s.start("foe", "-to", to, "-packets", file)
	f.wait("ready", patience)
	return f
}

type num = map[string]float64

// ages lets clients play for a while and returns the figures of their state's age.
func ages(p *process, d time.Duration) num {
	p.tell("ages", nil)
	time.Sleep(d)
	return p.tell("ages", nil).Num
}

// A verdict collects what does not hold.
type verdict struct{ faults []string }

func (v *verdict) want(ok bool, format string, args ...any) {
	if !ok {
		v.faults = append(v.faults, fmt.Sprintf(format, args...))
	}
}

func (v *verdict) err() error {
	if len(v.faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(v.faults, "; "))
}
