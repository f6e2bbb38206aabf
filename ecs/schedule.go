package ecs

// Stage Schedule: chooses what of the pending state fits each peer's budget.

func scheduleStage(r *Replication) {
	if r.auth != nil && r.sending {
		r.auth.Schedule(r.line.now())
	}
}
