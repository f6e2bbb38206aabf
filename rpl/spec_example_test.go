package rpl_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// specCart is the component of the example in docs/spec-schema.md. Its names and tags
// are part of the text that is hashed there.
type specCart struct {
	X     float64 `rpl:"step=1/16,predict=V"`
	V     float64 `rpl:"step=1/16"`
	Load  uint8   `rpl:"max=9"`
	Label string  `rpl:"max=12"`
}

func specCarts() (*rpl.Schema, *rpl.ItemType) {
	s := rpl.NewSchema("carts")
	return s, s.Item("cart", reflect.TypeFor[specCart](), nil)
}

// specSection returns a section of docs/spec-schema.md.
func specSection(t *testing.T, title string) string {
	page, err := os.ReadFile("../docs/spec-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## "+title+"\n")
	if !ok {
		t.Fatalf("the page has no section %q", title)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// The page gives the text that is hashed, the hash, and the code lengths of tables as
// the code computes them.
func TestSpecExampleOfSchema(t *testing.T) {
	page := specSection(t, "6. Example")
	s, _ := specCarts()
	if err := s.Freeze(20); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?m)^```\n(.*)\n```$").FindStringSubmatch(page)
	if text == nil {
		t.Fatal("the page has no text that is hashed")
	}
	sum := sha256.Sum256([]byte(text[1]))
	if got := binary.LittleEndian.Uint64(sum[:]); got != s.Hash() {
		t.Errorf("the page's text has the hash %016x, the schema %016x", got, s.Hash())
	}
	if hash := fmt.Sprintf("`0x%016x`", s.Hash()); !strings.Contains(page, hash) {
		t.Errorf("the page does not say that the hash is %s", hash)
	}
	tables := 0
	for _, m := range regexp.MustCompile("(?m)^\\| ([a-z ]+?) ?([0-9]*) \\| `([0-9 ]*)` \\|$").FindAllStringSubmatch(page, -1) {
		tables++
		k, _ := strconv.Atoi(m[2])
		table := rpl.SpecDefaults(s).Table(m[1], k)
		if table == nil {
			t.Errorf("there is no table %s %s", m[1], m[2])
			continue
		}
		var lens []string
		for i := range table.Len() {
			lens = append(lens, strconv.Itoa(table.Cost(i)))
		}
		if got := strings.Join(lens, " "); got != m[3] {
			t.Errorf("table %s %s has the lengths\n%s, the page says\n%s", m[1], m[2], got, m[3])
		}
	}
	if tables < 8 {
		t.Errorf("%d tables were found on the page", tables)
	}
}

// specPacket is one packet of the page: its bytes and the table that explains its bits.
type specPacket struct {
	bytes string
	rows  [][]string // columns: bits, how they are read, the value, what it means
}

func specPackets(page string) (packets []specPacket) {
	hexes := regexp.MustCompile("^`([0-9a-f]+)`$")
	row := regexp.MustCompile("^\\| `([01]+)` \\| (.*?) \\| ([0-9]+) \\| (.*?) ?\\|$")
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if m := hexes.FindStringSubmatch(line); m != nil {
			packets = append(packets, specPacket{bytes: m[1]})
		} else if m := row.FindStringSubmatch(line); m != nil {
			p := &packets[len(packets)-1]
			p.rows = append(p.rows, m[1:])
		}
	}
	return packets
}

// The example's session sends the packets of the page, and the page's tables of bits
// decode them.
func TestSpecExampleOfPackets(t *testing.T) {
	page := specSection(t, "6. Example")
	s, typ := specCarts()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 20, CheckEvery: time.Hour}, 1, netsim.Conditions{Delay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	sent := map[rpl.Tick]string{}
	net.OnPacket = func(_ rpl.Peer, seq uint64, b []byte) {
		if rpl.Tick(seq) == net.TickNumber() {
			sent[net.TickNumber()] = hex.EncodeToString(b)
		}
	}
	cart := specCart{X: 2, V: 0.5, Load: 3, Label: "coal"}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	client, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	has := map[rpl.Tick][]int32{}
	for range 12 {
		net.Tick(func(now rpl.Tick) {
			if now > 1 {
				cart.X += cart.V / 20
			}
			if now == 7 {
				cart.Load = 4
			}
			if now == 10 {
				cart.V = 1.5
			}
			net.A.Set(it, unsafe.Pointer(&cart))
		})
		if client.P.Newest() > 0 {
			has[client.P.Newest()] = slices.Clone(rpl.FaultsOf(client.P).SpecRow(id))
		}
	}
	for tick, want := range map[rpl.Tick][]int32{1: {8, 32, 3, 1}, 7: {8, 34, 4, 5}, 11: {24, 37, 4, 7}} { // V, X, Load and fraction, as on the page
		if !slices.Equal(has[tick], want) {
			t.Errorf("at tick %d the client has %d, the page says %d", tick, has[tick], want)
		}
	}
	packets := specPackets(page)
	if len(packets) != 3 {
		t.Fatalf("%d packets on the page, not 3", len(packets))
	}
	for i, tick := range []rpl.Tick{1, 7, 11} {
		if got := sent[tick]; got != packets[i].bytes {
			t.Errorf("the packet of tick %d is %s, the page says %s", tick, got, packets[i].bytes)
		}
		packets[i].check(t, rpl.SpecDefaults(s))
	}
}

// check decodes a packet by the rows of its table and compares the values. The packet is
// coded with the tables of m.
func (p *specPacket) check(t *testing.T, m rpl.SpecModel) {
	all := ""
	for _, row := range p.rows {
		bits, as, gives, means := row[0], row[1], row[2], row[3]
		all += bits
		acc := uint64(0)
		for i, c := range bits {
			acc |= uint64(c-'0') << i
		}
		got, n := int(acc), len(bits)
		if name := regexp.MustCompile(`^\*([a-z ]+?) ?([0-9]*)\*$`).FindStringSubmatch(as); name != nil {
			k, _ := strconv.Atoi(name[2])
			table := m.Table(name[1], k)
			if table == nil {
				t.Fatalf("there is no table %s", as)
			}
			f := table.Find(acc)
			got, n = f.Symbol(), f.Bits()
			if strings.HasPrefix(name[1], "joint") {
				pattern := fmt.Sprintf("pattern %d:", m.Pattern(got, name[1] == "joint of keyframes"))
				if !strings.HasPrefix(means, pattern) {
					t.Errorf("packet %s: %s by %s is %s the page says %s", p.bytes, bits, as, pattern, means)
				}
			}
		} else if count, _, _ := strings.Cut(as, " bit"); count != strconv.Itoa(n) {
			t.Errorf("packet %s: %s are not %s", p.bytes, bits, as)
		}
		if strconv.Itoa(got) != gives || n != len(bits) {
			t.Errorf("packet %s: %s by %s is %d, of %d bits; the page says %s", p.bytes, bits, as, got, n, gives)
		}
	}
	b := make([]byte, (len(all)+7)/8)
	for i, c := range all {
		b[i/8] |= byte(c-'0') << (i % 8)
	}
	for range 8 {
		b = bytes.TrimSuffix(b, []byte{0})
	}
	if got := hex.EncodeToString(b); got != p.bytes {
		t.Errorf("the bits of packet %s are %s", p.bytes, got)
	}
}
