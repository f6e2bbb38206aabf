// Package island is the demo's game: its rules, without a window.
//
// An island far larger than the view. Players walk, drive and shoot; crates break into
// coins; chickens are caught by hand; sheep flee and are driven into the pen. The pen's
// gate opens while somebody stands on the plate, or for a while after the button is
// pressed; its doors are opened and shut by hand. Most points after two minutes win, and
// a new round begins.
//
// Where to look:
//
//	protocol.go    the protocol and the session's settings
//	game.go        Setup binds the rules to a session; Step is the fixed step
//	input.go       what a player holds down, and the commands that carry it: predicted on the
//	               player's own machine
//	controller.go  a player's hand, for calls on what nobody owns
//	player.go      a player who joins gets a row of the score board, a walker, a controller
//	place.go       where things are, and as what they are drawn
//	walker.go      a player's body: walks, shoots, goes down and stands up
//	car.go         entering is a reparent and a change of owner
//	bullet.go      bullets and explosions: transient nodes; bullets are predicted, and judged by
//	               what the shooter saw
//	animal.go      sheep and chickens
//	crate.go       crates and coins
//	pack.go        what a player carries: a list; a reliable call uses it
//	chat.go        talk, through the session itself
//	plaza.go       spheres, button, plate and gate: load-time nodes
//	door.go        doors, by a call that names its door
//	match.go       the round
//	marker.go      team mates on the map, while it is open; cost.go: what features cost
//	fill.go        what stands where when a world begins
//	terrain.go     land and water; scenery.go trees and rocks; pen.go the fence:
//	               the same on every machine without a byte sent
//	tuning.go      every number that one may want to turn
//
// Rules run where tendon.Authority says so; the package never asks whether it is on a
// server. Like donburi's queries, it must be used by one goroutine at a time, even across
// sessions.
package island
