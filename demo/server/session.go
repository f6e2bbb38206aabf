package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/bots"
	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
)

// maxQuiet is how long the end of a run waits until all machines see the same.
const maxQuiet = 10 * time.Second

// A member is one machine of the session, server or client, in this process.
type member struct {
	rep  *tendon.Replication
	game *island.Game
	name string
	gone error // why it is no longer in the session
}

// A session is a server and its bots. All run in one loop, because donburi must be used
// by one goroutine at a time.
type session struct {
	options options
	server  *member // nil if the bots join a server elsewhere
	bots    []*member
	out     io.Writer
	began   time.Time
	meter   meter
}

// open binds the address and lets the bots join.
func open(o options, out io.Writer) (*session, error) {
	s := &session{options: o, out: out, began: time.Now()}
	addr := o.join
	if addr == "" {
		if err := s.host(); err != nil {
			return nil, err
		}
		addr = s.options.addr
	}
	network := kcp.NewSimulation(uint64(o.seed), o.conditions())
	for i := range o.clients {
		m, err := newMember(fmt.Sprintf("Bot %d", i+1), false, o.seed)
		if err != nil {
			return nil, err
		}
		m.game.Sample = bots.New(m.game, o.seed*1000+int64(i)).Sample
		m.rep.OnEnd(func(err error) { m.gone = err })
		if err := kcp.Start(m.rep, "", addr, kcp.WithConditions(network)); err != nil {
			return nil, err
		}
		s.bots = append(s.bots, m)
	}
	return s, nil
}

func newMember(name string, dedicated bool, seed int64) (*member, error) {
	c := island.Config(slog.New(slog.DiscardHandler))
	c.Dedicated, c.Hello = dedicated, []byte(name)
	rep, err := tendon.New(donburi.NewWorld(), island.Protocol, c)
	if err != nil {
		return nil, err
	}
	return &member{rep: rep, game: island.Setup(rep, seed), name: name}, nil
}

func (s *session) host() error {
	m, err := newMember("Server", true, s.options.seed)
	if err != nil {
		return err
	}
	m.game.Crowd = s.options.animals
	l, err := kcp.Listen(s.options.addr)
	if err != nil {
		return err
	}
	s.options.addr = l.Addr()
	m.rep.Host(l)
	m.rep.OnEnd(func(err error) { m.gone = err })
	s.announce(m)
	s.server = m
	fmt.Fprintf(s.out, "The server listens on %s (UDP). Join it: go run ./demo -join %s\n", s.options.addr, l.JoinString())
	return nil
}

// announce reports which players come and go, and what they do.
func (s *session) announce(m *member) {
	m.rep.OnJoin(func(p rpl.Peer) { s.say("%s joined as peer %d.", m.game.Name(p), p) })
	m.rep.OnLost(func(p rpl.Peer) { s.say("%s is lost; its place is kept for a while.", m.game.Name(p)) })
	m.rep.OnBack(func(p rpl.Peer) { s.say("%s is back.", m.game.Name(p)) })
	m.rep.OnLeave(func(p rpl.Peer) { s.say("%s left.", m.game.Name(p)) })
	m.game.Tell = func(what string) { s.say("%s", what) }
}

// say prints a sentence with the time in seconds before it.
func (s *session) say(format string, args ...any) {
	fmt.Fprintf(s.out, "%6.1f s  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// run plays, stops the world, waits until all machines agree, and reports.
func (s *session) run(ctx context.Context) (report, error) {
	defer s.close()
	var end <-chan time.Time
	if s.options.seconds > 0 {
		timer := time.NewTimer(time.Duration(s.options.seconds * float64(time.Second)))
		defer timer.Stop()
		end = timer.C
	}
	if err := s.loop(func() bool {
		select {
		case <-ctx.Done():
			return false
		case <-end:
			return false
		default:
			s.meter.sample(s)
			return true
		}
	}, true); err != nil {
		return report{}, err
	}
	r := s.report()
	if s.server == nil || len(s.bots) == 0 {
		return r, nil
	}
	judge, err := newJudge()
	if err != nil {
		return r, err
	}
	stopped := time.Now()
	steps := 0
	var v verdict
	err = s.loop(func() bool {
		if steps++; steps%3 == 0 { // 20 times a second is often enough
			if v = judge.compare(s.server, s.bots); v.count == 0 {
				return false
			}
		}
		return time.Since(stopped) < maxQuiet
	}, false)
	r.QuietMS = time.Since(stopped).Milliseconds()
	r.Mismatches, r.first = v.count, v.first
	return r, err
}

// loop steps all members, island.Steps times a second, while more returns true. Without
// play nothing moves in the world, but the sessions go on.
func (s *session) loop(more func() bool, play bool) error {
	const every = time.Second / island.Steps
	next := time.Now()
	for more() {
		for _, m := range s.members() {
			m.rep.Receive()
			if play {
				m.game.Step(m.rep)
			}
			m.rep.Send()
			if m.gone != nil {
				return s.lost(m)
			}
		}
		next = next.Add(every)
		if late := time.Since(next); late > time.Second {
			next = next.Add(late) // the machine was too slow, or asleep: that time is given up
		}
		time.Sleep(time.Until(next))
	}
	return nil
}

func (s *session) members() []*member {
	if s.server == nil {
		return s.bots
	}
	return append([]*member{s.server}, s.bots...)
}

func (s *session) lost(m *member) error {
	if m == s.server {
		return m.gone
	}
	if s.options.join != "" {
		return fmt.Errorf("%s at %s: %w", m.name, s.options.join, m.gone)
	}
	return fmt.Errorf("%s: %w", m.name, m.gone)
}

func (s *session) close() {
	for _, m := range s.bots {
		m.gone = errors.New("closed")
		m.rep.Close("the bot has played enough")
	}
	if s.server != nil {
		s.server.rep.Close("the server has stopped")
	}
	for _, m := range s.members() {
		m.rep.Wait()
	}
}
