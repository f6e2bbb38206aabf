package ecs

// Run: the loop of a program without a window.

import (
	"context"
	"time"
)

// Run is the loop of a program without a window: Receive, step, Send, Config.Steps times
// a second by the clock. When ctx is done it closes the session and returns nil. When
// OnEnd is told an error, Run returns that error, unless OnEnd has called Host or Join
// again. Run panics without a context or a step function.
func (r *Replication) Run(ctx context.Context, step func(*Replication)) error {
	mustBeMade("Run", r)
	mustBe("Run", step)
	if ctx == nil {
		panic("tendon: Run without a context: give it context.Background()")
	}
	every := r.config.step()
	r.failure = nil
	next := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			r.Close("the program has ended")
			return nil
		case <-timer.C:
		}
		for range maxCatchUp {
			if time.Until(next) > 0 {
				break
			}
			next = next.Add(every)
			r.Receive()
			if err := r.over(); err != nil {
				return err
			}
			step(r)
			r.Send()
			if err := r.over(); err != nil {
				return err
			}
		}
		if late := time.Since(next); late > 0 { // the machine was too slow, or asleep: that time is given up
			next = next.Add(late)
		}
		timer.Reset(time.Until(next))
	}
}

// over returns the error that OnEnd was told since the last call, unless a session was
// begun again.
func (r *Replication) over() error {
	err := r.failure
	r.failure = nil
	if r.line.link != nil || len(r.pending) > 0 {
		return nil
	}
	return err
}
