package scene

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
)

// Bindings say what each key of the keyboard means.
type Bindings map[ebiten.Key]island.Keys

// Left is one half of the keyboard and Right the other, for two players who share it.
var (
	Left = Bindings{
		ebiten.KeyW: island.Up, ebiten.KeyS: island.Down, ebiten.KeyA: island.Left, ebiten.KeyD: island.Right,
		ebiten.KeySpace: island.Fire, ebiten.KeyE: island.Use,
		ebiten.KeyDigit1: island.Paint << 0, ebiten.KeyDigit2: island.Paint << 1, ebiten.KeyDigit3: island.Paint << 2,
		ebiten.KeyDigit4: island.Paint << 3, ebiten.KeyDigit5: island.Paint << 4, ebiten.KeyDigit6: island.Paint << 5,
		ebiten.KeyDigit7: island.Paint << 6, ebiten.KeyDigit8: island.Paint << 7, ebiten.KeyDigit9: island.Paint << 8,
	}
	Right = Bindings{
		ebiten.KeyArrowUp: island.Up, ebiten.KeyArrowDown: island.Down, ebiten.KeyArrowLeft: island.Left, ebiten.KeyArrowRight: island.Right,
		ebiten.KeyEnter: island.Fire, ebiten.KeyControlRight: island.Fire, ebiten.KeyShiftRight: island.Use, ebiten.KeySlash: island.Use,
		ebiten.KeyNumpad1: island.Paint << 0, ebiten.KeyNumpad2: island.Paint << 1, ebiten.KeyNumpad3: island.Paint << 2,
		ebiten.KeyNumpad4: island.Paint << 3, ebiten.KeyNumpad5: island.Paint << 4, ebiten.KeyNumpad6: island.Paint << 5,
		ebiten.KeyNumpad7: island.Paint << 6, ebiten.KeyNumpad8: island.Paint << 7, ebiten.KeyNumpad9: island.Paint << 8,
	}
)

// Keyboard samples the player in front of the window.
type Keyboard struct {
	Keys  []Bindings
	Scene *Scene // the mouse aims in its pane
	Off   bool   // the keys belong to something else now
}

// Sample is an island.Game's Sample.
func (k *Keyboard) Sample(*tendon.Replication) island.Input {
	in := island.Input{Keys: k.held()}
	x, y := ebiten.CursorPosition()
	cursor := gmath.Vec{X: float64(x), Y: float64(y)}
	if k.pointing(cursor) {
		in.Keys |= island.Fire | island.Aims
		in.Aim = k.Scene.camera.middle().AngleToPoint(cursor)
	}
	return in
}

// Touched reports whether the player holds a key or the mouse button.
func (k *Keyboard) Touched() bool {
	x, y := ebiten.CursorPosition()
	return k.held() != 0 || k.pointing(gmath.Vec{X: float64(x), Y: float64(y)})
}

func (k *Keyboard) held() (keys island.Keys) {
	if k.Off {
		return 0
	}
	for _, b := range k.Keys {
		for key, means := range b {
			if ebiten.IsKeyPressed(key) {
				keys |= means
			}
		}
	}
	return keys
}

// pointing reports whether the mouse fires in this pane.
func (k *Keyboard) pointing(cursor gmath.Vec) bool {
	p := k.Scene.camera.Pane
	return ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft) &&
		int(cursor.X) >= p.Min.X && int(cursor.X) < p.Max.X && int(cursor.Y) >= p.Min.Y && int(cursor.Y) < p.Max.Y
}
