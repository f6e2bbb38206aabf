package wire

// A Refusal is a doubt as the authority reads it.
type Refusal struct {
	Handle uint32
	Row    uint8
}
