package window

// The loop of a game in a window: steps by time, and a pane for each session.

import (
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/internal/pace"
)

// Game holds the functions that Run calls, one after the other, never two at once. Step runs once per fixed
// step (tendon.Config.Steps a second), between Receive and Send; Draw runs once per
// frame, after Frame. Run needs both.
//
// While the window stands, as when it is dragged in Windows, neither Update nor Draw is called, and Ebitengine says of
// keys and pads what it said when that began. Steps go on, on a goroutine of their own: else a host's world would stand
// for all, and a client would be taken for lost. So a Step keeps nothing that belongs to a goroutine or thread.
//
// An update takes the steps that are due: several, or none. So what is true for one update
// only, as inpututil.IsKeyJustPressed, is asked in Update and kept for the next Step. A Step
// that asks it sees some presses twice and others never.
type Game struct {
	Title         string
	Width, Height int // size of the window when it opens; both 0 is 640 by 480
	Step          func(*tendon.Replication)
	Draw          func(*tendon.Replication, *ebiten.Image)

	MaxFPS int // limits drawing only; 0 means once per frame of the display

	// Update, if given, is called before the steps of an update: the place for the
	// program's own keys. If it returns ErrQuit, Run ends without an error; any other error ends
	// Run, too, and the others are told that the game has failed, without its text. When it is
	// called for the last time because the player closes the window, ebiten.IsWindowBeingClosed
	// is true.
	Update func() error
	// Drawn, if given, is called with each finished picture.
	Drawn func(screen *ebiten.Image)

	// Layout, if given, says how large the screen is in a window of a size, as the Layout
	// of an ebiten.Game does; Ebitengine scales the screen to the window. Without it the
	// screen is as large as the window.
	Layout func(outsideWidth, outsideHeight int) (screenWidth, screenHeight int)
	// DrawFinalScreen, if given, draws the screen to the window, as an
	// ebiten.FinalScreenDrawer does: with a filter or a shader of the game's own. It is
	// called in every frame of the display, whatever MaxFPS says.
	DrawFinalScreen func(screen ebiten.FinalScreen, offscreen *ebiten.Image, geoM ebiten.GeoM)
}

// Pane is one session in a window. Every field must be set.
type Pane struct {
	Rep  *tendon.Replication
	Step func(*tendon.Replication)
	// Draw is given its part of the screen: what it draws outside is cut off, and its
	// coordinates begin at screen.Bounds().Min.
	Draw func(r *tendon.Replication, screen *ebiten.Image)
}

// ErrQuit is returned by Game.Update to close the window.
var ErrQuit = errors.New("window: quit")

// ErrNotOpened is in the error of Run and Split when no window could be opened, as where
// there is no display. The rest of the error is what Ebitengine says of it. Nothing of the
// game but Layout has been called then.
var ErrNotOpened = errors.New("window: no window can be opened here")

// Run opens a window and plays until it is closed. Call it from main's goroutine, once in a
// program, as Ebitengine has it: a menu is a state of the game, and not a Run of its own.
//
// Whatever ends it, Run closes the session and waits until the others know, in the last update: what Ebitengine and the
// drivers do when they take the window down can end the program. To give the others a
// reason of its own, a game calls Close in Update before. A game that asks its player
// before it ends calls ebiten.SetWindowClosingHandled(true) before Run; its window is then
// closed by ErrQuit alone. A game that needs more of Ebitengine, such as LayoutF or the
// options of RunGameWithOptions, keeps a loop of its own.
func Run(r *tendon.Replication, g Game) error {
	return Split(g, Pane{Rep: r, Step: g.Step, Draw: g.Draw})
}

