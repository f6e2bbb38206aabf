package tendontest_test

// The guide's recipe of a spectator's camera, as others play it.

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	gladiatorData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
		HP  uint8     `rpl:"max=100"`
	}
	lensData struct {
		Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
		Whom rpl.Peer  `rpl:"interp=step"` // 0: nobody lives
	}
)

// A spectator's camera shows whom it was put on, in each frame of a quick display, and goes to the next
// in the frame in which that one is seen to die or to leave, also far away and on a bad line.
func TestCameraRecipe(t *testing.T) {
	for _, line := range []netsim.Conditions{{Delay: 50 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05}} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("loss %v, seed %d", line.Loss, seed+1), func(t *testing.T) { watchAll(t, line, seed+1) })
		}
	}
}

func watchAll(t *testing.T, line netsim.Conditions, seed uint64) {
	p := tendon.NewProtocol("arena")
	Fighter := tendon.Replicate(p, "fighter", donburi.NewComponentType[gladiatorData]())
	Camera := tendon.Replicate(p, "camera", donburi.NewComponentType[lensData]())
	Lens := tendon.NewPrefab(p, "lens", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(Camera, components.Observer))
	}, components.NodeData{Relevance: rpl.OwnerOnly})
	Watch := tendon.NewRPC[rpl.Peer](p, "watch", rpl.ToServer, rpl.Reliable).On(Camera)

	put := func(camera *donburi.Entry, p rpl.Peer) {
		var next *donburi.Entry
		for e := range Fighter.Iter(camera.World) {
			if Fighter.Get(e).HP > 0 && (next == nil || tendon.Owner(e)-p < tendon.Owner(next)-p) {
				next = e
			}
		}
		c := Camera.Get(camera)
		if next == nil {
			c.Whom = 0
			return
		}
		if tendon.Owner(next) != c.Whom {
			tendon.Teleport(camera)
		}
		c.Whom, c.Pos = tendon.Owner(next), Fighter.Get(next).Pos
	}
	clock := map[string]int{}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(name string, c *tendon.Config) {
			c.Dedicated, c.Hello = name == "server", []byte(name)
			c.Interest = rpl.Grid{Enter: 800, Exit: 900}
		},
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) {
				if string(m.Hello(q)) == "client 1" {
					tendon.Give(Lens.Spawn(m.World(), tendon.None{}), q)
					return
				}
				e := m.Create(Fighter, components.Observer)
				Fighter.SetValue(e, gladiatorData{Pos: gmath.Vec{X: 5000 * float64(q)}, HP: 100})
				tendon.Give(e, q)
			})
			Watch.Handle(m.Replication, func(c tendon.Call, p rpl.Peer) { put(c.Entry, p) })
		},
		Step: func(m *tendontest.Machine) {
			if !m.IsAuthority() {
				return
			}
			clock[m.Name]++
			for e := range Fighter.Iter(m.World()) {
				f := Fighter.Get(e)
				at := float64(clock[m.Name])/20 + float64(tendon.Owner(e))
				f.Pos = f.Pos.Add(gmath.RadToVec(gmath.Rad(at)).Mulf(4))
			}
			for e := range Camera.Iter(m.World()) {
				put(e, Camera.Get(e).Whom)
			}
		},
	}, line)
	server := lab.Host()
	spectator := lab.Join()
	var players []*tendontest.Machine
	var peers []rpl.Peer
	for i := range 4 {
		players = append(players, lab.Join())
		peers = append(peers, players[i].Me())
	}
	lab.Steps(60)

	drawn := donburi.NewQuery(filter.And(filter.Contains(Fighter), tendon.Drawn))
	see := func(rep *tendon.Replication) (at gmath.Vec, whom rpl.Peer, ok bool) {
		e, ok := tendon.Mine(rep, Camera)
		if !ok || e.HasComponent(components.Hidden) {
			return at, 0, false
		}
		c := tendon.View(e, Camera)
		for f := range drawn.Iter(rep.World()) {
			if tendon.Owner(f) == c.Whom {
				return tendon.View(f, Fighter).Pos, c.Whom, true
			}
		}
		return c.Pos, c.Whom, true
	}
	var last gmath.Vec
	var shown []rpl.Peer
	frames, absent := 0, 0
	frame := func(m *tendontest.Machine) {
		if m != spectator {
			return
		}
		at, whom, ok := see(m.Replication)
		if !ok {
			t.Fatal("the spectator has no camera")
		}
		changed := len(shown) == 0 || shown[len(shown)-1] != whom
		if changed {
			shown = append(shown, whom)
		} else if d := at.DistanceTo(last); d > 4 {
			t.Errorf("the camera on %d leaps by %.1f pixels", whom, d)
		}
		last = at
		here := false
		for e := range drawn.Iter(m.World()) {
			if tendon.Owner(e) == whom {
				here = true
				frames++
				if d := tendon.View(e, Fighter).Pos.DistanceTo(at); d > 0 {
					t.Errorf("the camera is %.1f pixels beside %d", d, whom)
				}
			}
		}
		if !here { // far away, right after a cut
			absent++
		}
	}
	play := func(d time.Duration) { lab.Play(d, tendontest.FPS(144), frame) }
	play(time.Second)
	c, _ := tendon.Mine(spectator.Replication, Camera)
	if err := Watch.Send(c, players[1].Me()); err != nil {
		t.Fatal(err)
	}
	play(time.Second)
	for e := range Fighter.Iter(server.World()) { // dies
		if tendon.Owner(e) == players[1].Me() {
			Fighter.Get(e).HP = 0
		}
	}
	play(time.Second)
	players[2].Close("has left")
	play(time.Second)
	var dead *donburi.Entry
	for e := range Fighter.Iter(server.World()) { // dies, and is removed
		if tendon.Owner(e) == players[3].Me() {
			dead = e
		}
	}
	dead.Remove()
	play(time.Second)
	if want := []rpl.Peer{peers[0], peers[1], peers[2], peers[3], peers[0]}; !slices.Equal(shown, want) {
		t.Errorf("the camera shows %v, not %v", shown, want)
	}
	if frames < 700 || absent > 40 {
		t.Errorf("%d frames, and in %d nobody is there", frames, absent)
	}
}
