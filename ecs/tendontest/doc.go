// Package tendontest tests games that are made with Tendon, as `go test` runs them: without
// a window, without sockets, and in virtual time, so that a minute of play takes a moment and
// the same seed plays the same game.
//
// A [Game] says how one machine of the game is set up, and what it does in a step. A [Lab]
// plays it on any number of machines over a simulated network:
//
//	lab := tendontest.NewLab(t, game, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.03})
//	server := lab.Host()
//	ann, bob := lab.Join(), lab.Join()
//	lab.Steps(600)
//	lab.CheckEqual() // every client has what the server has
//
// [Lab.Play] plays as windows do, with frames at any rate, and shows what is drawn in each:
//
//	lab.Play(2*time.Second, tendontest.FPS(144), func(m *tendontest.Machine) { … tendon.View(…) })
//
// [CheckStep] looks for what breaks prediction: rules that do not give the same when they run
// again. It names the component, the field and the entity.
//
//	func TestRulesAreExact(t *testing.T) { tendontest.CheckStep(t, game, 600) }
//
// All machines are in one process: they share the game's package variables, which they do not as
// separate programs. Keep what is a machine's own in what Game.Setup makes.
//
// [LateLine] is the line of which players complain most.
package tendontest

// For readers of the code: lab.go has the machines and the network, play.go their windows,
// checkstep.go the rules that are run again, snapshot.go what a world was like, value.go how values are compared and
// set back.
