// Command standing is a game whose window stands, as one does that is dragged in Windows: Ebitengine waits in the
// operating system and calls nothing. It hosts a session, prints how many steps it makes meanwhile, lets the window go on,
// and ends.
package main

import (
	"fmt"
	"log"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/window"
	"github.com/tendonengine/tendon/transport/kcp"
)

const (
	before = 20  // updates
	steps  = 120 // while it stands
	most   = 40  // updates meanwhile: events of the window's opening may come late
)

func main() {
	rep, err := tendon.New(donburi.NewWorld(), tendon.NewProtocol("standing"), tendon.Config{})
	if err != nil {
		log.Fatal(err)
	}
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	rep.Host(l)
	updates, stood, standing := 0, 0, false
	err = window.Run(rep, window.Game{
		Width: 320, Height: 200,
		Step: func(*tendon.Replication) {
			if !standing {
				return
			}
			if stood++; stood%steps == 0 {
				//lint:ignore SA1019 as below
				ebiten.ScheduleFrame() // it goes on; again if that came before it stood
			}
		},
		Draw: func(*tendon.Replication, *ebiten.Image) {},
		Update: func() error {
			switch updates++; {
			case updates == before:
				//lint:ignore SA1019 it waits for events: the one way to let a window stand from inside
				ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum)
				standing = true
			case stood >= steps:
				if n := updates - before; n > most {
					log.Fatalf("it did not stand: there were %d updates", n)
				}
				fmt.Println("stood, and made the steps")
				return window.ErrQuit
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}
