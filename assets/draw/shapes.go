package main

import "math"

// disc is a circle.
func disc(x0, y0, r float64) shape {
	return func(x, y float64) float64 { return math.Hypot(x-x0, y-y0) - r }
}

// oval is an ellipse with its axes along x and y. The distance is exact enough near the
// edge, where painting needs it.
func oval(x0, y0, rx, ry float64) shape {
	return func(x, y float64) float64 {
		x, y = x-x0, y-y0
		k := math.Hypot(x/rx, y/ry)
		g := math.Hypot(x/(rx*rx), y/(ry*ry))
		if g == 0 {
			return -math.Min(rx, ry)
		}
		return k * (k - 1) / g
	}
}

// box is a rectangle with half sizes and round corners of radius r.
func box(x0, y0, hw, hh, r float64) shape {
	return func(x, y float64) float64 {
		dx, dy := math.Abs(x-x0)-hw+r, math.Abs(y-y0)-hh+r
		return math.Hypot(math.Max(dx, 0), math.Max(dy, 0)) + math.Min(math.Max(dx, dy), 0) - r
	}
}

// bar is a thick line with round ends.
func bar(x0, y0, x1, y1, r float64) shape {
	return func(x, y float64) float64 {
		px, py, bx, by := x-x0, y-y0, x1-x0, y1-y0
		t := math.Max(0, math.Min(1, (px*bx+py*by)/(bx*bx+by*by)))
		return math.Hypot(px-bx*t, py-by*t) - r
	}
}

// blob is a circle whose radius waves: n bumps of the given height.
func blob(x0, y0, r, bump float64, n int, phase float64) shape {
	return func(x, y float64) float64 {
		a := math.Atan2(y-y0, x-x0)
		return math.Hypot(x-x0, y-y0) - r - bump*math.Cos(float64(n)*a+phase)
	}
}

// star has n spikes between an inner and an outer radius.
func star(n int, inner, outer, phase float64) shape {
	return func(x, y float64) float64 {
		turn := 2 * math.Pi / float64(n)
		a := math.Mod(math.Atan2(y, x)+phase+4*math.Pi, turn) / turn // 0…1 within a spike
		tip := 1 - math.Abs(2*a-1)                                   // 1 at the tip
		return math.Hypot(x, y) - inner - (outer-inner)*tip
	}
}

// polygon is a convex polygon. Its corners are given clockwise on the screen.
func polygon(corners ...[2]float64) shape {
	return func(x, y float64) float64 {
		d := math.Inf(-1)
		for i, a := range corners {
			b := corners[(i+1)%len(corners)]
			ex, ey := b[0]-a[0], b[1]-a[1]
			l := math.Hypot(ex, ey)
			d = math.Max(d, ((x-a[0])*ey-(y-a[1])*ex)/l)
		}
		return d
	}
}

func union(list ...shape) shape {
	return func(x, y float64) float64 {
		d := math.Inf(1)
		for _, s := range list {
			d = math.Min(d, s(x, y))
		}
		return d
	}
}

// both is the intersection of a and b.
func both(a, b shape) shape {
	return func(x, y float64) float64 { return math.Max(a(x, y), b(x, y)) }
}

// without is a with b cut out.
func without(a, b shape) shape {
	return func(x, y float64) float64 { return math.Max(a(x, y), -b(x, y)) }
}

func grow(s shape, by float64) shape {
	return func(x, y float64) float64 { return s(x, y) - by }
}

// ring is the line of the given width around the edge of a shape.
func ring(s shape, width float64) shape {
	return func(x, y float64) float64 { return math.Abs(s(x, y)) - width/2 }
}
