package mistakes

// commands: what a game has forgotten to bind or to call for a command, and calls in the wrong place.

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
)

// A Use is what a game does with a command in a session.
type Use uint8

// The uses of a command.
const (
	Sampled Use = iota // its input is bound
	Applied            // its rule is bound
	Run                // it runs
)

// A usage is what a session has seen of the uses of one command.
type usage struct {
	sampled, applied, run bool
	ran                   int // the step in which it ran last
	idle, silent          int // for so many steps in a row it should have run, or have been sampled
}

// maxIdle is after how many seconds of steps a use of a command is missed: a game may bind and begin
// later than the first nodes come.
const maxIdle = 2

// Enter notes that a step begins, or is about to end with its Send.
func (ck *Checker) Enter(begins bool) {
	if ck.inStep = begins; begins {
		ck.step++
	}
	ck.RuleRuns()
}

// Use notes a use of a command of the protocol, by number.
func (ck *Checker) Use(number int, what Use) {
	if ck.usages == nil {
		ck.usages = make([]usage, len(ck.Kinds.Commands))
	}
	u := &ck.usages[number]
	switch what {
	case Sampled:
		u.sampled = true
	case Applied:
		u.applied = true
	case Run:
		ck.noteRun(u, ck.Kinds.Commands[number].Name)
	}
}

// noteRun finds a Run in the wrong place. It is cheap, and looked for without debug mode, too.
func (ck *Checker) noteRun(u *usage, name string) {
	switch {
	case !ck.inStep:
		ck.Faults.Scold("command run outside of a step", name,
			"Run was called after Send or before Receive, as from Draw: a client then sends no command; call it in each step, between Receive and Send")
	case u.run && u.ran == ck.step:
		ck.Faults.Scold("command run twice in a step", name,
			"what it moves moves twice, and players are corrected: call Run once in each step, for each command")
	}
	u.run, u.ran = true, ck.step
}

// Unbound reports that a command came from a peer for a node, and that nothing is bound for it here.
// What the peer may have made up, since the node lacks the component, is no mistake of the game.
func (ck *Checker) Unbound(number int, n *nodes.Node) bool {
	if c := &ck.Kinds.Commands[number]; ck.World.Valid(n.Entity) && ck.World.Entry(n.Entity).HasComponent(c.On) {
		ck.withoutRule(c)
	}
	return true
}

func (ck *Checker) withoutRule(c *nodes.Command) {
	ck.Faults.Scold("command without rule", c.Name, "this machine has nodes that it is to move, and no rule for it: call Apply and Run on every machine, the server and its clients")
}

// A spawn is what one run of a rule has spawned by Predict.
type spawn struct {
	prefab *nodes.Prefab
	name   predict.Name
}

// maxSpawned bounds those of one run that are compared: more cannot wait for the authority either.
const maxSpawned = 256

// RuleRuns notes that a rule is about to run, or all rules of a tick.
func (ck *Checker) RuleRuns() { ck.spawned = ck.spawned[:0] }

// Spawns finds a key that one run of a rule uses twice for a prefab: a client then has one node for
// both, and is corrected once the authority has two. A name without a tick is of no rule.
func (ck *Checker) Spawns(f *nodes.Prefab, name predict.Name) {
	s := spawn{f, name}
	switch {
	case name.Tick == 0:
	case slices.Contains(ck.spawned, s):
		ck.Faults.Scold("spawn key used twice", "prefab "+f.Name, "one run of a rule has given Predict the same key twice, so that a client shows one node for both: give each another key, such as the index in a loop")
	case len(ck.spawned) < maxSpawned:
		ck.spawned = append(ck.spawned, s)
	}
}

// Rewinds notes a Rewind for the player of a client, by a command's number: on the authority, or on that
// client where the authority sets something back. Where no component has a past here it does nothing.
func (ck *Checker) Rewinds(number, components int) {
	if components == 0 {
		ck.Faults.Warn("rewind of nothing", ck.Kinds.Commands[number].Name, "a shot is judged by where everything is now, and not by what the player saw: name the components to set back in Config.Rewind, on all machines")
	}
}

// checkCommands finds commands of which this machine lacks a part, though it has nodes for them. What
// a game uses nothing of here is left out: it may be for another of its modes.
func (ck *Checker) checkCommands() {
	for i := range ck.usages {
		u, c := &ck.usages[i], &ck.Kinds.Commands[i]
		if !u.sampled && !u.applied && !u.run {
			continue
		}
		moved, driven, own := ck.movedBy(c)
		if u.run && !u.applied && moved {
			ck.withoutRule(c)
		}
		if u.run && ck.Auth != nil && !moved && ck.onPart(c) {
			ck.Faults.Scold("command on a part", c.Name, "commands move nodes, and its component stands on parts of nodes alone: make that a node of its own and Attach it, or put the component on the node")
		}
		if ck.long(&u.idle, !u.run && driven) {
			ck.Faults.Scold("command not run", c.Name, fmt.Sprintf(
				"a player has driven a node with its component for %d seconds, and Run was never called here: call it in each step, between Receive and Send, on every machine; a game that was paused all the time may", maxIdle))
		}
		if ck.long(&u.silent, u.run && own && !u.sampled && !c.Silent) {
			ck.Faults.Scold("command without input", c.Name, fmt.Sprintf(
				"this machine's player has driven a node with its component for %d seconds, and every command was the zero value: call Sample where there is a player", maxIdle))
		}
	}
}

// onPart reports whether the component of a command stands on a part of a node that a player drives.
func (ck *Checker) onPart(c *nodes.Command) bool {
	for _, n := range ck.Nodes.Sorted() {
		for i := range n.Items {
			if b := &n.Items[i]; n.Owner != 0 && b.Entity != n.Entity && b.Comp != nil && b.Comp.Type == c.On {
				return true
			}
		}
	}
	return false
}

// long counts the steps in a row in which something is missing, and reports whether those are many.
func (ck *Checker) long(steps *int, missing bool) bool {
	if !missing {
		*steps = 0
		return false
	}
	*steps++
	return *steps > maxIdle*ck.Steps
}

// movedBy reports whether there are nodes that the rule of a command moves on this machine, nodes
// for which this machine runs it because a player drives them, and nodes of this machine's player.
func (ck *Checker) movedBy(c *nodes.Command) (moved, driven, own bool) {
	for _, n := range ck.Nodes.Sorted() {
		if n.Leaving || !ck.World.Valid(n.Entity) || !ck.World.Entry(n.Entity).HasComponent(c.On) {
			continue
		}
		mine := n.Owner != 0 && n.Owner == ck.Me
		own = own || mine
		if ck.Auth != nil {
			moved, driven = true, driven || n.Owner != 0
			continue
		}
		moved = moved || n.Predicted != nil && !c.Waits
		driven = driven || mine && !(c.Waits && c.Silent)
	}
	return moved, driven, own
}
