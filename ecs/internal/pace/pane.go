package pace

import (
	"errors"
	"fmt"
	"slices"
)

// A Pane is the part of a session in a window that is checked before the window opens.
type Pane struct {
	Session    any  // each pane has its own
	Hz         int  // the session's steps a second; 0 means that there is no session
	Step, Draw bool // whether the functions are given
}

// Window returns the size with which a window opens, given that of a Game: both 0 is the
// size that Ebitengine's windows have by themselves.
func Window(width, height int) (w, h int, err error) {
	if width == 0 && height == 0 {
		return 640, 480, nil
	}
	if width <= 0 || height <= 0 {
		return 0, 0, fmt.Errorf("window: a window of %dx%d cannot open: give Game.Width and Game.Height at least 1 each, or leave both out", width, height)
	}
	return width, height, nil
}

// Common returns the steps a second of a window's sessions, which take their steps
// together and so must agree. The error says what has not been given: called later, it
// would end the program in the middle of a frame.
func Common(panes []Pane) (hz int, err error) {
	if len(panes) == 0 {
		return 0, errors.New("window: there is no pane to show: give Split at least one")
	}
	for i, p := range panes {
		where := ""
		if len(panes) > 1 {
			where = fmt.Sprintf("pane %d of %d: ", i+1, len(panes))
		}
		switch {
		case p.Hz == 0:
			return 0, fmt.Errorf("window: %sthere is no session: give it what tendon.New returned", where)
		case !p.Step:
			return 0, fmt.Errorf("window: %sthere is no Step: give the rules of a fixed step, to Run in Game.Step, to Split in each Pane.Step", where)
		case !p.Draw:
			return 0, fmt.Errorf("window: %sthere is no Draw: give what draws a frame, to Run in Game.Draw, to Split in each Pane.Draw", where)
		case p.Hz != panes[0].Hz:
			return 0, fmt.Errorf("window: sessions of %d and of %d steps a second: give all of them the same Config.Steps", panes[0].Hz, p.Hz)
		case slices.ContainsFunc(panes[:i], func(o Pane) bool { return o.Session == p.Session }):
			return 0, fmt.Errorf("window: %sit has the session of another, which would play at twice its speed: give each pane its own", where)
		}
	}
	return panes[0].Hz, nil
}
