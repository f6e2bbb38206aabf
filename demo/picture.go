package main

import (
	"image"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/tendonengine/tendon/demo/shot"
)

// clock measures the time since the window's first update.
type clock struct{ begin time.Time }

func (c *clock) start() {
	if c.begin.IsZero() {
		c.begin = time.Now()
	}
}

func (c *clock) seconds() float64 {
	if c.begin.IsZero() {
		return 0
	}
	return time.Since(c.begin).Seconds()
}

// picture runs after each drawn frame. It writes that frame and its account when F12
// was pressed, and when -seconds have passed; after the latter the program ends.
func (p *program) picture(screen *ebiten.Image) {
	at := p.clock.seconds()
	due := at >= p.options.Seconds
	if p.done || !due && !p.wanted {
		return
	}
	p.done, p.wanted = due, false
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	if err := shot.Write(p.options.Shot, img, p.account(img.Bounds(), at)); p.failed == nil {
		p.failed = err
	}
}

// account describes what the last frame drew and the program's settings.
func (p *program) account(picture image.Rectangle, seconds float64) shot.Account {
	a := shot.Account{
		Width: picture.Dx(), Height: picture.Dy(), Seconds: seconds,
		Circles: p.view.Circles, Figures: p.view.Figures, Ghosts: p.view.Ghosts, Predicted: !p.unpredicted, Line: p.talk.shown(),
	}
	if p.network != nil {
		a.Between = &shot.Conditions{RTT: float64(p.network.rtt.Microseconds()) / 1000, Loss: p.network.loss}
	}
	for _, s := range p.seats {
		pane := s.scene.Account(s.rep)
		pane.Driver = shot.Player
		if s.bot != nil {
			pane.Driver = shot.Bot
		}
		a.Panes = append(a.Panes, pane)
	}
	return a
}
