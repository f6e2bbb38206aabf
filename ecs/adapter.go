package ecs

// A session as systems and a renderer of donburi/ecs.

import donburiecs "github.com/yohamta/donburi/ecs"

// ReceiveSystem is Receive as a system: add it first. SendSystem is Send: add it last.
//
//	ecs.AddSystem(tendon.ReceiveSystem(rep)).AddSystem(move).AddSystem(tendon.SendSystem(rep))
//
// A donburi/ecs that is paused still runs its systems, as replication needs. All three
// functions panic for a nil Replication.
func ReceiveSystem(r *Replication) donburiecs.System {
	mustBeMade("ReceiveSystem", r)
	return func(*donburiecs.ECS) { r.Receive() }
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
