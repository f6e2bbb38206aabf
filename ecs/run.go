package ecs

// Run: the loop of a program without a window.

import (
	"context"
	"time"
)

// Run is the loop of a program without a window: Receive, step, Send, at
// Config.Steps a second by the clock. It returns nil when ctx is done, after it
// has closed the session, or the error that OnEnd was told, unless OnEnd has
// called Host or Join again.
func (r *Replication) Run(ctx context.Context, step func(*Replication)) error {
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
		if late := time.Since(next); late > 0 { // too slow, or asleep: that time is lost
			next = next.Add(late)
		}
		timer.Reset(time.Until(next))
	}
}

// over is what OnEnd was told since it was last asked, if nothing was begun again.
func (r *Replication) over() error {
	err := r.failure
	r.failure = nil
	if r.link != nil || len(r.pending) > 0 {
		return nil
	}
	return err
}
