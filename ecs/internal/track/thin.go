package track

import "math"

// thin makes room for two samples where drawn time is so far behind the newest that it needs the oldest still, as after the
// server has stood still and made up for it: without, what is drawn would be the oldest sample that is left, ahead of
// drawn time. It drops those that are closest together, of no leap. The two newest stay: they say how fast the item goes.
func (k *Track) thin(render float64) {
	for k.n > maxSamples-2 && render < k.sample(1)[0] {
		drop, least := 0, math.Inf(1)
		for i := 1; i < int(k.n)-2; i++ {
			if d := k.sample(i + 1)[0] - k.sample(i - 1)[0]; d < least && !k.cut(i) && !k.cut(i+1) {
				drop, least = i, d
			}
		}
		if drop == 0 {
			return
		}
		for i := drop; i > 0; i-- { // the ring begins one place later
			copy(k.sample(i), k.sample(i-1))
			to, from := uint16(1)<<k.at(i), uint16(1)<<k.at(i-1)
			for _, bits := range []*uint16{&k.cuts, &k.marks} {
				if *bits &^= to; *bits&from != 0 {
					*bits |= to
				}
			}
		}
		k.first, k.n = uint8(k.at(1)), k.n-1
	}
}
