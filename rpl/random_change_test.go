package rpl_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
)

// How values of random types change: each field of a component follows a program for a while.

// A way is how a program changes numbers.
type way uint8

const (
	byOne     way = iota // each by a step up or down
	byTwo                // each by two to five steps
	byMuch               // each by a random, large difference
	anew                 // random bits
	extremes             // bounds, NaN and the like
	toAndFro             // between two values
	counting             // by the same again and again, until it wraps
	faster               // with constant acceleration
	sawing               // a sawtooth
	shuffling            // elements of an array change places
	followed             // as its velocity says
	ways
)

// A program changes one field.
type program struct {
	way    way
	every  int // ticks between changes
	phase  int
	ends   int // the tick at which another one begins
	among  int // of an array one element in so many changes
	speed  int64
	bits   int
	asleep bool
}

func newProgram(r *rand.Rand, tick int, wild float64) program {
	p := program{
		way: way(r.IntN(int(ways))), every: one(r, 1, 1, 1, 2, 3, 7, 20), phase: r.IntN(20), among: one(r, 1, 1, 1, 2, 8, 16),
		speed: r.Int64N(40) - 20, bits: 1 + r.IntN(62), ends: tick + 1 + r.IntN(one(r, 10, 60, 200)),
	}
	if p.way == extremes && r.Float64() > wild {
		p.way = byTwo
	}
	switch r.IntN(4) {
	case 0:
		p.asleep = true
	case 1:
		p.speed <<= r.IntN(30)
	}
	if r.IntN(6) == 0 { // rests for long, or for all that is left
		p.asleep, p.ends = true, tick+one(r, 200, 600)
	}
	return p
}

// A changer changes values.
type changer struct {
	r        *rand.Rand
	tick, hz int
	entities func() entity
	p        *program
}

// change changes a value as the program says.
func (c *changer) change(v reflect.Value, of *shape, in reflect.Value) {
	r, p := c.r, c.p
	switch of.kind {
	case isBool:
		v.SetBool(r.IntN(2) == 0 || !v.Bool() && p.way == toAndFro)
	case isRef:
		v.SetUint(uint64(c.entities()))
	case isXY:
		c.change(v.Field(0), &of.of[0], in)
		if p.among == 1 || r.IntN(p.among) == 0 {
			c.change(v.Field(1), &of.of[0], in)
		}
	case isArray:
		if n := v.Len(); p.way == shuffling {
			for range max(1, n/p.among) {
				i, j := r.IntN(n), r.IntN(n)
				x, y := v.Index(i).Interface(), v.Index(j).Interface()
				v.Index(i).Set(reflect.ValueOf(y))
				v.Index(j).Set(reflect.ValueOf(x))
			}
			return
		}
		for i := range v.Len() {
			if p.among == 1 || r.IntN(p.among) == 0 {
				c.change(v.Index(i), &of.of[0], in)
			}
		}
	case isStruct:
		for i := range of.of {
			if p.among == 1 || r.IntN(p.among) == 0 {
				c.change(v.Field(i), &of.of[i], v)
			}
		}
	case isOptional:
		c.optional(v, of)
	case isText, isBytes, isList, isMap:
		c.long(v, of)
	default:
		c.number(v, of)
	}
}

// optional changes an Opt through its methods, as its fields are its own.
func (c *changer) optional(v reflect.Value, of *shape) {
	o := v.Addr()
	if c.r.IntN(6) == 0 {
		o.MethodByName("Clear").Call(nil)
		return
	}
	x := reflect.New(of.of[0].typ).Elem()
	x.Set(v.MethodByName("Get").Call(nil)[0])
	if c.r.IntN(5) > 0 {
		c.change(x, &of.of[0], reflect.Value{})
	}
	o.MethodByName("Set").Call([]reflect.Value{x})
}

