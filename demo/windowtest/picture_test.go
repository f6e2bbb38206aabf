package windowtest

// Pictures that the demo draws, compared with the accounts of its sessions.

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/demo/island"
	"github.com/tendonengine/tendon/demo/shot"
)

const (
	// tolerance is how far a colour channel (0…255) may be off: a linear filter turns
	// and scales the sprites.
	tolerance = 8
	// leastNodes is how many uncovered sprites the pictures must have shown in each
	// pane, and leastGround how many empty places each picture of a pane must have.
	leastNodes, leastGround = 4, 40
	// leastKinds is how many kinds of node must have been among the uncovered sprites.
	leastKinds = 3
	// mostPictures is how many pictures a test takes at most to see that much: bots
	// walk at random, also under trees.
	mostPictures = 8

	// firstPicture is when the first picture is taken, in seconds after the window
	// opened. Where the sessions had not joined by then, the time is doubled for the
	// next picture, up to lastPicture: a slow machine draws less than one frame a
	// second.
	firstPicture = 5
	lastPicture  = 60
)

// Both panes of a 640×360 window show what the accounts of their sessions say.
func TestPanesShowWhatTheySay(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	screen := display(t)
	program := build(t, "./demo")
	shown, seconds := newShown(2), firstPicture
	for seed := 1; !shown.enough() && seed <= mostPictures; seed++ {
		img, a := shoot(t, screen, program, "-seconds", strconv.Itoa(seconds), "-size", "640x360", "-seed", strconv.Itoa(seed))
		if a.Width != 640 || a.Height != 360 || img.Bounds().Dx() != 640 || img.Bounds().Dy() != 360 {
			t.Errorf("the picture is %v, its account %dx%d; want 640x360", img.Bounds(), a.Width, a.Height)
		}
		if a.Seconds < float64(seconds) {
			t.Errorf("taken after %.2f s, want %d s of time", a.Seconds, seconds)
		}
		if len(a.Panes) != 2 {
			t.Fatalf("%d panes, want 2", len(a.Panes))
		}
		if !joined(a) {
			seconds = min(2*seconds, lastPicture)
			continue
		}
		shown.compare(t, img, a)
		compareNet(t, a)
	}
	shown.judge(t)
}

// shoot runs the program until it has taken a picture, and returns the picture and its
// account.
func shoot(t *testing.T, screen, program string, args ...string) (image.Image, shot.Account) {
	t.Helper()
	picture := filepath.Join(t.TempDir(), "out.png")
	r := run(t, screen, program, append(args, "-shot", picture)...)
	if r.code != 0 {
		t.Fatalf("exit %d\n%s", r.code, r.stderr)
	}
	return load(t, picture)
}

// shown counts what the pictures of one test have shown.
type shown struct {
	nodes []int           // uncovered sprites, per pane
	kinds map[string]bool // of uncovered sprites
}

func newShown(panes int) *shown {
	return &shown{nodes: make([]int, panes), kinds: map[string]bool{}}
}

// compare compares all panes of a picture with its account.
func (s *shown) compare(t *testing.T, img image.Image, a shot.Account) {
	t.Helper()
	for i := range a.Panes {
		p := &a.Panes[i]
		t.Run(p.Name, func(t *testing.T) {
			s.nodes[i] += compareNodes(t, img, p, s.kinds)
			compareGround(t, img, p)
		})
	}
}

func (s *shown) enough() bool { return slices.Min(s.nodes) >= leastNodes && len(s.kinds) >= leastKinds }

// joined reports whether every pane has one connection that has brought bytes, and at
// least two nodes drawn.
func joined(a shot.Account) bool {
	for i := range a.Panes {
		if p := &a.Panes[i]; len(p.Net) != 1 || p.Net[0].BytesIn == 0 || len(p.Nodes) < 2 {
			return false
		}
	}
	return true
}

// judge fails the test if its pictures have shown too little.
func (s *shown) judge(t *testing.T) {
	t.Helper()
	if !s.enough() {
		t.Errorf("only %v sprites of the panes, and %v, were in plain sight; want %d in each and %d kinds", s.nodes, s.kinds, leastNodes, leastKinds)
	}
}

// A client of a server in another process shows the nodes of its account, and its
// connection counts bytes both ways.
func TestClientOfAServerElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	screen := display(t)
	addr := startServer(t)
	program, shown, seconds := build(t, "./demo"), newShown(1), firstPicture
	for seed := 1; !shown.enough() && seed <= mostPictures; seed++ {
		img, a := shoot(t, screen, program, "-join", addr, "-seconds", strconv.Itoa(seconds), "-size", "640x360", "-seed", strconv.Itoa(seed))
		if len(a.Panes) != 1 {
			t.Fatalf("%d panes, want one", len(a.Panes))
		}
		if !joined(a) {
			seconds = min(2*seconds, lastPicture)
			continue
		}
		shown.compare(t, img, a)
		n := a.Panes[0].Net[0]
		if n.Transport != "kcp" || n.Remote != addr || n.BytesIn == 0 || n.BytesOut == 0 {
			t.Errorf("the connection is %+v, want kcp to %s with bytes both ways", n, addr)
		}
	}
	shown.judge(t)
}

func load(t *testing.T, picture string) (image.Image, shot.Account) {
	t.Helper()
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := shot.Read(shot.AccountPath(picture))
	if err != nil {
		t.Fatal(err)
	}
	return img, a
}

