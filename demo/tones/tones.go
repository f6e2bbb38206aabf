// Package tones computes the demo's sounds: 16-bit stereo samples, the same at every
// call. It does not play them.
package tones

import (
	"encoding/binary"
	"math"
)

// Rate is the sample rate, per second.
const Rate = 44100

// Sounds returns all sounds by name, as little-endian 16-bit stereo samples.
func Sounds() map[string][]byte {
	noise := hiss()
	return map[string][]byte{
		"shot": render(0.12, func(t float64) float64 {
			return 0.5*fade(t, 0.12)*noise() + 0.4*fade(t, 0.08)*square(t*(700-4000*t))
		}),
		"blast": render(0.9, func(t float64) float64 {
			return 0.8*fade(t, 0.9)*noise()*math.Sin(t*40) + 0.6*fade(t, 0.7)*math.Sin(2*math.Pi*t*(90-60*t))
		}),
		"coin": render(0.22, func(t float64) float64 {
			pitch := 988.0
			if t > 0.07 {
				pitch = 1319
			}
			return 0.3 * fade(t, 0.22) * square(t*pitch)
		}),
	}
}

// render samples a wave, whose values are −1…1, for the given time.
func render(seconds float64, wave func(t float64) float64) []byte {
	n := int(seconds * Rate)
	b := make([]byte, 0, 4*n)
	for i := range n {
		v := math.Max(-1, math.Min(1, wave(float64(i)/Rate)))
		s := uint16(int16(v * 0.6 * math.MaxInt16))
		b = binary.LittleEndian.AppendUint16(b, s)
		b = binary.LittleEndian.AppendUint16(b, s)
	}
	return b
}

// fade falls from 1 to 0 in the given time.
func fade(t, seconds float64) float64 {
	left := math.Max(0, 1-t/seconds)
	return left * left
}

func square(phase float64) float64 {
	if _, f := math.Modf(phase); f < 0.5 {
		return 1
	}
	return -1
}

// hiss returns a source of noise that is the same at every run: a 16-bit shift
// register.
func hiss() func() float64 {
	r := uint16(0xace1)
	return func() float64 {
		bit := (r ^ r>>2 ^ r>>3 ^ r>>5) & 1
		r = r>>1 | bit<<15
		return float64(r)/32768 - 1
	}
}
