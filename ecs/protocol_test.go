package ecs_test

// Declarations: the mistakes that New reports, and schemas that differ.

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

var errRefusing = errors.New("no network here")

// refusing is a listener and a dialer that always fail.
type refusing struct{}

func (refusing) Dial(transport.Offer) (transport.Link, error)   { return nil, errRefusing }
func (refusing) Listen(transport.Offer) (transport.Link, error) { return nil, errRefusing }
func (refusing) Addr() string                                   { return "nowhere" }
func (refusing) Close() error                                   { return nil }

// New reports all mistakes of a protocol at once, each with the declaration's name.
func TestMistakes(t *testing.T) {
	p := tendon.NewProtocol("mistaken")
	type pointer struct {
		P *int `rpl:""`
	}
	type shout struct {
		Text string `rpl:""` // no max
	}
	c := donburi.NewComponentType[PaintData]()
	tendon.Replicate(p, "one", c)
	tendon.Replicate(p, "two", c)
	tendon.Replicate(p, "holder", donburi.NewComponentType[pointer]())
	tendon.Replicate(p, "holder", donburi.NewComponentType[ForeignData]())
	tendon.NewRPC[shout](p, "shout", rpl.ToServer, rpl.Reliable)
	_, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{`"one" and as "two"`, "holder", "P", "shout", "Text"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in:\n%v", part, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n < 3 {
		t.Errorf("%d lines:\n%v", n+1, err)
	}

	// Mistakes in the configuration do not hide those of the protocol.
	_, again := tendon.New(donburi.NewWorld(), p, tendon.Config{MaxPeers: 1025, Budget: 64})
	for _, part := range []string{err.Error(), "at most 1024", "Config.Budget is 64: give at least 1200 bytes"} {
		if again == nil || !strings.Contains(again.Error(), part) {
			t.Errorf("%q is not in:\n%v", part, again)
		}
	}

	_, err = tendon.New(donburi.NewWorld(), proto, tendon.Config{Steps: -1, Sends: 900, Budget: -1, MaxPeers: -1, Hello: make([]byte, 5000)})
	for _, part := range []string{"Steps", "Sends", "Budget", "MaxPeers", "Hello"} {
		if err == nil || !strings.Contains(err.Error(), "Config."+part) {
			t.Errorf("Config.%s is not in:\n%v", part, err)
		}
	}
	_, err = tendon.New(donburi.NewWorld(), proto, tendon.Config{Steps: -1})
	if want := "tendon: Config.Steps is -1: give 1 to 240 steps a second"; err == nil || err.Error() != want {
		t.Errorf("Steps alone is wrong, and New says %v", err)
	}
}

// Declarations that cannot work are errors of New, and declarations without a protocol
// panic, each with one sentence.
func TestMistakenDeclarations(t *testing.T) {
	type paint = PaintData
	get := func(*donburi.Entry, *paint) paint { return paint{} }
	for want, declare := range map[string]func(p *tendon.Protocol){
		"tendon: group team is declared twice: keep what NewGroup returned the first time, or rename one": func(p *tendon.Protocol) {
			tendon.NewGroup(p, "team")
			tendon.NewGroup(p, "team")
		},
		`group "red,blue": no tag can name it; choose a name without a comma, and without a space around it`: func(p *tendon.Protocol) {
			tendon.NewGroup(p, "red,blue")
		},
		`group " red": no tag can name it; choose a name without a comma, and without a space around it`: func(p *tendon.Protocol) {
			tendon.NewGroup(p, " red")
		},
		"rpc shout: target 9; there are ToServer, ToOwner, Broadcast and Everywhere": func(p *tendon.Protocol) {
			tendon.NewRPC[tendon.None](p, "shout", 9, rpl.Reliable)
		},
		"rpc shout: lane 9; there are Reliable and Unreliable": func(p *tendon.Protocol) {
			tendon.NewRPC[tendon.None](p, "shout", rpl.Everywhere, 9)
		},
		"tendon: component paint is nil: give it what donburi.NewComponentType returned": func(p *tendon.Protocol) {
			tendon.Replicate[paint](p, "paint", nil)
		},
		"tendon: component paint has no get or no set: a stand-in needs both": func(p *tendon.Protocol) {
			tendon.ReplicateAs(p, "paint", donburi.NewComponentType[paint](), get, nil)
		},
	} {
		p := tendon.NewProtocol("mistaken")
		declare(p)
		if _, err := tendon.New(donburi.NewWorld(), p, tendon.Config{}); err == nil || err.Error() != want {
			t.Errorf("New says %v, not %q", err, want)
		}
	}
	const none = "is declared in no protocol: give it what NewProtocol returned"
	refused(t, `component "paint" `+none, func() { tendon.Replicate(nil, "paint", donburi.NewComponentType[paint]()) })
	refused(t, `prefab "crate" `+none, func() { tendon.NewPrefab[tendon.None](nil, "crate", nil) })
	refused(t, `RPC "shout" `+none, func() { tendon.NewRPC[tendon.None](nil, "shout", rpl.ToServer, rpl.Reliable) })
	refused(t, `group "team" `+none, func() { tendon.NewGroup(nil, "team") })
}

