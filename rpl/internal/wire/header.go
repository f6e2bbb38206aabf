package wire

// EndBits is the bits kept free for the ends of the sections and the last byte.
const EndBits = 120

// DeltaOf codes the ticks since the base packet, given how many packets ago it was
// sent: mostly one a tick, which is 0. ofDelta is its inverse.
func DeltaOf(delta, back uint32) uint32 {
	switch {
	case delta == back:
		return 0
	case delta < back:
		return delta + 1
	}
	return delta
}

func OfDelta(sent, back uint32) uint32 {
	switch {
	case sent == 0:
		return back
	case sent <= back:
		return sent - 1
	}
	return sent
}

// HeaderBits is what a packet costs at most beside its bundles: the seal, the header,
// the ends of the sections, the coder's last bytes.
const HeaderBits = (PacketOverhead + 24) * 8

// NameBits is what the name of a bundle costs at most: the gap from the handle before
// it.
const NameBits = 30