// number changes a number.
func (c *changer) number(v reflect.Value, of *shape) {
	r, p := c.r, c.p
	n, big := p.speed, int64(1)<<r.IntN(max(1, p.bits/2+1))
	switch p.way {
	case byOne:
		c.add(v, of, one[int64](r, -1, 1))
	case byTwo:
		c.add(v, of, one[int64](r, -1, 1)*(2+r.Int64N(4)))
	case byMuch, shuffling:
		c.add(v, of, r.Int64N(2*big+1)-big)
	case anew:
		c.put(v, of, int64(r.Uint64()>>(64-min(p.bits+1, 64))))
	case extremes:
		c.extreme(v, of)
	case toAndFro:
		c.put(v, of, p.speed+int64(c.tick/p.every&1)*int64(p.bits))
	case counting, followed:
		c.add(v, of, n)
	case faster:
		t := int64(c.tick - p.ends)
		c.put(v, of, n*t+int64(p.bits)*t*t/2)
	case sawing:
		c.put(v, of, n*(int64(c.tick)%int64(p.bits)))
	}
}

// put sets a number to so many steps.
func (c *changer) put(v reflect.Value, of *shape, n int64) {
	switch {
	case of.kind == isInt && of.signed:
		v.SetInt(n)
	case of.kind == isInt:
		v.SetUint(uint64(n))
	case of.spread:
		v.SetFloat(of.lo + float64(n&0x7fffffff)*of.step)
	default:
		v.SetFloat(float64(n) * of.step)
	}
}

// add adds steps to a number. What has got beyond bounds, or where it does not change any more, starts at 0 again, mostly.
func (c *changer) add(v reflect.Value, of *shape, n int64) {
	switch {
	case of.kind == isInt && of.signed:
		v.SetInt(v.Int() + n)
	case of.kind == isInt:
		v.SetUint(v.Uint() + uint64(n))
	default:
		x := v.Float() + float64(n)*of.step
		if c.r.IntN(8) == 0 {
			x += (c.r.Float64() - .5) * of.step
		}
		if beyond := of.bounded && (x < of.lo || x > of.hi) || !(math.Abs(x) < 1e12); beyond && c.r.IntN(8) == 0 {
			x = 0
		}
		v.SetFloat(x)
	}
}

func (c *changer) extreme(v reflect.Value, of *shape) {
	r := c.r
	if of.kind == isInt {
		n := one[int64](r, 0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt32, math.MinInt32, math.MaxUint32, math.MaxInt16, math.MinInt16, 1<<31, 1<<15, 255, 128, -128, 127, int64(of.lo), int64(of.hi), int64(of.hi)+1, int64(of.lo)-1)
		if of.signed {
			v.SetInt(n)
		} else {
			v.SetUint(uint64(n))
		}
		return
	}
	v.SetFloat(one(r, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 1e300, -1e9, 1e9, 1<<52+1, of.lo, of.hi, of.lo-of.step/2, of.hi+of.step/2, of.hi-of.step/2, of.step/2, -of.step/2, of.step*1.5, of.turn, -of.turn/2, of.turn-of.step/4,
		(1<<31-1)*of.step, -(1<<31)*of.step, (1<<31-.5)*of.step))
}

// long changes a value of variable length.
func (c *changer) long(v reflect.Value, of *shape) {
	r := c.r
	switch of.kind {
	case isText:
		v.SetString(string(c.bytes([]byte(v.String()), of.most)))
	case isBytes:
		v.SetBytes(c.bytes(v.Bytes(), of.most))
	case isList:
		c.list(v, of)
	case isMap:
		m := reflect.MakeMap(of.typ) // as a game would not: but shared values would be shared with the model
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			if r.IntN(6) > 0 {
				x := reflect.New(of.of[0].typ).Elem()
				x.Set(v.MapIndex(key))
				if r.IntN(4) == 0 {
					x = c.fresh(x, &of.of[0])
				}
				m.SetMapIndex(key, x)
			}
		}
		for range r.IntN(3) {
			key := reflect.New(of.typ.Key()).Elem()
			switch key.Kind() {
			case reflect.String:
				key.SetString(one(r, "a", "b", "c", "", "long key", "ключ", string(c.bytes(nil, 70))))
			case reflect.Int, reflect.Int64:
				key.SetInt(one(r, 0, 1, -1, 7, math.MaxInt64, math.MinInt64, r.Int64N(20)))
			default:
				key.SetUint(one(r, 0, 1, 255, math.MaxUint64, r.Uint64N(20)))
			}
			m.SetMapIndex(key, c.fresh(reflect.Zero(of.of[0].typ), &of.of[0]))
		}
		v.Set(m)
	}
}

