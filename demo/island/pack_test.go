package island

// Packs, the tally and the chat.

import (
	"strings"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A bandage reaches only its owner's pack, and is used by a call that checks its index.
func TestPack(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 2, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { _, ok := tendon.Mine(client.rep, Controller); return ok })
	me := l.walker(server, client.rep.Me())
	server.carry(me.Entity(), Feather)
	server.carry(me.Entity(), Bandage)
	server.carry(me.Entity(), Bandage)
	pack := func() []Item { e, _ := tendon.Mine(client.rep, Controller); return Controller.Get(e).Pack }
	l.until("the client sees its pack", func() bool {
		p := pack()
		return len(p) == 2 && p[0] == Item{Feather, 1} && p[1] == Item{Bandage, 2}
	})
	Walker.Get(me).Health = 10
	e, _ := tendon.Mine(client.rep, Controller)
	if err := UseSlot.Send(e, 200); err != nil { // no such slot
		t.Fatal(err)
	}
	if err := UseItem(client.rep, Bandage); err != nil {
		t.Fatal(err)
	}
	l.until("one bandage is used", func() bool { p := pack(); return len(p) == 2 && p[1].Count == 1 })
	if got := Walker.Get(l.walker(client, client.rep.Me())).Health; got != 10+bandageHeals {
		t.Errorf("health %d, want %d", got, 10+bandageHeals)
	}
	Walker.Get(l.walker(server, client.rep.Me())).Health = 10
	if err := UseItem(client.rep, Bandage); err != nil {
		t.Fatal(err)
	}
	l.until("the last one is gone", func() bool { return len(pack()) == 1 })
}

// Points of one kind change one entry of the tally on every machine.
func TestTally(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 2, noNetwork)
	server, other := l.machines[0], l.machines[2]
	l.until("both play", func() bool { return len(server.collect(Walker)) == 2 && len(other.collect(Score)) == 2 })
	who := l.machines[1].rep.Me()
	walker := l.walker(server, who).Entity()
	for range 3 {
		server.reward(walker, sheepPoints, "sheep")
	}
	server.reward(walker, coinPoints, "coins")
	l.until("the other player knows", func() bool {
		for e := range Score.Iter(other.rep.World()) {
			s := Score.Get(e)
			if tendon.Owner(e) == who && s.Tally["sheep"] == 3 && s.Tally["coins"] == 1 && s.Points == 3*sheepPoints+coinPoints {
				return true
			}
		}
		return false
	})
}

// Everyone hears what a player says, with the speaker's name as the authority knows it.
func TestChat(t *testing.T) {
	l := newLab(t, tendon.Listen, 2, noNetwork)
	l.until("all play", func() bool {
		for _, m := range l.machines {
			if len(m.collect(Score)) != 3 {
				return false
			}
		}
		return true
	})
	speaker := l.machines[1]
	if err := Talk(speaker.rep, "  hello\x00 there "+strings.Repeat("!", 100)); err != nil {
		t.Fatal(err)
	}
	l.until("all have heard it", func() bool {
		for _, m := range l.machines {
			if len(m.Heard()) != 1 {
				return false
			}
		}
		return true
	})
	for i, m := range l.machines {
		line := m.Heard()[0]
		if line.Name != "Player 2" || !strings.HasPrefix(line.Text, "hello there !!!") || len(line.Text) > MaxText {
			t.Errorf("machine %d heard %+v", i, line)
		}
	}
	l.steps(heardFor + 10)
	if n := len(speaker.Heard()); n != 0 {
		t.Errorf("%d lines are still shown", n)
	}
}

// A client that speaks from its first step on is heard as soon as it has joined, and only
// once.
func TestTalkWhileJoining(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
	client := l.machines[1]
	l.steps(1) // before this step it plays alone
	refused := 0
	l.until("it is said", func() bool {
		err := Talk(client.rep, "hello")
		if err != nil {
			refused++
		}
		return err == nil
	})
	if refused == 0 {
		t.Error("a client that has not joined says something, and is told that it was heard")
	}
	l.until("it is heard", func() bool { return len(client.Heard()) > 0 })
	l.steps(Steps)
	if n := len(client.Heard()); n != 1 {
		t.Errorf("heard %d times", n)
	}
}
