package main

// A game: a server, its players and the simulated network, in virtual time.

import (
	"math/rand/v2"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

const (
	step    = time.Second / 60
	warmup  = 8 * time.Second
	players = 8

	binTime = time.Second / 4

	touch = 2*radius + 6*topSpeed // nearer bodies are about to touch
)

// options are the flags.
type options struct {
	rtt, jitter, stall  time.Duration
	calm                time.Duration // when the jitter ends; 0: never
	loss, burst         float64
	seconds, sends      int
	stepsHost           float64
	seed                uint64
	fps                 string
	lateLine, listen    bool
	noPredict, noRewind bool
}

// A shot is one that was on target on its shooter's screen.
type shot struct {
	target  rpl.Node
	at      gmath.Vec // where the target was drawn
	when    time.Duration
	touched bool // the shooter's body touched another

	by          *machine
	judged, hit bool
	doubled     bool          // its shooter has seen two bolts
	orphan      bool          // its bolt was never the server's, and was there for too long
	alone       time.Duration // since when there is a bolt that is not the server's
	flashes     int           // how often its shooter's machine has shown it
	off         float64       // between where it was drawn and where the server took it to be
}

// A drawn is a body in one frame of one machine.
type drawn struct {
	by      *machine
	id      rpl.Node
	at, was gmath.Vec
	view    float64
	now, dt time.Duration
}

// A bin is a mean.
type bin struct {
	sum float64
	n   int
}

func (b *bin) add(v float64) { b.sum, b.n = b.sum+v, b.n+1 }

func (b *bin) mean() float64 { return share(b.sum, float64(b.n)) }

// A corrected is a correction.
type corrected struct {
	size    float64
	touched bool
}

// A game is a run.
type game struct {
	opt     options
	net     *mem.Network
	server  *machine
	players []*machine
	paths   map[rpl.Node]map[rpl.Tick]gmath.Vec // where bodies were after each tick
	stepped time.Duration                       // when the server's step began
	touched map[rpl.Node]time.Duration          // when each body last was near another on the server

	shots       []shot
	frames      []drawn
	corrections []corrected
	own         []float64 // own input, in milliseconds
	halves      []float64 // until half of a correction's error was drawn away, in milliseconds

	over                 bool // what follows is not measured
	next, stallAt        time.Duration
	stalls               []time.Duration // when each ended
	calmed               time.Duration   // when the jitter ended
	delayBins            []bin           // the view's delay, by time
	pressed, fired       int             // shots that bots have pressed, and that the server's rule was given
	backwards            int
	delay, delayOthers   bin
	steps, stepsTouching int
	serverWas            tendon.CommandStats
}

func newGame(o options) (*game, error) {
	g := &game{opt: o, paths: map[rpl.Node]map[rpl.Tick]gmath.Vec{}, touched: map[rpl.Node]time.Duration{}}
	g.net = mem.NewNetwork(o.seed, netsim.Conditions{})
	listener := g.net.Listener()
	rng := rand.New(rand.NewPCG(o.seed, 99))
	clients := players
	if o.listen {
		clients--
	}
	for i := range clients + 1 {
		m, err := g.machine(i, i == 0)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			g.server = m
			m.Host(listener)
			continue
		}
		d := g.net.Dialer(listener)
		line := netsim.Conditions{Delay: o.rtt / 2, Jitter: o.jitter, Loss: o.loss, Burst: o.burst}
		if o.lateLine && i == 1 {
			line.Late, line.LateBy = 0.1, 50*time.Millisecond
		}
		d.SetConditions(line, line)
		line.Jitter = 0
		m.calm = func() { d.SetConditions(line, line) }
		m.line = o.rtt / 2
		m.Join(d)
		phase := time.Duration(rng.Float64() * float64(step))
		m.nextStep, m.nextFrame = phase, phase
		g.players = append(g.players, m)
	}
	return g, nil
}

// machine makes one session; number 0 is the server.
func (g *game) machine(i int, server bool) (*machine, error) {
	r, err := tendon.New(donburi.NewWorld(), protocol, tendon.Config{
		Sends: g.opt.sends, Dedicated: server && !g.opt.listen, Rewind: []donburi.IComponentType{body},
	})
	if err != nil {
		return nil, err
	}
	m := &machine{Replication: r, g: g, rng: rand.New(rand.NewPCG(g.opt.seed, uint64(i))), last: map[rpl.Node]gmath.Vec{}, bolts: map[int]bool{}}
	rule := func(c tendon.Call, k Keys) {
		if tendon.IsAuthority(c.Entry) && k.Fire && g.warm() {
			g.fired++
		}
		from := body.Get(c.Entry).Pos // where its player aimed from: this tick's way comes after
		fires, blocked := walk(c, k)
		if blocked && !server { // by where it takes the other to be in this tick, which has come of ticks before
			m.touched = g.net.Now()
		}
		if !fires {
			return
		}
		bolts.Predict(c, 0, boltArgs{from, k.Aim, k.Target})
		if i := int(k.Target) - 1; (!server || tendon.IsOwner(c.Entry)) && i >= 0 && i < len(g.shots) {
			c.Once(0, func(time.Duration) { g.shots[i].flashes++ })
		}
		if tendon.IsAuthority(c.Entry) {
			g.judge(c, k, from)
		}
	}
	roll.Apply(r, push)
	fly.Apply(r, flight)
	if g.opt.noPredict {
		moveLate.Apply(r, rule)
		moveLate.Sample(r, m.keys)
	} else {
		move.Apply(r, rule)
		move.Sample(r, m.keys)
	}
	r.OnCorrection(func(c tendon.Correction) {
		if g.warm() {
			g.corrections = append(g.corrections, corrected{c.Size, m.touching()})
		}
		if tendon.IsOwner(c.Entry) && c.Entry.HasComponent(body) {
			m.fading, m.fadesSince = true, 0
		}
		if debug {
			println(c.Field, c.Size, c.Ticks, int(g.net.Now()/time.Millisecond), m.touching())
		}
	})
	if server {
		r.OnStart(func() {
			b := balls.Spawn(r.World(), tendon.None{})
			ball.SetValue(b, BallData{Pos: gmath.Vec{X: width / 2, Y: height / 2}})
		})
		r.OnJoin(func(p rpl.Peer) {
			e := bodies.Spawn(r.World(), tendon.None{})
			body.SetValue(e, BodyData{Pos: gmath.Vec{X: 60 + m.rng.Float64()*(width-120), Y: 60 + m.rng.Float64()*(height-120)}, HP: 100})
			tendon.Give(e, p)
		})
	}
	return m, nil
}