// fresh is a changed copy of an element.
func (c *changer) fresh(x reflect.Value, of *shape) reflect.Value {
	y := reflect.New(of.typ).Elem()
	y.Set(x)
	c.change(y, of, reflect.Value{})
	return y
}

// bytes changes a text: a few letters in place, a part that goes or comes, or all anew; at times too long, or no UTF-8.
func (c *changer) bytes(was []byte, most int) []byte {
	r := c.r
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			if b[i] = byte('a' + r.IntN(26)); r.IntN(40) == 0 {
				b[i] = byte(r.IntN(256))
			}
		}
		return b
	}
	b := append([]byte(nil), was...)
	switch r.IntN(6) {
	case 0:
		return random(r.IntN(most + 1))
	case 1:
		for range 1 + r.IntN(4) {
			if len(b) > 0 {
				b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
			}
		}
	case 2:
		at := r.IntN(len(b) + 1)
		b = append(append(append([]byte(nil), b[:at]...), random(r.IntN(5))...), b[at:]...)
	case 3:
		at := r.IntN(len(b) + 1)
		b = append(b[:at], b[min(len(b), at+r.IntN(8)):]...)
	case 4:
		for k := range b {
			if r.IntN(9) == 0 {
				b[k]++
			}
		}
	case 5:
		if r.IntN(6) == 0 {
			return nil
		}
		if len(b) > 2 {
			at := r.IntN(len(b))
			b = append(append([]byte(nil), b[at:]...), b[:at]...)
		}
	}
	if len(b) > most && r.IntN(4) > 0 {
		b = b[:most]
	}
	return b[:min(len(b), 2*most)]
}

func (c *changer) list(v reflect.Value, of *shape) {
	r, n := c.r, v.Len()
	was := v
	next := reflect.MakeSlice(of.typ, 0, n+3)
	element := func(i int) reflect.Value {
		x := reflect.New(of.of[0].typ).Elem()
		x.Set(was.Index(i))
		return x
	}
	grow := func() { next = reflect.Append(next, c.fresh(reflect.Zero(of.of[0].typ), &of.of[0])) }
	how := r.IntN(8)
	at, to := 0, 0
	if n > 0 {
		at, to = r.IntN(n), r.IntN(n)
	}
	for i := range n {
		x := element(i)
		switch {
		case how == 0 && i == at, how == 1 && r.IntN(3) == 0:
			continue // goes
		case how == 2 && i == at, how == 3, how == 6 && r.IntN(2) == 0:
			x = c.fresh(x, &of.of[0])
		case how == 4 && i == at:
			grow()
		case how == 5:
			x = element((i + at) % n)
		case how == 7 && (i == at || i == to):
			x = element(at + to - i)
		}
		next = reflect.Append(next, x)
	}
	if how > 2 && r.IntN(2) == 0 && (n < of.most || r.IntN(8) == 0) {
		grow()
	}
	if r.IntN(30) == 0 {
		next = reflect.Zero(of.typ)
	}
	v.Set(next)
}

// follow moves a field on as the field that predicts it says, nearly.
func (c *changer) follow(v, velocity reflect.Value, of, by *shape) {
	switch of.kind {
	case isXY, isArray:
		for i := range size(of) {
			if of.kind == isXY {
				c.follow(v.Field(i), velocity.Field(i), &of.of[0], &by.of[0])
			} else if of.of[0].kind != isXY && i < v.Len() {
				c.follow(v.Index(i), velocity.Index(i), &of.of[0], &by.of[0])
			}
		}
		return
	}
	u := 0.
	switch {
	case velocity.CanInt():
		u = float64(velocity.Int())
	case velocity.CanUint():
		u = float64(velocity.Uint())
	case velocity.CanFloat():
		u = velocity.Float()
	}
	if !of.perTick {
		u /= float64(c.hz)
	}
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + int64(u))
	case v.CanUint():
		v.SetUint(v.Uint() + uint64(int64(u)))
	case v.CanFloat():
		v.SetFloat(v.Float() + u)
	}
}
