package wire

// A refusal is a doubt as the authority reads it.
type Refusal struct {
	Handle uint32
	Row    uint8
}
