package scene

import (
	"image"

	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/demo/shot"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Account returns what the last frame drew, and the statistics of the connections.
func (s *Scene) Account(r *tendon.Replication) shot.Pane {
	a := *s.account
	a.Name = s.Name
	if r.Mode() == tendon.Client {
		a.Net = append(a.Net, connection(r, rpl.Server))
		return a
	}
	for p := range r.Peers() {
		if p != r.Me() {
			a.Net = append(a.Net, connection(r, p))
		}
	}
	return a
}

func connection(r *tendon.Replication, p rpl.Peer) shot.Net {
	st := r.Stats(p)
	return shot.Net{
		Peer: uint32(p), Mode: r.Mode().String(),
		Transport: st.Conn.Transport, Local: st.Conn.Local, Remote: st.Conn.Remote,
		BytesOut: st.Conn.BytesOut, BytesIn: st.Conn.BytesIn,
		RTT: float64(st.RTT.Microseconds()) / 1000, Loss: st.Loss,
	}
}

// noteSprite records a drawn node; radius is in units.
func (s *Scene) noteSprite(f *figure, radius float64) {
	p := s.camera.Pixel(f.pos)
	if b := s.camera.Pane; p.X < float64(b.Min.X) || p.X >= float64(b.Max.X) || p.Y < float64(b.Min.Y) || p.Y >= float64(b.Max.Y) {
		s.noteRound(f.pos, radius)
		return
	}
	s.account.Nodes = append(s.account.Nodes, shot.Sprite{
		Node: uint64(f.node), Kind: f.kind.String(), Sprite: f.sprite,
		X: p.X, Y: p.Y, Radius: radius * s.camera.Zoom,
		Core:  palette.CoreSize / 2 * f.scale * s.camera.Zoom / palette.PixelsPerUnit,
		Alpha: float64(f.alpha),
	})
}

// noteRound records that something else covers a circle, in units.
func (s *Scene) noteRound(at gmath.Vec, radius float64) {
	s.account.Others = append(s.account.Others, s.round(at, radius))
}

// noteShadow is noteRound for something below all nodes.
func (s *Scene) noteShadow(at gmath.Vec, radius float64) {
	s.account.Below = append(s.account.Below, s.round(at, radius))
}

func (s *Scene) round(at gmath.Vec, radius float64) shot.Box {
	p, r := s.camera.Pixel(at), radius*s.camera.Zoom
	return shot.Box{X: p.X - r, Y: p.Y - r, W: 2 * r, H: 2 * r}
}

// noteBox records that something else covers a rectangle, in pixels.
func (s *Scene) noteBox(x, y, w, h float64) {
	s.account.Others = append(s.account.Others, shot.Box{X: x, Y: y, W: w, H: h})
}

func boxOf(r image.Rectangle) shot.Box {
	return shot.Box{X: float64(r.Min.X), Y: float64(r.Min.Y), W: float64(r.Dx()), H: float64(r.Dy())}
}