// compareNodes compares the middle of every uncovered sprite with the sprite's core
// colour, and returns how many there are.
func compareNodes(t *testing.T, img image.Image, p *shot.Pane, kinds map[string]bool) (seen int) {
	t.Helper()
	for i, n := range p.Nodes {
		core, ok := palette.Core(n.Sprite)
		if !ok {
			t.Errorf("there is no sprite %q", n.Sprite)
			continue
		}
		if !plain(p, i) {
			continue
		}
		seen++
		kinds[n.Kind] = true
		if got := at(img, n.X, n.Y); !near(got, core) {
			t.Errorf("%s at %.1f,%.1f is %v, want %v of %s", n.Kind, n.X, n.Y, got, core, n.Sprite)
		}
	}
	return seen
}

// plain reports whether a sprite's middle is opaque, inside the pane, and clear of
// everything else that was drawn.
func plain(p *shot.Pane, i int) bool {
	n := p.Nodes[i]
	if n.Alpha < 1 || n.Core < 1.5 {
		return false
	}
	middle := shot.Box{X: n.X - n.Core, Y: n.Y - n.Core, W: 2 * n.Core, H: 2 * n.Core}
	if !contains(p.Box, middle) {
		return false
	}
	for k, o := range p.Nodes {
		if k != i && overlap(middle, round(o)) {
			return false
		}
	}
	for _, b := range p.Others {
		if overlap(middle, b) {
			return false
		}
	}
	return true
}

// compareGround compares pixels where nothing was drawn with the colours of the ground
// that the island has there, according to the account's camera.
func compareGround(t *testing.T, img image.Image, p *shot.Pane) {
	t.Helper()
	seen := 0
	for y := p.Box.Y + 4; y < p.Box.Y+p.Box.H-4; y += 9 {
		for x := p.Box.X + 4; x < p.Box.X+p.Box.W-4; x += 9 {
			kind, ok := groundAt(p, x, y)
			if !ok || covered(p, x, y) {
				continue
			}
			seen++
			if got := at(img, x, y); !anyOf(palette.Ground[kind], got) {
				ux, uy := p.Place(x, y)
				t.Errorf("at %.0f,%.0f (%.0f,%.0f of the island) is %v, want %s", x, y, ux, uy, got, kind)
			}
		}
	}
	if seen < leastGround {
		t.Errorf("%d empty places, want %d", seen, leastGround)
	}
}

// groundAt returns the kind of ground that a pixel shows; false near a shore.
func groundAt(p *shot.Pane, x, y float64) (string, bool) {
	ux, uy := p.Place(x, y)
	const reach = 14.0 // units: a shore's line and the lattice of the baked ground reach that far
	kind := island.GroundAt(gmath.Vec{X: ux, Y: uy})
	for i := range 8 {
		d := gmath.RadToVec(gmath.Rad(i) * math.Pi / 4).Mulf(reach)
		if island.GroundAt(gmath.Vec{X: ux + d.X, Y: uy + d.Y}) != kind {
			return "", false
		}
	}
	return kind.String(), true
}

func covered(p *shot.Pane, x, y float64) bool {
	spot := shot.Box{X: x - 2, Y: y - 2, W: 4, H: 4}
	for _, n := range p.Nodes {
		if overlap(spot, round(n)) {
			return true
		}
	}
	for _, list := range [][]shot.Box{p.Below, p.Others} {
		for _, b := range list {
			if overlap(spot, b) {
				return true
			}
		}
	}
	return false
}

// compareNet checks that the panes are the two ends of one connection.
func compareNet(t *testing.T, a shot.Account) {
	t.Helper()
	if len(a.Panes[0].Net) != 1 || len(a.Panes[1].Net) != 1 {
		t.Fatalf("connections %v and %v, want one each", a.Panes[0].Net, a.Panes[1].Net)
	}
	s, c := a.Panes[0].Net[0], a.Panes[1].Net[0]
	if s.Mode != "listen server" || c.Mode != "client" {
		t.Errorf("the panes are a %s and a %s", s.Mode, c.Mode)
	}
	if s.Local == c.Local || s.Local != c.Remote || s.Remote != c.Local {
		t.Errorf("ports: the server %s → %s, the client %s → %s; want two that face each other", s.Local, s.Remote, c.Local, c.Remote)
	}
	for _, n := range []shot.Net{s, c} {
		if n.Transport != "kcp" || n.BytesOut == 0 || n.BytesIn == 0 {
			t.Errorf("%s: %+v, want kcp with bytes both ways", n.Mode, n)
		}
	}
}

func at(img image.Image, x, y float64) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(int(math.Floor(x)), int(math.Floor(y)))).(color.NRGBA)
}

func near(a, b color.NRGBA) bool {
	far := func(p, q uint8) bool { return math.Abs(float64(p)-float64(q)) > tolerance }
	return !far(a.R, b.R) && !far(a.G, b.G) && !far(a.B, b.B)
}

func anyOf(list []color.NRGBA, c color.NRGBA) bool {
	for _, want := range list {
		if near(c, want) {
			return true
		}
	}
	return false
}

func round(n shot.Sprite) shot.Box {
	return shot.Box{X: n.X - n.Radius, Y: n.Y - n.Radius, W: 2 * n.Radius, H: 2 * n.Radius}
}

func overlap(a, b shot.Box) bool {
	return a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H
}

func contains(a, b shot.Box) bool {
	return b.X >= a.X && b.Y >= a.Y && b.X+b.W <= a.X+a.W && b.Y+b.H <= a.Y+a.H
}
