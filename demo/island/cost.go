package island

import (
	"fmt"
	"strings"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Costs says in one line what the features of the island cost here: of what there is how much
// this machine has, or on a server how much of it anybody has, and what the connections carry
// for all of it.
func (g *Game) Costs() string {
	var parts []string
	for _, f := range []struct {
		name string
		has  each
	}{{"animals", Animal}, {"crates", Crate}, {"players", Walker}, {"map markers", Marker}} {
		all, watched := 0, 0
		f.has.Each(g.rep.World(), func(e *donburi.Entry) {
			all++
			if tendon.Watched(e) {
				watched++
			}
		})
		switch {
		case g.rep.Mode() == tendon.Dedicated:
			parts = append(parts, fmt.Sprintf("%d of %d %s watched", watched, all, f.name))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", watched, f.name))
		}
	}
	bytes, peers := 0, 0
	count := func(p rpl.Peer) {
		s := g.rep.Stats(p)
		if s.Conn.Transport != "" {
			bytes, peers = bytes+s.BytesOut+s.BytesIn, peers+1
		}
	}
	if g.rep.Mode() == tendon.Client {
		count(rpl.Server)
	} else {
		for p := range g.rep.Peers() {
			count(p)
		}
	}
	line := strings.Join(parts, ", ")
	if peers > 0 {
		line += fmt.Sprintf(": %.1f kB/s on %d lines", float64(bytes)/1000, peers)
	}
	return line
}
