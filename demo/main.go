// Command demo plays the island, the demo game, in a window.
//
//	demo                         single player
//	demo -panes                  a listen server and a client of it, beside each other
//	demo -host :7777             play and let others join: it prints the join string
//	demo -join STRING            join them
//	demo -animals 20000          an island full of animals and crates
//	demo -shot out.png           a picture of both panes, and what is on it
//	demo -join lan               a list of the games on the local network, to choose from by number
//
// Where to look: package options has the flags; seat.go one session with its pane;
// network.go the simulated network between the panes; picture.go the screenshot;
// talk.go the chat line. Package island has the rules of the game, scene draws it, and
// bots plays it while no player does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tendonengine/tendon/demo/internal/stop"
	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/demo/lan"
	"github.com/tendonengine/tendon/demo/options"
	"github.com/tendonengine/tendon/demo/scene"
	"github.com/tendonengine/tendon/ecs/window"
)

func main() {
	o, err := options.Parse(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(2)
	}
	if err := play(o); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		if errors.Is(err, window.ErrNotOpened) {
			fmt.Fprintln(os.Stderr, "demo: without a window, the same session in text: go run ./demo/server -seconds 20 -clients 2 -rtt 80ms -loss 0.02")
		}
		os.Exit(1)
	}
}

// play opens the sessions and runs the window until it closes.
func play(o options.Options) error {
	sprites, err := scene.Load()
	if err != nil {
		return err
	}
	if o.Join == "lan" { // Ctrl-C ends the program while it asks
		if o.Join, err = lan.Choose(island.Name, os.Stdin, os.Stdout); err != nil {
			return err
		}
	}
	asked, cancel := stop.Context()
	context.AfterFunc(asked, cancel) // a second Ctrl-C ends the program at once
	p := &program{asked: asked, options: o, view: scene.Options{Zoom: o.Zoom, Circles: o.Circles, Figures: o.Figures, Ghosts: o.Ghosts}, sprites: sprites}
	if err := p.open(); err != nil {
		return err
	}
	game := window.Game{
		Title: "Tendon island", Width: o.Width, Height: o.Height,
		MaxFPS: o.MaxFPS, Update: p.update,
	}
	if o.Shot != "" {
		game.Drawn = p.picture
		if game.MaxFPS == 0 {
			game.MaxFPS = 30 // so that a software renderer leaves processor time for the game
		}
	}
	if o.Map {
		p.openMap(true)
	}
	p.predict(!o.Unpredicted)
	var panes []window.Pane
	for _, s := range p.seats {
		panes = append(panes, window.Pane{Rep: s.rep, Step: s.game.Step, Draw: s.scene.Draw})
	}
	err = window.Split(game, panes...)
	return errors.Join(err, p.failed)
}

// program is the state of the window: its sessions, one in each pane.
type program struct {
	asked   context.Context // ends when the program is asked to end, as with Ctrl-C
	options options.Options
	view    scene.Options
	sprites *scene.Sprites
	seats   []*seat
	network *network // between the panes, or to the server; nil on a host and alone
	clock   clock
	talk    talk

	unpredicted bool  // what players drive waits for the authority
	wanted      bool  // F12 has asked for a picture
	done        bool  // the program ends; set by what asks for it, and read by the next update
	failed      error // why the program ends; nil while nothing has failed
}

// update handles the program's own keys once per update, and returns window.ErrQuit to
// end the program.
func (p *program) update() error {
	p.clock.start()
	if p.done || p.failed != nil || p.asked.Err() != nil || ebiten.IsWindowBeingClosed() {
		return p.quit()
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF12) {
		p.wanted = true
	}
	if p.talk.update(p.seats) {
		return nil
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		return p.quit()
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF1) {
		p.view.Circles = !p.view.Circles
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF2) {
		p.view.Figures = !p.view.Figures
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF3) {
		p.view.Ghosts = !p.view.Ghosts
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF4) {
		p.predict(p.unpredicted)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyM) {
		p.openMap(!p.view.Map)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyPageUp) {
		p.view.Zoom = min(p.view.Zoom*1.25, 4)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyPageDown) {
		p.view.Zoom = max(p.view.Zoom/1.25, 0.25)
	}
	if p.network != nil {
		p.network.keys()
	}
	heal := []ebiten.Key{ebiten.KeyQ, ebiten.KeyPeriod}
	for i, s := range p.seats {
		if inpututil.IsKeyJustPressed(heal[i]) {
			_ = island.UseItem(s.rep, island.Bandage) // on an error the player can press the key again
		}
	}
	return nil
}

// openMap shows or hides the map screen in all panes: their machines ask for the markers of
// their teams, or do without them.
func (p *program) openMap(open bool) {
	p.view.Map = open
	for _, s := range p.seats {
		s.game.OpenMap(open)
	}
}

// predict turns prediction on or off in all panes, to feel the difference.
func (p *program) predict(on bool) {
	p.unpredicted = !on
	for _, s := range p.seats {
		s.game.Unpredicted = !on
	}
}

// quit closes the sessions, so that the others are told who has left and not only that a
// window was closed, and returns window.ErrQuit.
func (p *program) quit() error {
	p.done = true
	for _, s := range p.seats {
		s.rep.Close("the player has left")
	}
	return window.ErrQuit
}
