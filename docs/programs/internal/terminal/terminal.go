// Package terminal is what the mains of this folder's programs share: a session
// by flags, a loop, a line of text for a picture, and digits typed for keys.
package terminal

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/kcp"
)

// heldSteps is how long a typed key counts as held: a fifth of a second.
const heldSteps = 12

// Run plays alone, or with -host ADDR or -join ADDR with others, until it is
// interrupted. It prints what show says whenever that changes.
func Run(p *tendon.Protocol, setup, step func(*tendon.Replication), show func(*tendon.Replication) string) {
	host := flag.String("host", "", "host on this address, such as 127.0.0.1:7777")
	join := flag.String("join", "", "join the session at this address")
	flag.Parse()
	rep, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err != nil {
		log.Fatal(err)
	}
	setup(rep)
	if err := kcp.Start(rep, *host, *join); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	shown := ""
	err = rep.Run(ctx, func(rep *tendon.Replication) {
		step(rep)
		if now := fmt.Sprint(rep.Mode(), ": ", show(rep)); now != shown {
			shown = now
			fmt.Println(now)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Keys reads digits from the standard input: the result is called once a step
// and returns the keys held in it, bit 0 for 1 to bit 8 for 9.
func Keys() func() uint16 {
	typed := make(chan uint16, 64)
	go func() {
		for in := bufio.NewReader(os.Stdin); ; {
			c, err := in.ReadByte()
			if err != nil {
				return
			}
			if c >= '1' && c <= '9' {
				typed <- 1 << (c - '1')
			}
		}
	}()
	held, left := uint16(0), 0
	return func() uint16 {
		if left--; left < -heldSteps { // released in between, so that 11 is two presses
			select {
			case held = <-typed:
				left = heldSteps
			default:
			}
		}
		if left <= 0 {
			return 0
		}
		return held
	}
}
