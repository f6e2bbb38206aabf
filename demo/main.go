// Command demo is the island in a window.
//
//	demo                         single player
//	demo -panes                  a listen server and a client of it, beside each other
//	demo -host :7777 [-public]   play and let others join
//	demo -join host:7777         join them
//	demo -shot out.png           a picture of both panes, and what is on it
//
// Where to look: options what may be typed; seat.go one session with its pane;
// network.go the simulated network between the panes; picture.go the screenshot;
// island the rules, scene the drawing, bots who plays when nobody does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tendonengine/tendon/demo/address"
	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/demo/options"
	"github.com/tendonengine/tendon/demo/scene"
	"github.com/tendonengine/tendon/ecs/window"

	_ "github.com/tendonengine/tendon/demo/internal/display" // ends the program where there is no display
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
		os.Exit(1)
	}
}

// play opens the sessions and the window, and ends both.
func play(o options.Options) error {
	sprites, err := scene.Load()
	if err != nil {
		return err
	}
	if o.Public {
		fmt.Println(address.Warning)
	}
	p := &program{options: o, view: scene.Options{Zoom: o.Zoom, Circles: o.Circles, Figures: o.Figures}, sprites: sprites}
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
			game.MaxFPS = 30 // a renderer in software leaves the processor to the game
		}
	}
	var panes []window.Pane
	for _, s := range p.seats {
		panes = append(panes, window.Pane{Rep: s.rep, Step: s.game.Step, Draw: s.scene.Draw})
	}
	err = window.Split(game, panes...)
	p.done = true
	for _, s := range p.seats {
		s.rep.Close("the player has left")
	}
	return errors.Join(err, p.failed)
}

// program is what the window shows.
type program struct {
	options options.Options
	view    scene.Options
	sprites *scene.Sprites
	seats   []*seat
	network *network // between the panes; nil without
	clock   clock
	talk    talk
	wanted  bool // a picture, by F12
	done    bool
	failed  error
}

// update handles the keys that belong to the program, and its end.
func (p *program) update() error {
	p.clock.start()
	if p.done || p.failed != nil {
		return window.ErrQuit
	}
	if p.talk.update(p.seats[0]) {
		return nil
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
		return window.ErrQuit
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF1) {
		p.view.Circles = !p.view.Circles
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF2) {
		p.view.Figures = !p.view.Figures
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF12) {
		p.wanted = true
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
			_ = island.UseItem(s.rep, island.Bandage) // it can be pressed again
		}
	}
	return nil
}
