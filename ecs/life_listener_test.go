package ecs_test

// The game closes the listener that a session hosts on, in place of the session.

import (
	"errors"
	"strings"
	"testing"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Hosting ends as with Close, and OnEnd and the log give the reason: all peers leave,
// also lost ones, with the nodes they own, and the world goes on.
func TestListenerClosed(t *testing.T) {
	l := newLab(t, lan)
	var log journal
	server, client, lost := l.server(tendon.Config{Log: log.logger()}), l.client(tendon.Config{}), l.machine("lost", tendon.Config{})
	cable := l.net.Dialer(l.listener)
	lost.joins = true
	lost.Join(cable)
	l.joined()
	server.OnLost(func(rpl.Peer) { server.say("lost") })
	server.OnLeave(func(rpl.Peer) { server.say("left") })
	server.OnEnd(func(error) { server.say("ended") })
	stays := tendon.ID(server.Create(Body))
	goes := server.Create(Body)
	tendon.Give(goes, client.Me())
	gone := tendon.ID(goes)
	cable.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
	l.until("one is lost", func() bool { l.steps(20); return len(server.log) > 0 })
	check(t, "so far", strings.Join(server.said(), ", "), "lost")

	if err := l.listener.Close(); err != nil {
		t.Fatal(err)
	}
	log.lines()
	l.steps(1)
	check(t, "what it is told", strings.Join(server.said(), ", "), "left, left, ended")
	check(t, "its mode", server.Mode(), tendon.Single)
	if err := server.ended; !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), "hosting has ended: closed: the listener was closed") {
		t.Errorf("it ended with %v", err)
	}
	log.wants(t, "server", "msg=left", "msg=left", `msg=ended why="tendon: hosting has ended`)
	peers := 0
	for range server.Peers() {
		peers++
	}
	check(t, "peers", peers, 1)
	l.steps(30)
	check(t, "what is nobody's stays", server.has(stays), true)
	check(t, "what was a peer's", server.has(gone), false)
	if err := client.ended; !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), "the listener was closed") {
		t.Errorf("the client ended with %v", err)
	}
	check(t, "told once", len(server.said()), 0)

	l.listener = l.net.Listener()
	server.Host(l.listener)
	lost.joins = false
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	check(t, "it hosts again", server.Mode(), tendon.Listen)
}

// The session notices a closed listener without any connection, and whichever goroutine has
// closed it. Run returns the reason.
func TestListenerClosedUnderRun(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("server", tendon.Config{Dedicated: true})
	m.Host(l.listener)
	steps := 0
	err := m.Run(t.Context(), func(*tendon.Replication) {
		if steps++; steps == 3 {
			go l.listener.Close()
		}
	})
	if !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), "hosting has ended") {
		t.Errorf("Run returns %v", err)
	}
}

// OnEnd does not run for a listener that the session has closed, or that is closed together
// with the session.
func TestListenerClosedAfterTheSession(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	server.Close("enough")
	if err := l.listener.Close(); err != nil {
		t.Error(err)
	}
	l.steps(30)
	check(t, "told", server.ended, nil)
	if err := client.ended; err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("the client ended with %v", err)
	}

	l.listener = l.net.Listener()
	server.Host(l.listener)
	l.steps(1)
	l.listener.Close()
	server.Close("enough")
	l.steps(3)
	check(t, "told of one closed with it", server.ended, nil)
	check(t, "its mode", server.Mode(), tendon.Single)
}
