package space

// shape: what a thing occupies, and the exact tests. No product is fused with a sum, so that
// every machine decides alike.

import "math"

// A Shape is a point, a circle or a box along the axes, round its place.
type Shape struct {
	X, Y   float64
	HX, HY float64 // half the width and the height; a circle's radius in HX
	Round  bool
}

// Allowed reports whether a shape can be kept: its place and size are finite, and its size is
// not negative.
func (s *Shape) Allowed() bool {
	sum := s.X - s.X + s.Y - s.Y + s.HX - s.HX + s.HY - s.HY // NaN for what is not finite
	return sum == 0 && s.HX >= 0 && s.HY >= 0
}

// Half is half the width and half the height of what holds the shape.
func (s *Shape) Half() (x, y float64) {
	if s.Round {
		return s.HX, s.HX
	}
	return s.HX, s.HY
}

func (s *Shape) point() bool { return s.HX == 0 && (s.Round || s.HY == 0) }

// beyond is how far v is outside of ±half.
func beyond(v, half float64) float64 { return max(math.Abs(v)-half, 0) }

func square(x, y float64) float64 { return float64(x*x) + float64(y*y) }

// WithinOf reports whether the shape's edge is within r of a point.
func (s *Shape) WithinOf(x, y, r float64) bool {
	if s.Round {
		r += s.HX
		return square(s.X-x, s.Y-y) <= float64(r*r)
	}
	return square(beyond(s.X-x, s.HX), beyond(s.Y-y, s.HY)) <= float64(r*r)
}

// Distance is how far the shape's edge is from a point, 0 inside.
func (s *Shape) Distance(x, y float64) float64 {
	if s.Round {
		return max(math.Sqrt(square(s.X-x, s.Y-y))-s.HX, 0)
	}
	return math.Sqrt(square(beyond(s.X-x, s.HX), beyond(s.Y-y, s.HY)))
}

// Touches reports whether two shapes have a point in common.
func (s *Shape) Touches(o *Shape) bool {
	switch {
	case s.Round && o.Round:
		r := s.HX + o.HX
		return square(s.X-o.X, s.Y-o.Y) <= float64(r*r)
	case s.Round:
		return o.WithinOf(s.X, s.Y, s.HX)
	case o.Round:
		return s.WithinOf(o.X, o.Y, o.HX)
	}
	return math.Abs(s.X-o.X) <= s.HX+o.HX && math.Abs(s.Y-o.Y) <= s.HY+o.HY
}

// A Hit is where a ray meets a shape: the share of its length, and the direction, of length 1,
// in which the shape's edge faces there; none where the ray begins inside.
type Hit struct {
	ID     uint32
	Share  float64
	NX, NY float64
}

// HitBy is where the way from a place by dx, dy enters the shape. Points are not hit.
func (s *Shape) HitBy(x, y, dx, dy float64) (h Hit, ok bool) {
	switch {
	case s.point():
		return h, false
	case s.Round:
		return s.roundHitBy(x, y, dx, dy)
	}
	enter, leave := math.Inf(-1), math.Inf(1)
	for axis, a := range [2][3]float64{{s.X - x, dx, s.HX}, {s.Y - y, dy, s.HY}} {
		at, d, half := a[0], a[1], a[2]
		if d == 0 {
			if math.Abs(at) > half {
				return Hit{}, false
			}
			continue
		}
		near, far := (at-half)/d, (at+half)/d
		if near > far {
			near, far = far, near
		}
		if near > enter {
			enter, h.NX, h.NY = near, 0, 0
			if axis == 0 {
				h.NX = -math.Copysign(1, d)
			} else {
				h.NY = -math.Copysign(1, d)
			}
		}
		leave = min(leave, far)
	}
	if enter > leave || leave < 0 || enter > 1 {
		return Hit{}, false
	}
	if enter < 0 { // inside
		return Hit{}, true
	}
	h.Share = enter
	return h, true
}

func (s *Shape) roundHitBy(x, y, dx, dy float64) (h Hit, ok bool) {
	x, y = x-s.X, y-s.Y
	c := square(x, y) - float64(s.HX*s.HX)
	if c <= 0 {
		return h, true
	}
	a, b := square(dx, dy), float64(x*dx)+float64(y*dy)
	root := float64(b*b) - float64(a*c)
	if a == 0 || b >= 0 || root < 0 {
		return h, false
	}
	h.Share = c / (math.Sqrt(root) - b) // stable where (−b−√root)/a is not
	if h.Share > 1 {
		return Hit{}, false
	}
	h.NX, h.NY = (x+float64(h.Share*dx))/s.HX, (y+float64(h.Share*dy))/s.HX
	return h, true
}
