package wire

// What docs/spec-transport.md quotes: test vectors and limits.

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/replay"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/lane"
)

// The parts of the page's vectors.
var (
	vectorAttempt = uint64(0x1122334455667788)
	listenerPair  = seal.PairOf(seal.Key(bytes.Repeat([]byte{1}, 32)))
	clientMaster  = seal.Key(bytes.Repeat([]byte{2}, 32))
	clientPair    = seal.ClientPair(clientMaster, listenerPair.Public())
)

type vector struct {
	name string
	b    []byte
}

// pageVectors makes the bytes of the page's vectors anew.
func pageVectors(t *testing.T) (all []vector) {
	add := func(name string, b []byte) { all = append(all, vector{name, bytes.TrimRight(b, "\x00")}) }
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	secret := seal.SecretKey([]byte("open sesame"))
	client, err := seal.Initiate(seal.Opening{Ours: clientPair, Prologue: Prologue(vectorAttempt), Secret: secret, Random: repeated(3)}, listenerPair.Public())
	must(err)
	listener, err := seal.Respond(seal.Opening{Ours: listenerPair, Prologue: Prologue(vectorAttempt), Secret: secret, Random: repeated(4)})
	must(err)
	request := Request{Game: "pong", Schema: 0x0102030405060708, Hello: []byte("Ada"), Token: []byte{0xff}}.Append(nil)
	cookie := seal.NewProver(seal.Key{7}).Cookie(5*time.Second, netip.MustParseAddrPort("192.0.2.1:7777"), vectorAttempt)
	one, err := client.Write1(request)
	must(err)
	add("HELLO, its zeros left out", HelloMessage{Attempt: vectorAttempt}.Append(nil))
	add("CHALLENGE, busy, to 192.0.2.1:7777 in second 5", ChallengeMessage{Attempt: vectorAttempt, Cookie: cookie, Key: listenerPair.Public(), WantsSecret: true, Busy: true}.Append(nil))
	add("payload of message 1", request)
	add("INIT, its zeros left out", InitMessage{Attempt: vectorAttempt, Cookie: cookie, Noise: one}.Append(nil, 0))
	_, _, err = listener.Read1(one)
	must(err)
	add(`DENY: another game, "pong"`, DenyMessage{Attempt: vectorAttempt, Reason: OtherGame, Detail: []byte("pong")}.Append(listener.Denial(), [12]byte{6, 11: 6}))
	grant := Grant{ID: 0x0102, Number: 0x1718191a1b1c1d1e}
	grant.Reset = seal.NewProver(listenerPair.Derive("tendon reset")).Reset(7777, grant.ID, grant.Number)
	add("payload of message 2", grant.Append(nil))
	two, down, err := listener.Write2(grant.Append(nil))
	must(err)
	add("ACCEPT", AcceptMessage{Attempt: vectorAttempt, Noise: two}.Append(nil))
	_, up, err := client.Read2(two)
	must(err)
	packet := func(c seal.Cipher, fromListener bool, k Kind, seq uint64, payload ...byte) []byte {
		return c.Seal(append(Begin(nil, k, fromListener, 0x0102, seq), payload...), HeaderSize(fromListener), seq)
	}
	add("keepalive, from the client, number 1", packet(up.Out, false, Keepalive, 1))
	add("datagram aabb, from the client, number 0x11122", packet(up.Out, false, Datagram, 0x11122, 0xaa, 0xbb))
	add("datagram aabb, from the listener, number 2", packet(down.Out, true, Datagram, 2, 0xaa, 0xbb))
	add(`close, from the listener, number 3: kicked, "afk"`, packet(down.Out, true, Close, 3, AppendReason(nil, Kicked, "afk")...))
	add("path challenge, from the listener, number 4", packet(down.Out, true, Control, 4, ControlMessage{Type: PathChallenge, Data: PathData{8, 7: 1}}.Append(nil)...))
	add("farewell, from the client, number 2", packet(up.Out, false, Control, 2, byte(Farewell)))
	says := func(m ControlMessage) []byte { return m.Append(nil) }
	add("path response, from the client, number 3", packet(up.Out, false, Control, 3, says(ControlMessage{Type: PathResponse, Data: PathData{8, 7: 1}})...))
	add("probe of 30 bytes, from the client, number 4", packet(up.Out, false, Control, 4, says(ControlMessage{Type: Probe, Size: 30, Pad: 6})...))
	add("probe of 30 bytes came, from the listener, number 5", packet(down.Out, true, Control, 5, says(ControlMessage{Type: ProbeCame, Size: 30})...))
	add("ask for number 0x11122, from the listener, number 6", packet(down.Out, true, Control, 6, says(ControlMessage{Type: Ask, Seq: 0x1122})...))
	add("told that it came, from the client, number 5", packet(up.Out, false, Control, 5, says(ControlMessage{Type: Answer, Seq: 0x1122, Came: true})...))
	for i, data := range []string{"\xaa", "\xbb"} {
		p := mtu.Part{Of: 6, Index: i, Count: 2, Kind: uint8(Datagram), Data: []byte(data)}
		add(fmt.Sprintf("datagram aabb in two parts, from the client, numbers 6 and 7: number %d", 6+i), packet(up.Out, false, Part, uint64(6+i), p.Append(nil)...))
	}
	push, ack := segments(t)
	add(`message "hi", from the client in ms 1000 of its clock, number 8`, packet(up.Out, false, Lane, 8, push...))
	add("its acknowledgement beside datagram aabb, from the listener, number 7", packet(down.Out, true, Both, 7, append(append([]byte{24, 0}, ack...), 0xaa, 0xbb)...))
	add("SEEK, its zeros left out", SeekMessage{ID: grant.ID, Number: grant.Number}.Append(nil))
	add("RESET", ResetMessage{grant.Reset}.Append(nil))
	add("REFUSE", RefuseMessage{Version: Version, Attempt: vectorAttempt}.Append(nil))
	add(`QUERY for "pong", its zeros left out`, QueryMessage{Nonce: vectorAttempt, GameHash: HashGame("pong")}.Append(nil))
	add(`INFO: 3 of 16 play "Ada's", by a join secret`, InfoMessage{Nonce: vectorAttempt, Players: 3, Most: 16, Secret: true, Title: "Ada's"}.Append(nil))
	return all
}

