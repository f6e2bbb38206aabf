package ecs_test

// Mistakes with what is not there: a session that was never made, an entity that has been
// removed.

import (
	"context"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A session that is nil, as when the error of New was not looked at or Of has found none,
// is named by the call that is given it.
func TestNoSession(t *testing.T) {
	var rep *tendon.Replication
	peer, end := func(rpl.Peer) {}, func(error) {}
	for name, call := range map[string]func(){
		"use of RPC chat":     func() { Chat.Handle(rep, func(tendon.Call, string) {}) },
		"use of prefab crate": func() { Crate.Build(rep, newCrate) },
		"use of group red": func() {
			refused(t, "of no Replication", func() { Red.Has(rep, 1) })
			refused(t, "of no Replication", func() { Red.Ask(rep, true) })
			refused(t, "of no Replication", func() { Red.While(rep, nil) })
			refused(t, "of no Replication", func() { Red.Allow(rep, nil) })
			Red.Put(rep, 1, true)
		},
		"OnChange":     func() { tendon.OnChange(rep, Paint, func(*donburi.Entry, PaintData) {}) },
		"Mine":         func() { tendon.Mine(rep, Paint) },
		"OnWorld":      func() { rep.OnWorld(func(donburi.World, string) {}) },
		"OnStart":      func() { rep.OnStart(func() {}) },
		"OnJoin":       func() { rep.OnJoin(peer) },
		"OnLeave":      func() { rep.OnLeave(peer) },
		"OnLost":       func() { rep.OnLost(peer) },
		"OnBack":       func() { rep.OnBack(peer) },
		"OnEnd":        func() { rep.OnEnd(end) },
		"OnStreamIn":   func() { rep.OnStreamIn(Paint, func(*donburi.Entry) {}) },
		"OnStreamOut":  func() { rep.OnStreamOut(Paint, func(*donburi.Entry, bool) {}) },
		"OnOwner":      func() { rep.OnOwner(Paint, func(*donburi.Entry, rpl.Peer) {}) },
		"After":        func() { rep.After(tendon.Receive, "graph", func(*tendon.Replication) {}) },
		"Host":         func() { rep.Host(newLab(t, lan).listener) },
		"Join":         func() { l := newLab(t, lan); rep.Join(l.net.Dialer(l.listener)) },
		"Load":         func() { rep.Load("next") },
		"Receive":      func() { rep.Receive() },
		"Send":         func() { rep.Send() },
		"Frame":        func() { rep.Frame() },
		"Run":          func() { _ = rep.Run(context.Background(), func(*tendon.Replication) {}) },
		"Create":       func() { rep.Create(Paint) },
		"World":        func() { rep.World() },
		"Close":        func() { rep.Close("") },
		"Kick":         func() { rep.Kick(1, "") },
		"Use":          func() { rep.Use(nil) },
		"OnCorrection": func() { rep.OnCorrection(func(tendon.Correction) {}) },
		"Find":         func() { rep.Find(1) },
		"SetHello":     func() { _ = rep.SetHello(nil) },
		"Session":      func() { rep.Session() },
		"Tick":         func() { rep.Tick() },
	} {
		rep = nil
		refused(t, "tendon: "+name+" of no Replication: ", call)
		rep = new(tendon.Replication) // New has not made it either
		refused(t, "tendon: "+name+" of no Replication: ", call)
	}
}

// What is drawn of an entity that has been removed is a mistake, and not the component of
// another entity that has its row by now.
func TestViewOfARemovedEntity(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	bare := donburi.NewWorld()
	for _, w := range []donburi.World{server.World(), client.World(), bare} {
		for _, others := range []int{0, 3} {
			gone := w.Entry(w.Create(Body, Transform))
			for range others {
				w.Create(Body, components.Transform)
			}
			gone.Remove()
			refused(t, "tendon: View of component BodyData: this is an entity that has been removed", func() { tendon.View(gone, Body) })
			refused(t, "tendon: WorldView: this is an entity that has been removed", func() { tendon.WorldView(gone) })
			refused(t, "tendon: WorldTransform: this is an entity that has been removed", func() { tendon.WorldTransform(gone) })
		}
	}
	id := tendon.ID(server.Create(Body))
	l.steps(20)
	proxy := client.find(id)
	server.find(id).Remove()
	l.until("it has gone", func() bool { return !client.World().Valid(proxy.Entity()) })
	refused(t, "an entity that has been removed", func() { tendon.View(proxy, Body) })
}
