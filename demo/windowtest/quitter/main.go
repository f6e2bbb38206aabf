// Command quitter is the smallest game in a window that joins a session, for the tests of
// how windows end:
//
//	quitter [-asks] [-fails] ADDRESS
//
// Escape ends it, and so does closing its window; with -asks only the second attempt at
// that does. With -fails Escape ends it by an error of its own. When its session has ended it says so, and then does nothing at all until its
// input ends. So a test can see what the others know in that moment and what stands on the
// screen, and kill the program there.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/window"
	"github.com/tendonengine/tendon/transport/kcp"
)

func main() {
	asks := flag.Bool("asks", false, "end only when the window is closed a second time")
	fails := flag.Bool("fails", false, "end by an error")
	flag.Parse()
	rep, err := tendon.New(donburi.NewWorld(), tendon.NewProtocol("quitter"), tendon.Config{})
	if err != nil {
		log.Fatal(err)
	}
	rep.OnEnd(func(err error) {
		fmt.Println("ended:", err)
		_, _ = io.Copy(io.Discard, os.Stdin)
	})
	if err := kcp.Start(rep, "", flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
	ebiten.SetWindowClosingHandled(*asks)
	asked := 0
	err = window.Run(rep, window.Game{
		Title: "quitter", Width: 320, Height: 200,
		Step: func(*tendon.Replication) {},
		Draw: func(*tendon.Replication, *ebiten.Image) {},
		Update: func() error {
			if *asks && ebiten.IsWindowBeingClosed() {
				fmt.Println("asked")
				asked++
			}
			if *fails && inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
				return errors.New("nothing works")
			}
			if asked == 2 || inpututil.IsKeyJustPressed(ebiten.KeyEscape) {
				return window.ErrQuit
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
}
