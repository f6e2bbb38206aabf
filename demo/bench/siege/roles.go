package main

// The roles in which this program plays in a process of its own.

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"
)

// roles by name. A role reads orders and says what happens until its orders end.
var roles = map[string]func(r *role, args []string) error{
	"server": serve, "clients": join, "relay": relay, "foe": attack, "plain": servePlain, "bots": playBots,
}

// A role is what a process says and is told.
type role struct {
	orders chan order
	mu     sync.Mutex
	out    *json.Encoder
}

// play runs a role, and returns the process's exit code.
func play(name string, args []string) int {
	r := &role{orders: make(chan order, 16), out: json.NewEncoder(os.Stdout)}
	f, ok := roles[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "siege: no role", name)
		return 2
	}
	go r.listen()
	if err := f(r, args); err != nil {
		r.say(message{Say: "broken", Text: err.Error()})
		return 1
	}
	return 0
}

func (r *role) listen() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var o order
		if json.Unmarshal(in.Bytes(), &o) == nil {
			r.orders <- o
		}
	}
	close(r.orders)
}

func (r *role) say(m message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.out.Encode(m) // nobody listens any more: the orders end, too
}

// done answers an order.
func (r *role) done(o order, num map[string]float64, text string) {
	r.say(message{Say: "done", Re: o.N, Num: num, Text: text})
}

// flags reads a role's arguments.
func flags(name string, args []string, set func(f *flag.FlagSet)) error {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	set(f)
	return f.Parse(args)
}

// steps calls step 60 times a second, and each order as it comes, until the orders end.
func (r *role) steps(step func(), do func(o order)) {
	const every = time.Second / 60
	next := time.Now()
	timer := time.NewTimer(0)
	for {
		select {
		case o, ok := <-r.orders:
			if !ok {
				return
			}
			do(o)
			continue
		case <-timer.C:
		}
		for n := 0; n < 8 && time.Until(next) <= 0; n++ {
			next = next.Add(every)
			step()
		}
		if late := time.Since(next); late > 0 {
			next = next.Add(late)
		}
		timer.Reset(time.Until(next))
	}
}
