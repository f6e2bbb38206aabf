package wire

// HeaderBits is what a packet costs at most beside its pieces: the seal, the header,
// the ends of the sections, the coder's last bytes.
const HeaderBits = (PacketOverhead + 24) * 8

// NameBits is what the name of a piece costs at most: the gap from the handle before
// it.
const NameBits = 30