// segments are what two lanes say when one sends the message "hi" and the other takes it.
func segments(t *testing.T) (push, ack []byte) {
	one, other := lane.New(lane.NewARQ), lane.New(lane.NewARQ)
	if err := one.Queue([]byte("hi")); err != nil {
		t.Fatal(err)
	}
	one.Update(time.Second)
	push = one.Take(nil, one.Pending())
	if err := other.Input(2*time.Second, push); err != nil {
		t.Fatal(err)
	}
	if m, err := other.Receive(); err != nil || string(m) != "hi" {
		t.Fatal(m, err)
	}
	other.Update(2 * time.Second)
	return push, other.Take(nil, other.Pending())
}

// repeated is a source of one byte.
type repeated byte

func (r repeated) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r)
	}
	return len(b), nil
}

// The code agrees with the test vectors of docs/spec-transport.md.
func TestVectors(t *testing.T) {
	vectors := readVectors(t, "../../../docs/spec-transport.md")
	for _, x := range pageVectors(t) {
		want, ok := vectors[x.name]
		if got := hex.EncodeToString(x.b); got != want || !ok {
			t.Errorf("the page does not have this:\n| %s | `%s` |", x.name, got)
		}
		delete(vectors, x.name)
	}
	for name := range vectors {
		t.Errorf("no test reads the vector %q", name)
	}
}

