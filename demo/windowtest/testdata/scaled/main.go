// Command scaled is a game with a screen of 160 by 120 pixels in a window of 640 by 480.
// It prints the sizes of what it draws to, then ends.
package main

import (
	"fmt"
	"log"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/window"
)

func main() {
	rep, err := tendon.New(donburi.NewWorld(), tendon.NewProtocol("scaled"), tendon.Config{})
	if err != nil {
		log.Fatal(err)
	}
	drawn, final := 0, 0
	err = window.Run(rep, window.Game{
		Width: 640, Height: 480,
		Layout: func(w, h int) (int, int) { return w / 4, h / 4 },
		Step:   func(*tendon.Replication) {},
		Draw: func(_ *tendon.Replication, screen *ebiten.Image) {
			if drawn++; drawn == 1 {
				fmt.Println("screen", screen.Bounds())
			}
		},
		DrawFinalScreen: func(screen ebiten.FinalScreen, offscreen *ebiten.Image, geoM ebiten.GeoM) {
			if final++; final == 1 {
				fmt.Println("final", screen.Bounds(), offscreen.Bounds(), geoM.Element(0, 0), geoM.Element(1, 1))
			}
			screen.DrawImage(offscreen, &ebiten.DrawImageOptions{GeoM: geoM})
		},
		Update: func() error {
			if final > 0 {
				return window.ErrQuit
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}
