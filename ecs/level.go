package ecs

// Levels: Load swaps the world on every machine without reconnecting.

import (
	"fmt"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

// Load moves everyone to another level, on the authority, at the next Receive, or the one after that if it is
// called between two steps of a session: every node ends, OnWorld fills a new world on each machine, OnStart
// and OnJoin run again. Load panics on a client, and for a name of more than 255 bytes.
//
// Without OnWorld the world stays, and its load-time nodes with it, under their parents and in their groups,
// but owned by nobody. The same holds if the name is empty and the world is still the one that New was given.
// A peer gets the new level's state when its own side is built; a peer that is lost meanwhile, when it is
// back: OnBack runs, then OnJoin.
//
// What has changed up to the step that calls Load leaves with that step's Send, even if none was due, as far
// as the budget pays for it. It arrives before the level, whatever is lost; so do reliable calls to clients
// made before Load.
func (r *Replication) Load(name string) {
	mustBeMade("Load", r)
	switch {
	case r.shared.Auth == nil:
		panic(fmt.Sprintf("tendon: Load(%q) on a client: only the authority changes the level", name))
	case len(name) > sessionmsg.MaxLevelName:
		panic(fmt.Sprintf("tendon: Load: the name has %d bytes, at most %d: give the level a shorter one", len(name), sessionmsg.MaxLevelName))
	}
	r.schedule.last = true
	var load request
	load.do = func() {
		switch {
		case r.shared.Auth == nil:
		case r.schedule.last && r.begun && r.line.Link != nil: // called between two steps: what the one before has changed leaves with the next
			r.pending = append(r.pending, load)
		default:
			r.load(name)
		}
	}
	r.pending = append(r.pending, load)
}

func (r *Replication) load(name string) {
	r.shared.level = name
	if !r.begun {
		return // start will fill the first world with it
	}
	r.shared.epoch++
	swap := r.swaps(name)
	r.endAll(nodes.LevelEnded, !swap)
	for _, s := range r.seats.all {
		if s.in {
			if s.conn != nil {
				r.shared.Auth.Flush(s.peer, s.conn)                                      // what was called in the level that ends
				r.shared.Faults.Report("session message not sent", s.last.Again(s.conn)) // and what was seen in its last step
			}
			s.path = r.shared.Auth.Disconnect(s.peer)
		}
		if s.known { // what is hidden from who builds the level is hidden from the start
			r.shared.Auth.Expect(s.peer)
		}
		s.in, s.joined = false, false
		if s.conn != nil {
			r.seats.sendLevel(s, false)
		}
	}
	if swap {
		r.worlds.levels = true
		r.attach(donburi.NewWorld())
		r.worlds.filled = false
	} else {
		r.remakeNamed()
	}
	r.start()
}

// swaps reports whether a level has a world of its own. The answer is the same on every
// machine.
func (r *Replication) swaps(name string) bool {
	return len(r.hooks.world) > 0 && (r.worlds.levels || name != "")
}

// enter builds a client's side of a level and tells the server so.
func (r *Replication) enter(m sessionmsg.Level) {
	swap := r.swaps(m.Name)
	if r.shared.Proxy != nil {
		r.endAll(nodes.LevelEnded, !swap)
		r.draw.ForgetLevel()
		r.proxies.forgetLevel()
		r.predict.forgetLevel()
		r.commands.restForLevel()
		if !swap {
			r.remakeNamed()
		}
	}
	r.shared.level, r.shared.epoch, r.client.after, r.client.names = m.Name, uint32(m.Epoch), m.After, sessionmsg.ServerNames{}
	r.client.progress, r.client.share = sessionmsg.Progress{}, 0
	if swap {
		r.worlds.levels = true
		r.attach(donburi.NewWorld())
	}
	s := r.nodes.Session
	s.Items, s.InPlace, s.Predicted, s.Replica = nil, false, nil, nil
	if err := r.client.newProxy(); err != nil {
		r.client.ended = err
		return
	}
	r.fill()
	r.client.ready = r.line.Now()
	ready := sessionmsg.Ready{Epoch: m.Epoch, After: r.client.conn.Sent(), Names: r.loadTime.Sum()}
	if err := r.client.conn.Reliable(sessionmsg.AppendReady(nil, ready)); err != nil {
		r.client.ended = fmt.Errorf("tendon: %w", err)
	}
}