// The limits in docs/spec-transport.md are those of the code.
func TestLimitsOfThePage(t *testing.T) {
	b, err := os.ReadFile("../../../docs/spec-transport.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	n := func(n int) string { // 65792 is written 65,792
		if n < 1000 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	d := func(d time.Duration) string {
		if d%time.Second == 0 {
			return fmt.Sprintf("%d s", d/time.Second)
		}
		return fmt.Sprintf("%d ms", d/time.Millisecond)
	}
	for _, line := range []string{
		"| UDP payload; of it for both lanes | " + n(transport.MaxPacket) + "; " + n(transport.MaxPayload) + " |",
		"| message of the reliable lane | " + n(transport.MaxMessage) + " |",
		"| queue of the reliable lane, a peer | " + n(transport.MaxQueued) + " bytes, " + n(transport.MaxQueuedMessages) + " messages |",
		"| segments unacknowledged; behind one that was repeated | " + n(lane.MaxWaiting) + "; " + n(lane.MaxBehind) + ", " + n(lane.MaxWaiting*lane.MaxChunk) + " bytes |",
		"| game's name; client's hello; connect token; digest; reason | " + n(transport.MaxGame) + "; " + n(transport.MaxHello) + "; " + n(transport.MaxToken) + "; " + n(transport.MaxDigest) + "; " + n(transport.MaxReason) + " |",
		"| connections; on their way in; of one address | " + n(transport.MaxPeers) + "; " + n(transport.MaxUnjoined) + "; " + n(transport.DefaultUnjoined) + " |",
		"| half-open; until joined | " + d(transport.HalfOpenTimeout) + "; " + d(transport.JoinTimeout) + " |",
		"| handshakes of one address | " + n(transport.DefaultHandshakes) + " at once, " + n(transport.DefaultHandshakes) + " a second |",
		"| clients that wait for an answer to their INIT | " + n(transport.MaxHandshakes) + " |",
		"| HELLO repeated; given up; while busy | " + d(transport.HelloInterval) + "; " + d(transport.ConnectTimeout) + "; " + d(transport.BusyTimeout) + " |",
		"| keepalive; silence | " + d(transport.Keepalive) + "; " + d(transport.SilenceTimeout) + " |",
		"| close packets; first pause | " + n(transport.CloseCopies) + "; " + d(transport.CloseInterval) + " |",
		"| connections remembered for their goodbyes; for | " + n(transport.MaxParted) + "; " + d(transport.SilenceTimeout) + " |",
		"| path challenges; bytes to an unproven address | " + d(transport.PathInterval) + "; " + n(transport.PathFactor) + " times |",
		"| SEEK after; each | " + d(transport.SeekAfter*transport.Keepalive) + "; " + d(transport.Keepalive/transport.SeekShare) + " |",
		"| replay window | " + n(replay.Size) + " |",
		fmt.Sprintf("| packets that await the game | %d MiB with 48 bytes a packet, %d MiB of one of a listener's peers", transport.MaxInbox>>20, transport.MaxPeerInbox>>20),
		"1. At least " + n(transport.OverheadUp) + " bytes from a client, " + n(transport.OverheadDown) + " from a listener; at most " + n(transport.MaxPacket) + ".",
		"chunks of 1 … " + n(lane.MaxChunk) + " bytes",
		"segments are accepted, of " + n(lane.Window),
		"windows of " + n(lane.Window) + ", runs of at most " + n(lane.MTU) + " bytes",
		fmt.Sprintf("From %v %% measured loss on, a new segment is repeated once, at least %s later, if it has to do with a message that is no longer than a chunk, or if nothing waits behind it; from %v %% on", 100*lane.RepeatAbove, d(lane.RepeatAfter), 100*lane.RepeatAllAbove),
		fmt.Sprintf("at most %d KiB of it", lane.MaxPending>>10),
		"A packet leaves at least " + n(transport.MinRoom) + " bytes for a datagram",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page does not say %q", line)
		}
	}
}

// readVectors reads the table of vectors on a page, by name.
func readVectors(t *testing.T, path string) map[string]string {
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[string]string{}
	_, section, _ := strings.Cut(string(page), "Vectors\n")
	for _, m := range regexp.MustCompile("(?m)^\\| (.+) \\| `([0-9a-f ]+)` \\|$").FindAllStringSubmatch(section, -1) {
		vectors[m[1]] = strings.ReplaceAll(m[2], " ", "")
	}
	return vectors
}
