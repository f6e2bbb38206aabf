package link

import (
	"github.com/tendonengine/tendon/rpl/internal/rate"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Path is what a Link has measured of the way to its peer, whatever was sent there. It outlives the
// Link: another one over the same connection may begin with it, as in the next level. Numbers of
// packets, what is under way and what has arrived are the Link's own, and begin anew.
type Path struct {
	loss         float64
	judged       uint8
	trip, answer wire.Estimate
	line         rate.Line
}

// Path returns what the link has measured so far.
func (l *Link) Path() Path {
	return Path{l.Loss, l.judged, l.Trip, l.answer, l.Line.Anew()}
}

// SetPath has a link that has sent nothing yet begin with what another one has measured.
func (l *Link) SetPath(p Path) {
	l.Loss, l.judged, l.Trip, l.answer, l.Line = p.loss, p.judged, p.trip, p.answer, p.line
}
