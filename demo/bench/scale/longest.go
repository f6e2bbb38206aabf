package main

// Row i: the longest step of a server over real UDP on 127.0.0.1. Its peers play in a
// process of their own.

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
)

const (
	botsFlag = "-bots" // makes this program the peers: -bots ADDRESS COUNT SECONDS
	bots     = 64
	seconds  = 60
	rejoin   = 20 * hz // steps for which a bot stays
)

type longestStep struct {
	Longest float64 `json:"longest_ms"`
	P99     float64 `json:"p99_ms"`
	Median  float64 `json:"median_ms"`
	Joins   int     `json:"joins"`
}

func longest(seed uint64) (any, error) {
	s := roamers(seed)
	s.peers = 0
	l, err := newLab(s)
	if err != nil {
		return nil, err
	}
	l.server.Close("it is hosted over UDP")
	listener, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	joined := 0
	l.server.OnJoin(func(rpl.Peer) { joined++ })
	l.server.Host(listener)
	l.server.Receive()
	l.server.Send()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	peers := exec.Command(self, botsFlag, listener.Addr(), strconv.Itoa(bots), strconv.Itoa(seconds))
	peers.Stderr = os.Stderr
	if err := peers.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = peers.Process.Kill()
		_ = peers.Wait()
		l.server.Close("measured")
	}()
	samples := make([]time.Duration, 0, seconds*hz)
	next := time.Now()
	for range seconds * hz {
		from := cpu.Thread()
		l.server.Receive()
		took := cpu.Thread() - from
		l.move()
		from = cpu.Thread()
		l.server.Send()
		samples = append(samples, took+cpu.Thread()-from)
		next = next.Add(step)
		time.Sleep(time.Until(next))
	}
	if joined < bots {
		return nil, fmt.Errorf("%d of %d bots joined", joined, bots)
	}
	sp := spreadOf(samples)
	return longestStep{ms(samples[len(samples)-1]), ms(sp.p99), ms(sp.median), joined}, nil
}

// runBots is the program of the peers: they join one after the other, stay for a while,
// leave and join again.
func runBots(args []string) int {
	if len(args) != 3 {
		fmt.Fprintln(os.Stderr, "scale: bots need an address, a count and seconds")
		return exitUsage
	}
	count, err1 := strconv.Atoi(args[1])
	life, err2 := strconv.Atoi(args[2])
	if err1 != nil || err2 != nil || count < 1 || count > 4*bots || life > 10*seconds {
		fmt.Fprintln(os.Stderr, "scale: bots: bad count or seconds")
		return exitUsage
	}
	runtime.LockOSThread()
	p := newProtocol(true)
	peers := make([]*tendon.Replication, count)
	next := time.Now()
	for at := range life * hz {
		for i := range peers {
			if peers[i] == nil && at >= i*2 || peers[i] != nil && (at+i*rejoin/count)%rejoin == rejoin-1 {
				if peers[i] != nil {
					peers[i].Close("another will come")
				}
				c, err := tendon.New(donburi.NewWorld(), p.Protocol, tendon.Config{Steps: hz, Sends: hz})
				if err != nil {
					fmt.Fprintf(os.Stderr, "scale: bots: %v\n", err)
					return exitFailed
				}
				c.Join(kcp.Dialer(args[0]))
				peers[i] = c
			}
			if peers[i] != nil {
				peers[i].Receive()
				peers[i].Send()
			}
		}
		next = next.Add(step)
		time.Sleep(time.Until(next))
	}
	return 0
}
