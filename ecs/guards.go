package ecs

// guards: panics for a program's mistakes, where the game's code that made them is still on the
// stack, and the remedies that they and errors name.

import (
	"reflect"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// mustBeMade panics for a session that is nil, or that New has not made.
func mustBeMade(what string, r *Replication) {
	if r == nil || r.shared.protocol == nil {
		panic("tendon: " + what + " of no Replication: call New first, look at its error, and give it what that returned")
	}
}

// mustBeGiven panics for a nil component, also for the nil of a component type: entities
// never have it, so the call would have no effect, or end the program later.
func mustBeGiven(what string, c donburi.IComponentType) {
	if v := reflect.ValueOf(c); c == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("tendon: " + what + " of no component: give it what donburi.NewComponentType or NewTag returned")
	}
}

// mustBeFunc returns the function, and panics for a nil one where it is given. Called later, it
// would end the program because of what another machine has sent.
func mustBeFunc[F any](what string, fn F) F {
	if reflect.ValueOf(fn).IsNil() {
		panic("tendon: " + what + " of no function")
	}
	return fn
}

// mustBeOnly is mustBeFunc for what a session has one of: the first would silently run no more.
func mustBeOnly[F any](what string, fn F, has bool) F {
	if mustBeFunc(what, fn); has {
		panic("tendon: " + what + " is given twice in one session: give it once, and not in each level")
	}
	return fn
}

// mustHave panics for an entity without a component.
func mustHave(what string, e *donburi.Entry, c donburi.IComponentType) {
	if !e.HasComponent(c) {
		panic("tendon: " + what + " of component " + c.Name() + " of an entity that has none: have the query contain it, or ask HasComponent")
	}
}

// mustBeThere panics for the entry of a removed entity: to donburi it may be another entity's by now.
func mustBeThere(what string, e *donburi.Entry) {
	if !e.Valid() {
		panic("tendon: " + what + " is an entity that has been removed: keep the donburi.Entity and ask World.Valid of it")
	}
}

// howToBeNode returns the remedy for an entity that should be a node and is none.
func howToBeNode(e *donburi.Entry) string {
	switch {
	case !e.World.Valid(e.Entity()):
		return "it has been removed; keep the donburi.Entity and ask World.Valid of it"
	case e.HasComponent(components.RplNode):
		return "it has components.RplNode, and is one from this step's Send on; what Create or a prefab makes is one at once"
	}
	return "give it components.RplNode, or make it by a prefab"
}
