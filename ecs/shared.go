package ecs

// shared: what all parts of a session work on. Each part is a struct of its own with the
// state that belongs together; it names the parts that it calls, and has this embedded.

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/binding"
	"github.com/tendonengine/tendon/ecs/internal/building"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/drawing"
	"github.com/tendonengine/tendon/ecs/internal/extract"
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/inplace"
	"github.com/tendonengine/tendon/ecs/internal/leaving"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/membership"
	"github.com/tendonengine/tendon/ecs/internal/mistakes"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/observers"
	"github.com/tendonengine/tendon/ecs/internal/own"
	"github.com/tendonengine/tendon/ecs/internal/places"
	"github.com/tendonengine/tendon/ecs/internal/reparent"
	"github.com/tendonengine/tendon/ecs/internal/replay"
	"github.com/tendonengine/tendon/ecs/internal/rewind"
	"github.com/tendonengine/tendon/ecs/internal/spawns"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// shared is the common ground of a session's parts.
type shared struct {
	nodes.Base
	config   Config
	protocol *Protocol
	level    string
	epoch    uint32 // counts levels; messages carry its low byte
}

// connect makes the parts of a session, and tells each of those that it calls.
func (r *Replication) connect() {
	sh := &r.shared
	r.nodes = nodes.Table{
		Components: sh.Kinds.Components, Changed: func(id rpl.Node) { r.items.References.Mark(id) },
		ByID: map[rpl.Node]*nodes.Node{}, Parts: map[donburi.Entity][]donburi.Entity{},
	}
	r.home = sessionNode{shared: sh, nodes: &r.nodes}
	r.loadTime = loadtime.New(&sh.Base, &r.nodes)
	r.parts = partKeeper{shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, extract: &r.extract}
	r.prefabs = building.Runner{Base: &sh.Base, Nodes: &r.nodes}
	r.calls = caller{
		shared: sh, nodes: &r.nodes, extract: &r.extract, client: &r.client, seats: &r.seats, line: &r.line,
		handlers: map[*rpl.RPCType]func(Call, []byte, func()) error{},
	}
	r.notify = callbacks.New(&sh.Base, &r.nodes)
	r.groups = grouping{shared: sh, seats: &r.seats, client: &r.client}
	r.line = line.New(&sh.Base, sh.config.Clock, sh.config.Log)
	r.checks = mistakes.Checker{
		Base: &sh.Base, Nodes: &r.nodes, IsDirty: r.extract.IsDirty, Arguments: sh.protocol.arguments, Session: sessionType,
		Others: func() bool { return r.seats.seated(func(s *seat) bool { return s.joined }) > 0 },
	}
	r.commands = commanding{
		shared: sh, nodes: &r.nodes, client: &r.client, draw: &r.draw, line: &r.line, predict: &r.predict, past: &r.past, seats: &r.seats, wake: r.wakePredicted, checks: &r.checks, all: make([]commandBinder, len(sh.Kinds.Commands)),
	}
	r.predict = prediction{shared: sh, nodes: &r.nodes, draw: &r.draw, line: &r.line, commands: &r.commands, drawn: &r.own}
	r.predict.states = replay.States{Base: &sh.Base, Nodes: &r.nodes, Screen: &r.draw.Screen, Report: r.notify.Compare, Start: r.draw.InPlace.Start, Refer: r.items.Refer, All: func() []*nodes.Node { return r.predict.all }}
	r.predict.others.States = &r.predict.states
	r.predict.spawns = spawns.Set{Base: &sh.Base, Nodes: &r.nodes, LoadTime: &r.loadTime, End: func(n *nodes.Node) {
		r.proxies.endProxy(n, nodes.Removed)
		sh.RemoveEntities(n)
	}}
	r.past = rewind.History{Base: &sh.Base, Nodes: &r.nodes, Sends: sh.config.Sends, Screen: &r.draw.Screen}
	r.nodes.Ended = func(n *nodes.Node) {
		r.commands.forget(n)
		r.past.Forget(n)
		r.places.Ended(n)
	}
	r.places = places.Keeper{Base: &sh.Base, Nodes: &r.nodes, Loose: func() []*nodes.Node { return r.predict.all }, Rules: func() bool { return r.commands.playing != 0 }}
	r.own = own.Keeper{Base: &sh.Base, Nodes: &r.nodes, Now: r.line.Host, InWorld: WorldTransform, Starts: r.predict.starts}
	r.wakes.valid = func(e donburi.Entity) bool { return sh.World.Valid(e) }
	r.resetAuthority()
	r.resetClient()
}

// resetAuthority forgets what this machine has kept as an authority.
func (r *Replication) resetAuthority() {
	sh := &r.shared
	r.extract = extract.Reader{
		Base: &sh.Base, Nodes: &r.nodes, LoadTime: &r.loadTime, Notify: &r.notify, LastCalls: r.calls.lastWords, During: r.putOff.During,
	}
	r.seats = seating{
		shared: sh, loadTime: &r.loadTime, extract: &r.extract, groups: &r.groups, hooks: &r.hooks, line: &r.line,
		observers: observers.Keeper{Base: &sh.Base, Nodes: &r.nodes},
		refusals:  faults.Throttle{Most: maxRefusedLogged, While: refusedWhile},
	}
	r.groups.mine = membership.Groups{}
	r.schedule.due, r.line.Spent = 0, false
}

// resetClient forgets what this machine has kept as a client.
func (r *Replication) resetClient() {
	sh := &r.shared
	_, rates := sh.config.Interest.(rpl.Rater)
	r.client = client{shared: sh, draw: &r.draw, line: &r.line, nodes: &r.nodes}
	r.items = binding.Keeper{Base: &sh.Base, Nodes: &r.nodes, Notify: &r.notify, States: &r.predict.states}
	r.proxies = proxies{
		shared: sh, nodes: &r.nodes, loadTime: &r.loadTime, prefabs: &r.prefabs, client: &r.client, draw: &r.draw, items: &r.items, calls: &r.calls, notify: &r.notify, predict: &r.predict,
		leaving: leaving.List{Base: &sh.Base, Nodes: &r.nodes, Screen: &r.draw.Screen, Stand: r.draw.Stand},
	}
	r.draw = drawing.Keeper{
		Base: &sh.Base, Nodes: &r.nodes, Line: &r.line, Leaving: &r.proxies.leaving,
		Screen:  track.Screen{Steps: sh.config.Steps, Paced: rates, Now: r.line.Now, Skips: func() uint64 { return sh.Proxy.Counters().Skipped }},
		InPlace: inplace.Painter{Base: &sh.Base, Nodes: &r.nodes, Screen: &r.draw.Screen},
		Moved: reparent.Drawer{
			Base: &sh.Base, Nodes: &r.nodes, Screen: &r.draw.Screen, InWorld: WorldView,
			View:  func(e *donburi.Entry) components.TransformData { return View(e, components.Transform) },
			Ahead: func() float64 { return float64(r.commands.lead.Tick()) - r.draw.Screen.Render },
		},
	}
	r.commands.reset()
	r.predict.reset()
	r.past.Reset()
}
