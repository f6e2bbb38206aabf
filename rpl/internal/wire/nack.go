package wire

// How a proxy that was misled by damaged packets is put right (protocol rule 11).
//
// A damaged packet may read well. The proxy then has a node that the authority has not
// given it, or lacks one. Packets after that cannot be read, because each record shows
// where the next one begins. So the proxy refuses handles whose node is not what
// packets make of it, and all nodes after several packets in a row that it cannot read.
// The authority sends these anew, as arrivals of the same handle and gen, coded with
// the default tables. Last it sends a reliable message with the tick since when it has:
// what the proxy has from before goes.
//
//	refused: handle, row 255: the node; handle 65,536: all, row 1: no whole tick has
//	been taken since
//	type 1 byte = 4, tick 4 bytes

// WholeNode is the row by which a whole node is refused; AllNodes is the handle by
// which all nodes are. No row and no node has such a number.
const (
	WholeNode = MaxRows
	AllNodes  = MaxHandles
)

// A Nack is a refused row or node as the authority reads it.
type Nack struct {
	Handle uint32
	Row    uint8
}