// Split is Run with several panes from left to right; it does not use the game's own Step
// and Draw.
func Split(g Game, panes ...Pane) error {
	var given []pace.Pane
	for _, p := range panes {
		g := pace.Pane{Step: p.Step != nil, Draw: p.Draw != nil}
		if p.Rep != nil {
			g.Session, g.Hz = p.Rep, p.Rep.Steps()
		}
		given = append(given, g)
	}
	hz, err := pace.Common(given)
	if err != nil {
		return err
	}
	width, height, err := pace.Window(g.Width, g.Height)
	if err != nil {
		return err
	}
	ebiten.SetWindowTitle(g.Title)
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetRunnableOnUnfocused(true)
	ebiten.SetScreenClearedEveryFrame(g.MaxFPS <= 0)
	l := &loop{
		game: g, panes: panes, begin: time.Now(), end: make(chan struct{}), asks: ebiten.IsWindowClosingHandled(),
		steps: pace.Steps{Hz: hz, Even: true}, limit: pace.Limit{FPS: g.MaxFPS},
	}
	ebiten.SetWindowClosingHandled(true) // else Ebitengine ends without a last update
	defer close(l.end)
	go l.stepBeside()
	if g.DrawFinalScreen == nil {
		err = ebiten.RunGame(l)
	} else {
		err = ebiten.RunGame(finalLoop{l})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close(err) // where Ebitengine itself has failed
	switch {
	case err == nil, errors.Is(err, ErrQuit):
		return nil
	case !l.updated:
		return fmt.Errorf("%w: %w", ErrNotOpened, err)
	}
	return fmt.Errorf("window: %w", err)
}

// stands is after how long without an update or a frame the window is taken to stand. Others see things stand after as long.
const stands = 100 * time.Millisecond

// loop is an ebiten.Game.
type loop struct {
	game  Game
	panes []Pane
	begin time.Time
	end   chan struct{} // closed when Ebitengine has returned
	asks  bool          // the game decides itself whether a window that is being closed ends

	mu    sync.Mutex // held while anything of the game runs
	steps pace.Steps
	limit pace.Limit
	seen  time.Duration // when Ebitengine last called; 0: it has not

	updated bool // there has been an update, so the window was open
	stepped bool // a step was made since the last frame
	closed  bool
}

func (l *loop) now() time.Duration { return time.Since(l.begin) }

// stepBeside takes the steps that are due while the window stands: Ebitengine calls nothing then.
func (l *loop) stepBeside() {
	for wait := stands; ; {
		select {
		case <-l.end:
			return
		case <-time.After(wait):
			wait = l.standing()
		}
	}
}

// standing takes the steps that are due if the window stands, and returns when to ask again.
func (l *loop) standing() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.updated || l.closed {
		return stands
	}
	if rest := l.seen + stands - l.now(); rest > 0 {
		return rest
	}
	l.step()
	return max(l.steps.Next()-l.now(), time.Millisecond)
}

// called is put at the start of whatever Ebitengine calls; what it returns is called at the end.
func (l *loop) called() func() {
	l.mu.Lock()
	return func() {
		l.seen = l.now()
		l.mu.Unlock()
	}
}

// Update is an update: the game's own, then the steps that are due. One that ends the loop
// closes the sessions.
func (l *loop) Update() error {
	defer l.called()()
	l.updated = true
	err := l.update()
	if err != nil {
		l.close(err)
	}
	return err
}

// close closes the sessions, and waits until the others know. It does nothing to those that are closed.
func (l *loop) close(err error) {
	l.closed = true
	reason := "the window was closed"
	if err != nil && !errors.Is(err, ErrQuit) {
		reason = "the game has failed"
	}
	for _, p := range l.panes {
		p.Rep.Close(reason)
	}
	for _, p := range l.panes {
		p.Rep.Wait()
	}
}

// update runs the game's own, and takes the steps that are due.
func (l *loop) update() error {
	if l.game.Update != nil {
		if err := l.game.Update(); err != nil {
			return err
		}
	}
	if ebiten.IsWindowBeingClosed() && !l.asks {
		return ErrQuit
	}
	l.step()
	return nil
}

// step takes the steps that are due, for each pane in turn.
func (l *loop) step() {
	for range l.steps.Due(l.now()) {
		l.stepped = true
		for _, p := range l.panes {
			p.Rep.Receive()
			p.Step(p.Rep)
			p.Rep.Send()
		}
	}
}

// Draw draws the panes, unless it is too early for a frame: then the screen
// stays as it is.
func (l *loop) Draw(screen *ebiten.Image) {
	defer l.called()()
	l.steps.Drawn()
	if !l.limit.Draw(l.now(), l.stepped) {
		return
	}
	l.stepped = false
	b := screen.Bounds()
	n := len(l.panes)
	for i, p := range l.panes {
		part := image.Rect(b.Min.X+b.Dx()*i/n, b.Min.Y, b.Min.X+b.Dx()*(i+1)/n, b.Max.Y)
		p.Rep.Frame()
		p.Draw(p.Rep, screen.SubImage(part).(*ebiten.Image))
	}
	if l.game.Drawn != nil {
		l.game.Drawn(screen)
	}
}

// Layout makes the screen as large as the window if the game does not say how large it is,
// but at least so large that every pane has a pixel: games divide by the size of theirs.
func (l *loop) Layout(w, h int) (int, int) {
	if l.game.Layout != nil {
		defer l.called()()
		return l.game.Layout(w, h)
	}
	return max(w, len(l.panes)), max(h, 1)
}

// finalLoop is the loop of a game that draws the final screen. It is a type of its own
// because Ebitengine draws that screen itself, in a way that no game can repeat, unless
// its game has the method.
type finalLoop struct{ *loop }

func (l finalLoop) DrawFinalScreen(screen ebiten.FinalScreen, offscreen *ebiten.Image, geoM ebiten.GeoM) {
	defer l.called()()
	l.game.DrawFinalScreen(screen, offscreen, geoM)
}