// A declaration after the first New panics with its name.
func TestFrozen(t *testing.T) {
	if _, err := tendon.New(donburi.NewWorld(), proto, tendon.Config{}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, `"too late"`) {
			t.Errorf("panicked with %v", r)
		}
	}()
	tendon.NewRPC[tendon.None](proto, "too late", rpl.ToServer, rpl.Reliable)
}

// A client with another schema is refused, and the error names the component that differs, however
// long the round trip.
func TestAnotherSchema(t *testing.T) {
	for _, delay := range []time.Duration{lan.Delay, 50 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) { anotherSchema(t, netsim.Conditions{Delay: delay}) })
	}
}

func anotherSchema(t *testing.T, line netsim.Conditions) {
	l := newLab(t, line)
	l.server(tendon.Config{})
	other := tendon.NewProtocol("ecs test")
	tendon.Replicate(other, "body", donburi.NewComponentType[PaintData]())
	r, err := tendon.New(donburi.NewWorld(), other, tendon.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{Replication: r, lab: l}
	r.OnEnd(func(err error) { m.ended = err })
	l.machines = append(l.machines, m)
	m.Join(l.net.Dialer(l.listener))
	l.until("it is refused", func() bool { return m.ended != nil })
	if !errors.Is(m.ended, transport.ErrSchema) || !strings.Contains(m.ended.Error(), "body") && !strings.Contains(m.ended.Error(), "ammo") {
		t.Errorf("refused with %v", m.ended)
	}
	check(t, "it is", m.Mode(), tendon.Single)

	r.Host(refusing{})
	l.steps(1)
	if !errors.Is(m.ended, errRefusing) || !strings.Contains(m.ended.Error(), "nowhere") {
		t.Errorf("hosting failed with %v", m.ended)
	}
}

// OnChange of a component that cannot change is refused at once.
func TestOnChangeMisuse(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	for name, register := range map[string]func(){
		"not replicated": func() { tendon.OnChange(m.Replication, Local, func(*donburi.Entry, LocalData) {}) },
		"notify":         func() { tendon.OnChange(m.Replication, Body, func(*donburi.Entry, BodyData) {}) },
	} {
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.Contains(r, name) {
					t.Errorf("%s: panicked with %v", name, r)
				}
			}()
			register()
		}()
	}
}

// One program serves two builds of a game with the same component type: of the former build's
// protocol a new field stays local. Who joins the other build's server hears both versions.
func TestTwoBuilds(t *testing.T) {
	type formerBody struct {
		HP uint8 `rpl:"max=100"`
	}
	type body struct {
		HP     uint8 `rpl:"max=100"`
		Armour uint8 `rpl:"max=50"`
	}
	l := newLab(t, lan)
	machine := func(p *tendon.Protocol) *machine {
		r, err := tendon.New(nil, p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		m := &machine{Replication: r, lab: l, name: "of a build"}
		r.OnEnd(func(err error) { m.ended = err })
		l.machines = append(l.machines, m)
		return m
	}
	own := donburi.NewComponentType[body]()
	declare := func(name string, tags ...rpl.Tags) *tendon.Protocol {
		p := tendon.NewProtocol(name)
		tendon.Replicate(p, "body", own, tags...)
		return p
	}
	former, current := declare("hunt 1.2", rpl.Tags{"Armour": "-"}), declare("hunt 1.3")
	there := tendon.NewProtocol("hunt 1.2") // as players have it
	formerOwn := tendon.Replicate(there, "body", donburi.NewComponentType[formerBody]())

	listeners := map[*tendon.Protocol]*mem.Listener{}
	for _, p := range []*tendon.Protocol{former, current} {
		m := machine(p)
		m.OnJoin(func(to rpl.Peer) {
			e := m.Create(own)
			own.SetValue(e, body{HP: 77, Armour: 33})
			tendon.Give(e, to)
		})
		listeners[p] = l.net.Listener()
		m.Host(listeners[p])
	}
	a, b, lost := machine(there), machine(current), machine(there)
	a.Join(l.net.Dialer(listeners[former]))
	b.Join(l.net.Dialer(listeners[current]))
	lost.Join(l.net.Dialer(listeners[current]))
	l.until("both have a body, and the third is refused", func() bool {
		_, x := tendon.Mine(a.Replication, formerOwn)
		_, y := tendon.Mine(b.Replication, own)
		return x && y && lost.ended != nil
	})
	x, _ := tendon.Mine(a.Replication, formerOwn)
	y, _ := tendon.Mine(b.Replication, own)
	check(t, "the former build has", *formerOwn.Get(x), formerBody{77})
	check(t, "the current one has", *own.Get(y), body{77, 33})
	if err := lost.ended; !errors.Is(err, transport.ErrGame) || !strings.Contains(err.Error(), `plays "hunt 1.3", this program "hunt 1.2"`) {
		t.Errorf("at the wrong server: %v", err)
	}
}
