package island

import (
	"log/slog"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Name is the game's, by which its sessions are found on a local network.
const Name = "tendon island"

// Protocol is what all machines of a session agree on.
var Protocol = tendon.NewProtocol(Name)

// Replicated lists the replicated components, for tools that compare worlds.
func Replicated() []donburi.IComponentType {
	return []donburi.IComponentType{Place, Controller, Score, Walker, Car, Crate, Sphere, Switch, Door, Match, Marker}
}

// Config returns the settings of a session on the island: 60 steps and 30 sends a second,
// and everyone sees what is near.
func Config(log *slog.Logger) tendon.Config {
	return tendon.Config{
		Interest: rpl.Grid{Enter: Enter, Exit: Exit},
		Steps:    Steps,
		Sends:    Sends,
		MaxPeers: 64,

		// Shots are judged by where walkers and cars were on the shooter's screen.
		Rewind:     []donburi.IComponentType{Place},
		RewindOnly: filter.Or(filter.Contains(Walker), filter.Contains(Car)),

		Title: "Tendon island",
		Log:   log,
	}
}
