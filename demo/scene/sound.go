package scene

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

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
// of ears. Where nothing can be heard it does nothing: with an audio context and no
// way to play it, Ebitengine would end the game.
func Listen(r *tendon.Replication, s *Scene) {
	if !audible() {
		return
	}
	p := &sound{context: audio.NewContext(tones.Rate), sounds: tones.Sounds(), scene: s}
	s.game.Fired = func(at gmath.Vec) { p.play("shot", at) }
	r.OnStreamIn(island.Flight, func(e *donburi.Entry) {
		switch at := island.Place.Get(e).Pos; {
		case island.Flight.Get(e).Speed == 0:
			p.play("blast", at)
		case !tendon.IsOwner(e) || s.game.Unpredicted && !r.IsAuthority(): // the own shot is heard in the step of the key
			p.play("shot", at)
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

// audible reports whether Ebitengine will find a way to play sounds. On Linux that is a
// PulseAudio server, or a sound card by way of libasound, which it loads.
func audible() bool {
	if runtime.GOOS != "linux" || os.Getenv("PULSE_SERVER") != "" {
		return true
	}
	there := func(patterns ...string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			found, err := filepath.Glob(pattern)
			return err == nil && len(found) > 0
		})
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" && there(filepath.Join(dir, "pulse", "native")) {
		return true
	}
	const library = "libasound.so*"
	return there("/dev/snd/pcm*p") && there("/usr/lib*/"+library, "/usr/lib/*/"+library, "/lib*/"+library, "/lib/*/"+library, "/usr/local/lib/"+library)
}
