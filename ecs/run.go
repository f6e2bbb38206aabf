package ecs

// What calls Receive and Send: Run, the loop of a program without a window, and a session
// as systems and a renderer of donburi/ecs.

import (
	"context"
	"time"

	donburiecs "github.com/yohamta/donburi/ecs"

	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/pace"
)

// Run is the loop of a program without a window: Receive, step, Send, Config.Steps times
// a second by the clock. After a hitch it makes up for up to a second of lost steps, as a
// window does, because clients know the time by them; older time is given up, and counted in steps
// ("steps given up"). When ctx is
// done it makes one more step, in which the game may save and Close with a reason of its
// own, closes the session, waits until the others know (see Wait) and returns nil. When OnEnd is told an error, Run returns that
// error, unless OnEnd has called Host or Join again. Run panics without a context or a step function.
func (r *Replication) Run(ctx context.Context, step func(*Replication)) error {
	mustBeMade("Run", r)
	mustBeFunc("Run", step)
	if ctx == nil {
		panic("tendon: Run without a context: give it context.Background()")
	}
	r.failure = nil
	begin, steps := time.Now(), pace.Steps{Hz: r.shared.config.Steps, GivenUp: func(n int) { givenUp(r.shared.Faults, n) }}
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer r.Wait()
	for {
		select {
		case <-ctx.Done():
			err := r.once(step)
			r.Close("the program has ended")
			return err
		case <-timer.C:
		}
		for n := steps.Due(time.Since(begin)); n > 0 && ctx.Err() == nil; n-- {
			if err := r.once(step); err != nil {
				return err
			}
		}
		timer.Reset(steps.Next() - time.Since(begin))
	}
}

// givenUp counts steps that Run does not make up for.
func givenUp(log *faults.Log, steps int) {
	log.Lose("steps given up", uint64(steps), "this machine makes fewer steps than Config.Steps, or has stood for more than a second", "measure what a step takes: the game is slow for everyone")
}

// once is one round of Run.
func (r *Replication) once(step func(*Replication)) error {
	r.Receive()
	if err := r.over(); err != nil {
		return err
	}
	step(r)
	r.Send()
	return r.over()
}

// over returns the error that OnEnd was told since the last call, unless a session was
// begun again.
func (r *Replication) over() error {
	err := r.failure
	r.failure = nil
	if r.line.Link != nil || len(r.pending) > 0 {
		return nil
	}
	return err
}

// ReceiveSystem is Receive as a system: add it first. SendSystem is Send: add it last.
//
//	ecs.AddSystem(tendon.ReceiveSystem(rep)).AddSystem(move).AddSystem(tendon.SendSystem(rep))
//
// From the first ReceiveSystem on, the World of the ECS is the session's, also in OnWorld and
// after it: systems, and what the game makes by ECS.Create, follow Load. A donburi/ecs that is
// paused still runs its systems, as replication needs. All three functions panic for a nil
// Replication.
func ReceiveSystem(r *Replication) donburiecs.System {
	mustBeMade("ReceiveSystem", r)
	return func(e *donburiecs.ECS) {
		r.worlds.runner = e
		e.World = r.shared.World
		r.Receive()
	}
}

// SendSystem is Send as a system: add it last. See ReceiveSystem.
func SendSystem(r *Replication) donburiecs.System {
	mustBeMade("SendSystem", r)
	return func(*donburiecs.ECS) { r.Send() }
}

// FrameRenderer is Frame as a renderer: add it to the lowest layer first. T is the type
// that the game's renderers draw to, ebiten.Image with Ebitengine.
//
//	ecs.AddRenderer(0, tendon.FrameRenderer[ebiten.Image](rep))
func FrameRenderer[T any](r *Replication) func(*donburiecs.ECS, *T) {
	mustBeMade("FrameRenderer", r)
	return func(*donburiecs.ECS, *T) { r.Frame() }
}
