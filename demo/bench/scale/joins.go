package main

// Joins: what one more peer costs the server, beyond what its steps cost anyway.

import "time"

type joinCost struct {
	TotalMs   float64 `json:"total_ms"`
	LongestMs float64 `json:"longest_ms"`
}

// joinCost lets n clients connect and returns the server's time above its resting median,
// in all and in the longest step.
func (l *lab) joinCost(n int) (joinCost, error) {
	l.still = true
	defer func() { l.still = false }()
	rest := spreadOf(l.measure(hz)).median
	for range n {
		if _, err := l.connect(); err != nil {
			return joinCost{}, err
		}
	}
	var cost joinCost
	in := func() int {
		sum := 0
		for _, c := range l.clients[len(l.clients)-n:] {
			sum += c.World().Len()
		}
		return sum
	}
	const patience = 30 * hz
	before, still := 0, 0
	for range patience {
		over := max(0, l.step()-rest)
		cost.LongestMs = max(cost.LongestMs, ms(over))
		if over > rest/2+20*time.Microsecond { // else: the noise of the machine
			cost.TotalMs += ms(over)
		}
		if still++; in() != before {
			before, still = in(), 0
		}
		if before > n && still >= hz {
			return cost, nil
		}
	}
	return cost, errNoClient
}

// joins measures several joins in a row and returns the cheapest: what the machine does
// beside makes it dearer only.
func joins(s scene, n, times int) (joinCost, error) {
	var best joinCost
	for i := range times {
		s.seed += uint64(i)
		l, err := newLab(s)
		if err != nil {
			return best, err
		}
		c, err := l.joinCost(n)
		l.close()
		if err != nil {
			return best, err
		}
		if i == 0 {
			best = c
		}
		best.TotalMs, best.LongestMs = min(best.TotalMs, c.TotalMs), min(best.LongestMs, c.LongestMs)
	}
	return best, nil
}

func joinAll(n int) func(uint64) (any, error) {
	return func(seed uint64) (any, error) {
		return joins(scene{nodes: 10_000, peers: 1, explicit: true, seed: seed}, n, 3)
	}
}

func joinSight(seed uint64) (any, error) {
	return joins(scene{nodes: 10_000, peers: 1, explicit: true, sees: 7000, seed: seed}, 1, 3)
}

type joinLeave struct {
	JoinMs  float64 `json:"join_ms"`
	LeaveMs float64 `json:"leave_ms"`
}

// joinLarge measures a join and the leave that follows, some times in one world.
func joinLarge(seed uint64) (any, error) {
	l, err := newLab(scene{nodes: 100_000, peers: 8, explicit: true, sees: inView, seed: seed})
	if err != nil {
		return nil, err
	}
	defer l.close()
	var best joinLeave
	for i := range 5 {
		join, err := l.joinCost(1)
		if err != nil {
			return nil, err
		}
		rest := spreadOf(l.measure(hz)).median
		last := l.clients[len(l.clients)-1]
		last.Close("measured")
		l.clients = l.clients[:len(l.clients)-1]
		leave := 0.0
		for range hz {
			if over := l.step() - rest; over > rest/2+20*time.Microsecond {
				leave += ms(over)
			}
		}
		if i == 0 {
			best = joinLeave{join.TotalMs, leave}
		}
		best = joinLeave{min(best.JoinMs, join.TotalMs), min(best.LeaveMs, leave)}
	}
	return best, nil
}
