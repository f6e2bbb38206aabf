package schema

import (
	"fmt"
	"math"
	"testing"
	"unsafe"
)

// nine is the component of nine fields to which the figures of the design refer.
type nine struct {
	Kind   uint8   `rpl:"max=3"`
	X      float64 `rpl:"step=1/32,pos,interp,predict=VX"`
	Y      float64 `rpl:"step=1/32,pos,interp,predict=VY"`
	Angle  float64 `rpl:"angle,bits=12,interp"`
	VX     float64 `rpl:"step=1/32"`
	VY     float64 `rpl:"step=1/32"`
	HP     int16   `rpl:"min=0,max=100"`
	Anim   uint8   `rpl:""`
	Team   uint8   `rpl:"max=3"`
	target *nine
}

func someNine() nine {
	return nine{Kind: 1, X: 100.5, Y: -3.25, Angle: 1, VX: 32, VY: -1, HP: 50, Anim: 3, Team: 2}
}

func BenchmarkExtractNine(b *testing.B) {
	it := freezeItem(b, nine{}, nil)
	v, words := someNine(), make([]int32, len(it.Words))
	b.ReportAllocs()
	for b.Loop() {
		it.Extract(unsafe.Pointer(&v), words, nil, nil)
	}
}

func BenchmarkInjectNine(b *testing.B) {
	it := freezeItem(b, nine{}, nil)
	v := someNine()
	words, _ := extract(it, &v, nil)
	b.ReportAllocs()
	for b.Loop() {
		it.Inject(unsafe.Pointer(&v), words, nil, nil)
	}
}

func BenchmarkSameNine(b *testing.B) {
	it := freezeItem(b, nine{}, nil)
	v, shadow := someNine(), make([]byte, it.ShadowSize)
	it.Unchanged(unsafe.Pointer(&v), shadow)
	b.ReportAllocs()
	for b.Loop() {
		if !it.Unchanged(unsafe.Pointer(&v), shadow) {
			b.Fatal("not the same")
		}
	}
}

type pack struct {
	Name  string         `rpl:"max=32"`
	Slots []slot         `rpl:"max=32"`
	Bag   map[string]int `rpl:"max=16"`
}

type slot struct {
	Item  uint16 `rpl:""`
	Count uint8  `rpl:""`
	icon  string
}

func somePack(n int) pack {
	p := pack{Name: "somebody", Bag: map[string]int{"gold": 3, "silver": 4}}
	for i := range n {
		p.Slots = append(p.Slots, slot{Item: uint16(i), Count: 1, icon: fmt.Sprint("icon ", i)})
	}
	return p
}

func BenchmarkExtractUnchangedPack(b *testing.B) {
	it := freezeItem(b, pack{}, nil)
	v := somePack(16)
	words, vars := extract(it, &v, nil)
	b.ReportAllocs()
	for b.Loop() {
		it.Extract(unsafe.Pointer(&v), words, vars, nil)
	}
}

// BenchmarkByHand is the comparison for the compiled plan: the same fields, quantised
// by hand-written code.
func BenchmarkByHand(b *testing.B) {
	v, words := someNine(), make([]int32, 9)
	q := func(v float64) int32 {
		v *= 32
		return int32(v + math.Copysign(0.5, v))
	}
	b.ReportAllocs()
	for b.Loop() {
		words[0] = int32(v.Kind)
		words[1], words[2] = q(v.X), q(v.Y)
		words[3] = int32(v.Angle*(4096/2/math.Pi)+0.5) & 4095
		words[4], words[5] = q(v.VX), q(v.VY)
		words[6], words[7], words[8] = int32(v.HP), int32(v.Anim), int32(v.Team)
	}
}