// judge has the server decide about a shot.
func (g *game) judge(c tendon.Call, k Keys, from gmath.Vec) {
	if k.Target == 0 || int(k.Target) > len(g.shots) {
		return
	}
	s := &g.shots[k.Target-1]
	s.touched = s.touched || s.by.touching() // here by now, which the shooter did not see yet
	look := func() {
		if o, ok := g.server.Find(s.target); ok {
			at := body.Get(o).Pos
			s.off = at.DistanceTo(s.at)
			s.hit = hits(from, k.Aim, at)
			s.judged = true
		}
	}
	if g.opt.noRewind {
		look()
	} else {
		c.Rewind(look)
	}
}

func (g *game) warm() bool { return !g.over && g.net.Now() > warmup }

func (g *game) ownInput(d, now time.Duration) {
	if now > warmup {
		g.own = append(g.own, max(0, float64(d)/float64(time.Millisecond)))
	}
}

// delays takes how far a machine's drawn time trails the server's.
func (g *game) delays(m *machine, view float64, now time.Duration) {
	host := g.opt.stepsHost
	truth := float64(g.server.Tick()) + min((now-g.stepped).Seconds()*host, 1)
	ms := (truth-view)*1000/host - float64(m.line)/float64(time.Millisecond)
	g.delay.add(ms)
	if !g.late(m) {
		g.delayOthers.add(ms)
	}
	for len(g.delayBins) <= int(now/binTime) {
		g.delayBins = append(g.delayBins, bin{})
	}
	g.delayBins[now/binTime].add(ms)
}

// late reports whether a machine is on the late line.
func (g *game) late(m *machine) bool { return g.opt.lateLine && m == g.players[0] }

// serve is one step of the server.
func (g *game) serve() {
	g.stepped = g.net.Now()
	g.server.Receive()
	g.server.run()
	t := g.server.Tick()
	for e := range everyBody.Iter(g.server.World()) {
		id := tendon.ID(e)
		if g.paths[id] == nil {
			g.paths[id] = map[rpl.Tick]gmath.Vec{}
		}
		g.paths[id][t] = body.Get(e).Pos
	}
	for id, path := range g.paths {
		for other, its := range g.paths {
			if id != other && path[t].DistanceTo(its[t]) < touch {
				g.touched[id] = g.stepped
			}
		}
	}
	g.server.Send()
}

// frameTime is the time between two frames.
func (g *game) frameTime(m *machine) time.Duration {
	switch g.opt.fps {
	case "144":
		return time.Second / 144
	case "uneven":
		return time.Duration((0.008 + m.rng.Float64()*0.0173) * float64(time.Second))
	}
	return step
}

// play plays on until a time.
func (g *game) play(until time.Duration) {
	if g.stallAt == 0 {
		g.stallAt = 12 * time.Second
	}
	for g.net.Now() < until {
		who, at := (*machine)(nil), g.next
		for _, m := range g.players {
			if m.nextFrame < at {
				who, at = m, m.nextFrame
			}
		}
		before := g.warm()
		if at > g.net.Now() {
			g.net.Advance(at - g.net.Now())
		}
		if g.warm() && !before {
			g.serverWas = g.server.CommandStats()
		}
		if g.opt.calm > 0 && at >= g.opt.calm && g.calmed == 0 {
			for _, m := range g.players {
				m.calm()
			}
			g.calmed = at
		}
		if who == nil {
			g.hostTurn(at)
			continue
		}
		for who.nextStep <= at { // as a window does: the steps that are due, then the frame
			before := who.CommandStats().Ticks
			who.step()
			if n := who.CommandStats().Ticks - before; g.warm() {
				g.steps += n
				if who.touching() {
					g.stepsTouching += n
				}
			}
			who.nextStep += step
		}
		who.frame()
		who.nextFrame += g.frameTime(who)
	}
}

// hostTurn has the host step, or stall.
func (g *game) hostTurn(now time.Duration) {
	if g.opt.stall > 0 && now >= g.stallAt && !g.over {
		g.stallAt += 10 * time.Second
		g.stalls = append(g.stalls, g.next)
		g.next += g.opt.stall
		return
	}
	g.serve()
	if g.opt.listen {
		g.server.Frame()
	}
	g.next += time.Duration(float64(time.Second) / g.opt.stepsHost)
}
