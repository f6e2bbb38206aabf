package main

import (
	"fmt"
	"log/slog"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/bots"
	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/demo/scene"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/kcp"
)

// A seat is one session with its pane and whoever plays it: the keyboard or a bot.
type seat struct {
	rep      *tendon.Replication
	game     *island.Game
	scene    *scene.Scene
	keyboard *scene.Keyboard
	bot      *bots.Bot // plays until the player touches a key; nil from then on
	hint     string    // explains the keys; shown once the player plays
}

// open makes the sessions that the options ask for, and starts hosting or joining.
func (p *program) open() error {
	o := p.options
	if !o.Panes {
		s, err := p.seat("Single player", o.Name, o.Bot, scene.Left, scene.Right)
		if err != nil {
			return err
		}
		switch {
		case o.Host != "":
			s.scene.Name = "Host " + o.Host
			l, err := kcp.Listen(o.Host)
			if err != nil {
				return err
			}
			s.rep.Host(l)
			fmt.Printf("Others join with this:\n\n\t%s\n\n", l.JoinString())
		case o.Join != "":
			s.scene.Name = "Client of " + address(o.Join)
			s.rep.OnEnd(p.ended(o.Join))
			p.network = newNetwork(0, 0)
			s.scene.Notes = p.note
			return kcp.Start(s.rep, "", o.Join, kcp.WithConditions(p.network.simulation))
		}
		return nil
	}
	server, err := p.seat("Listen server", o.Name, o.Bot, scene.Left)
	if err != nil {
		return err
	}
	client, err := p.seat("Client", "Second", true, scene.Right)
	if err != nil {
		return err
	}
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	server.rep.Host(l)
	p.network = newNetwork(o.RTT, o.Loss)
	client.scene.Notes = p.note
	client.rep.OnEnd(p.ended("the client's pane"))
	return kcp.Start(client.rep, "", l.JoinString(), kcp.WithConditions(p.network.simulation))
}

// ended returns an OnEnd callback that stores why a session ended, so that the program
// prints the reason when it exits. It stores nothing when the player closed the window.
func (p *program) ended(what string) func(error) {
	return func(err error) {
		if !p.done {
			p.failed = fmt.Errorf("%s: %w", what, err)
		}
	}
}

// seat makes a session with a world of its own, and appends it to p.seats.
func (p *program) seat(title, name string, bot bool, keys ...scene.Bindings) (*seat, error) {
	c := island.Config(slog.New(slog.DiscardHandler))
	c.Hello = []byte(name)
	rep, err := tendon.New(donburi.NewWorld(), island.Protocol, c)
	if err != nil {
		return nil, err
	}
	seed := p.options.Seed + int64(len(p.seats))
	s := &seat{rep: rep, game: island.Setup(rep, seed)}
	s.game.Crowd = p.options.Animals
	s.scene = scene.New(title, s.game, &p.view, p.sprites)
	rep.OnCorrection(s.scene.Corrected)
	s.keyboard = &scene.Keyboard{Keys: keys, Scene: s.scene}
	s.hint = "WASD, Space, E, Q: walk, shoot, use, bandage. 1-9 spheres, T talk, M map, F1 circles, F2 figures, F3 ghosts, F4 prediction"
	if p.options.Panes && len(p.seats) > 0 {
		s.hint = "Arrows, Enter, right Shift, period: walk, shoot, use, bandage"
	}
	s.scene.Hint = s.hint
	if bot {
		s.bot = bots.New(s.game, seed)
		s.scene.Hint = botPlays + s.hint
	}
	s.game.Sample = s.sample
	if len(p.seats) == 0 && p.options.Shot == "" {
		scene.Listen(rep, s.scene)
	}
	p.seats = append(p.seats, s)
	return s, nil
}

// address is where a join string leads; what is none is an address.
func address(join string) string {
	if j, err := kcp.ParseJoinString(join); err == nil {
		return j.Address
	}
	return join
}

// typing shows the chat line in place of the hint, or the hint again if there is none.
func (s *seat) typing(line string) {
	switch {
	case line != "":
		s.scene.Hint = "Say: " + line
	case s.bot != nil:
		s.scene.Hint = botPlays + s.hint
	default:
		s.scene.Hint = s.hint
	}
}

// botPlays begins the hint of a pane that a bot plays.
const botPlays = "A bot plays. "

// sample returns this step's input: the bot's until the player touches a key, then the
// player's.
func (s *seat) sample(r *tendon.Replication) island.Input {
	if s.bot == nil {
		return s.keyboard.Sample(r)
	}
	if s.keyboard.Touched() {
		s.bot, s.scene.Hint = nil, s.hint
		return s.keyboard.Sample(r)
	}
	return s.bot.Sample(r)
}
