package ecs_test

// The goodbyes of sessions that are closed: nobody but Wait waits for them.

import (
	"context"
	"slices"
	"testing"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
)

// A slowEnd is a dialer and a listener whose links are not freed before free is closed, as where a
// peer does not answer.
type slowEnd struct {
	transport.Dialer
	transport.Listener
	free chan struct{}
}

type slowLink struct {
	transport.Link
	free chan struct{}
}

func (l slowLink) Wait() error {
	<-l.free
	return l.Link.Wait()
}

func (s slowEnd) Dial(o transport.Offer) (transport.Link, error) {
	l, err := s.Dialer.Dial(o)
	return slowLink{l, s.free}, err
}

func (s slowEnd) Listen(o transport.Offer) (transport.Link, error) {
	l, err := s.Listener.Listen(o)
	return slowLink{l, s.free}, err
}

func here(m *machine) int { return len(slices.Collect(m.Peers())) }

// Close of a server, Close of a client, and a client that goes from one session to another do not wait
// until the other end knows. Wait does.
func TestOnlyWaitWaits(t *testing.T) {
	for what, end := range map[string]func(l *lab, server, client *machine){
		"the server closes": func(_ *lab, server, _ *machine) { server.Close("over") },
		"the client closes": func(_ *lab, _, client *machine) { client.Close("bye") },
		"the client goes to another session": func(l *lab, _, client *machine) {
			other := l.machine("another server", tendon.Config{})
			to := l.net.Listener()
			other.Host(to)
			client.Join(l.net.Dialer(to))
			l.until("it is there", func() bool { return client.Me() == 2 && here(other) == 2 })
		},
	} {
		t.Run(what, func(t *testing.T) {
			l := newLab(t, lan)
			slow := slowEnd{Listener: l.listener, Dialer: l.net.Dialer(l.listener), free: make(chan struct{})}
			server, client := l.machine("server", tendon.Config{}), l.machine("client", tendon.Config{})
			server.Wait() // for nothing
			server.Host(slow)
			client.Join(slow)
			l.until("it is in", func() bool { return client.Me() == 2 && here(server) == 2 })
			end(l, server, client)
			l.steps(30)
			waited := make(chan struct{})
			go func() {
				server.Wait()
				client.Wait()
				close(waited)
			}()
			select {
			case <-waited:
				t.Error("Wait has returned before the link was freed")
			default:
			}
			close(slow.free)
			<-waited
		})
	}
}

// Run waits in its end until the others know.
func TestRunWaits(t *testing.T) {
	l := newLab(t, lan)
	slow := slowEnd{Listener: l.net.Listener(), free: make(chan struct{})}
	m := l.machine("server", tendon.Config{})
	m.Host(slow)
	ctx, cancel := context.WithCancel(t.Context())
	closed, ran := make(chan struct{}), make(chan error)
	go func() {
		ran <- m.Run(ctx, func(*tendon.Replication) {
			if ctx.Err() != nil { // the last step
				m.Close("back at six")
				close(closed)
			}
			cancel()
		})
	}()
	<-closed
	select {
	case <-ran:
		t.Error("Run has returned before the link was freed")
	default:
	}
	close(slow.free)
	check(t, "it ended with", <-ran, nil)
}
