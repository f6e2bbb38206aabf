package tones

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestSoundsAreHeardAndEndQuietly(t *testing.T) {
	again := Sounds()
	for name, b := range Sounds() {
		if !bytes.Equal(b, again[name]) {
			t.Errorf("%s is not the same twice", name)
		}
		if len(b)%4 != 0 || len(b) < 4*Rate/20 {
			t.Errorf("%s has %d bytes, want stereo of at least 50 ms", name, len(b))
			continue
		}
		loudest := int16(0)
		for i := 0; i < len(b); i += 2 {
			loudest = max(loudest, int16(binary.LittleEndian.Uint16(b[i:])))
		}
		last := int16(binary.LittleEndian.Uint16(b[len(b)-2:]))
		if loudest < 3000 || last > 300 || last < -300 {
			t.Errorf("%s: loudest %d, last %d; want to hear it, and no click at the end", name, loudest, last)
		}
	}
}
