package wire

// EndBits is the bits kept free for the ends of the sections and the last byte.
const EndBits = 120

// EchoBits is how much of the number of the peer's newest packet an echo has: more than
// tells apart the RecordLen packets that the peer remembers.
const EchoBits = 12

// MostHeld is what an echo says of a packet that came so many milliseconds ago, or earlier.
const MostHeld = 255

// HeaderBits is what a packet costs at most beside its bundles: the seal, the header,
// the ends of the sections, the coder's last bytes.
const HeaderBits = (PacketOverhead + 24) * 8

// NameBits is what the name of a bundle costs at most: the gap from the handle before
// it.
const NameBits = 30
