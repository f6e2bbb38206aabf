package scene

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/hajimehoshi/ebiten/v2/audio"
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/demo/tones"
	tendon "github.com/tendonengine/tendon/ecs"
)

// sound plays what happens near one session's player.
type sound struct {
	context *audio.Context
	sounds  map[string][]byte
	scene   *Scene
}

// hearing is how far sounds reach, in units; at half of it the volume is a quarter.
const hearing = 700.0

// Listen makes a session heard. Call it once in a program, because a player has one pair
// of ears. Without a sound card it does nothing: with an audio context but no card,
// Ebitengine would end the game.
func Listen(r *tendon.Replication, s *Scene) {
	if !soundCard() {
		return
	}
	p := &sound{context: audio.NewContext(tones.Rate), sounds: tones.Sounds(), scene: s}
	r.OnStreamIn(island.Flight, func(e *donburi.Entry) {
		if island.Flight.Get(e).Speed > 0 {
			p.play("shot", island.Place.Get(e).Pos)
		} else {
			p.play("blast", island.Place.Get(e).Pos)
		}
	})
	r.OnStreamOut(island.Coin, func(e *donburi.Entry, destroyed bool) {
		if destroyed {
			p.play("coin", island.Place.Get(e).Pos)
		}
	})
}

// play plays a sound, the louder the nearer it is.
func (p *sound) play(name string, at gmath.Vec) {
	volume := 1 - at.DistanceTo(p.scene.camera.At)/hearing
	if volume <= 0 {
		return
	}
	player := p.context.NewPlayerFromBytes(p.sounds[name])
	player.SetVolume(volume * volume)
	player.Play()
}

// soundCard reports whether there may be a device to play on.
func soundCard() bool {
	if runtime.GOOS != "linux" || os.Getenv("PULSE_SERVER") != "" {
		return true
	}
	cards, err := filepath.Glob("/dev/snd/pcm*p")
	return err == nil && len(cards) > 0
}
