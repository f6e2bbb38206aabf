package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A longJoin is a server of a board with so many strokes of 8 kB, and a client that has begun to join.
type longJoin struct {
	*tendontest.Lab
	server, client *tendontest.Machine
	points         func() int // that the client has
}

func newLongJoin(t *testing.T, strokes int, line netsim.Conditions) *longJoin {
	type stroke struct {
		Points []uint16 `rpl:"max=4000"`
	}
	p := tendon.NewProtocol("board")
	all := tendon.Replicate(p, "stroke", donburi.NewComponentType[stroke]())
	j := &longJoin{Lab: tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Step: func(*tendontest.Machine) {},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for range strokes {
					s := all.Get(m.Create(all))
					for range 4000 {
						s.Points = append(s.Points, uint16(m.Rand.Uint32()))
					}
				}
			})
		},
	}, line)}
	j.server = j.Host()
	j.Steps(30)
	j.client = j.Join()
	j.points = func() (n int) {
		for e := range all.Iter(j.client.World()) {
			n += len(all.Get(e).Points)
		}
		return n
	}
	return j
}

// out is what the server has sent the client, all bytes and those of the reliable lane.
func (j *longJoin) out() (all, lane int) {
	for peer := range j.server.Peers() {
		c := j.server.Stats(peer).Conn
		all, lane = int(c.BytesOut), int(c.ReliableOut)
	}
	return all, lane
}

// Where the packets of one step of a join are lost, they are sent again, and not all that follows twice.
func TestLossInAJoinCostsWhatIsLost(t *testing.T) {
	good, dead := netsim.Conditions{Delay: 25 * time.Millisecond}, netsim.Conditions{Loss: 1}
	join := func(lose int) int {
		j := newLongJoin(t, 20, good)
		for i := range 120 {
			down := good
			if i == lose {
				down = dead
			}
			j.client.Dialer.SetConditions(good, down)
			j.Steps(1)
		}
		if n := j.points(); n != 80_000 {
			t.Fatalf("lost in step %d: the client has %d of 80,000 points", lose, n)
		}
		_, bytes := j.out()
		return bytes
	}
	whole := join(-1)
	for _, lose := range []int{1, 4, 7} {
		if more := join(lose) - whole; more > 25_000 {
			t.Errorf("what was lost in step %d costs %d bytes besides %d", lose, more, whole)
		}
	}
}

// A join over a slow line that drops what its short queue does not hold is sent as fast as the line carries
// it, and hardly any of it twice.
func TestJoinFitsAShortQueue(t *testing.T) {
	const rate = 20_000
	for _, queue := range []int{4 << 10, 8 << 10} {
		j := newLongJoin(t, 10, netsim.Conditions{Delay: 25 * time.Millisecond, Rate: rate, Queue: queue})
		steps := 0
		for ; j.points() < 40_000; steps++ {
			if j.Steps(1); steps > 600 {
				t.Fatalf("queue of %d bytes: after 10 s the client has %d of 40,000 points", queue, j.points())
			}
		}
		bytes, _ := j.out()
		t.Logf("queue of %d bytes: %d bytes in %d steps", queue, bytes, steps)
		if carries := rate * steps / 60; bytes > carries*11/10 || steps > 60*6 {
			t.Errorf("queue of %d bytes: %d bytes are sent in %d steps, in which the line carries %d", queue, bytes, steps, carries)
		}
	}
}
