package transport

import "errors"

// These errors say why a connection was not made, why it ended, or why a message
// was not queued. Every error passed to Handler.Closed wraps one of them.
var (
	// The client was not let in.
	ErrNoAnswer = errors.New("no answer")                       // to the client's HELLOs, or the host's name is not found
	ErrVersion  = errors.New("another version of the protocol") // of the handshake and the packets
	ErrGame     = errors.New("another game")
	ErrSchema   = errors.New("another schema") // the text names the first difference
	ErrFull     = errors.New("full")
	// The server has another key than the join string names: it is another server, or
	// somebody between who wants to be taken for it.
	ErrKey         = errors.New("another server")
	ErrSecret      = errors.New("another join secret")
	ErrToken       = errors.New("connect token refused") // the text says what is wrong with it
	ErrNotAdmitted = errors.New("not admitted")          // by the game, or the server has just stopped; the text has the reason

	// The connection has ended.
	ErrKicked  = errors.New("kicked")        // the listener removed this client
	ErrClosed  = errors.New("closed")        // one end closed it; from Reliable: it has already ended
	ErrTimeout = errors.New("timed out")     // one end has heard nothing from the other for too long
	ErrSocket  = errors.New("socket failed") // this end's socket
	ErrPath    = errors.New("the path carries only short packets")
	ErrReset   = errors.New("server started anew") // it does not know the connection any more: join again
	// ErrFlood comes with ErrKicked to the Handler of the listener that has kicked a client: a
	// session tells its Log, and no callback. The client has ErrKicked and the reason.
	ErrFlood = errors.New("it sent too much")

	// Conn.Reliable did not queue the message. Handler.Closed gets ErrTooLong too, when
	// the peer announces a message that is too long.
	ErrBacklog = errors.New("reliable lane is full")
	ErrTooLong = errors.New("message too long for the reliable lane")
)
