package rpl_test

// The example of learned tables in docs/spec-schema.md: a session ships the page's message,
// and a reader that knows the page alone reads it as the page says.

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// specShipping plays the session of the page's section 7 up to a tick. It returns the schema,
// the first message that ships tables with its tick, and the packet of the last tick.
func specShipping(t *testing.T, until rpl.Tick) (s *rpl.Schema, tables []byte, at rpl.Tick, packet []byte) {
	s, typ := specCarts()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 20, CheckEvery: time.Hour}, 1, netsim.Conditions{Delay: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	net.OnMessage = func(_ rpl.Peer, b []byte) {
		if tables == nil {
			tables, at = bytes.Clone(b), net.TickNumber()
		}
	}
	net.OnPacket = func(_ rpl.Peer, _ uint64, b []byte) { packet = bytes.Clone(b) }
	var carts [2]specCart
	var items [2]rpl.Item
	for i := range carts {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
		if err != nil {
			t.Fatal(err)
		}
		items[i], _ = net.A.Item(id, 0)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	for net.TickNumber() < until {
		net.Tick(func(now rpl.Tick) {
			c := &carts[0]
			if now%4 == 2 {
				c = &carts[1]
			}
			if now > 1 {
				c.Load = (c.Load + 1) % 10
			}
			for i := range carts {
				net.A.Set(items[i], unsafe.Pointer(&carts[i]))
			}
		})
	}
	return s, tables, at, packet
}

// The session ships the page's message; read by the rules of the page alone it says what
// the page's table says, and the code reads the same lengths.
func TestSpecExampleOfLearnedTables(t *testing.T) {
	page := specSection(t, "7. Example of learned tables")
	s, tables, at, _ := specShipping(t, 142)
	if line := fmt.Sprintf("\n`%x`\n", tables); at != 141 || !strings.Contains(page, line) {
		t.Errorf("the session ships in tick %d %x, which the page does not say", at, tables)
	}
	r := newTablesReader(tables)
	r.message()
	_, told, _ := strings.Cut(page, "| bits | read as | gives | |\n|---|---|---|---|\n")
	told, _, _ = strings.Cut(told, "\n\n")
	if read := strings.Join(r.rows, "\n"); read != told {
		t.Errorf("the page's table is not what is read; this is:\n%s", read)
	}
	if strings.Contains(r.bits, "1") || len(r.bits) > 7 {
		t.Errorf("the bits %s are left", r.bits)
	}
	learned, err := rpl.SpecLearned(s, tables)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.lists) != 3 {
		t.Errorf("lists were read of %d tables, not 3", len(r.lists))
	}
	for name, lens := range r.lists {
		word := 0
		if name == "large of updates" {
			word = 2
		}
		escape := rpl.SpecDefaults(s).Table(name, word)
		if strings.HasPrefix(name, "joint") {
			escape = nil
		}
		want, err := prefix.New(lens, escape)
		if err != nil {
			t.Fatal(err)
		}
		if got := costs(learned.Table(name, word)); !slices.Equal(got, costs(want)) {
			t.Errorf("the learned table %s has the lengths %d, the page makes %d", name, got, costs(want))
		}
	}
}

// The page gives the codes of the learned tables as the code has them.
func TestSpecExampleOfLearnedCodes(t *testing.T) {
	page := specSection(t, "7. Example of learned tables")
	s, tables, _, _ := specShipping(t, 142)
	learned, err := rpl.SpecLearned(s, tables)
	if err != nil {
		t.Fatal(err)
	}
	for line, table := range map[string]*prefix.Table{
		`*gap*`:              learned.Table("gap", 0),
		`*joint* of updates`: learned.Table("joint of updates", 0),
		`*large* of Load`:    learned.Table("large of updates", 2),
	} {
		_, codes, found := strings.Cut(page, "\n| "+line+" | ")
		codes, _, _ = strings.Cut(codes, " |\n")
		all := 0.0
		for _, m := range regexp.MustCompile("([0-9]+|escape): `([01]+)`").FindAllStringSubmatch(codes, -1) {
			all += 1 / float64(int(1)<<len(m[2]))
			acc := uint64(0)
			for i, c := range m[2] {
				acc |= uint64(c-'0') << i
			}
			f := table.Find(acc)
			if escape := f.Bits() > len(m[2]); m[1] == "escape" != escape || !escape && m[1] != fmt.Sprint(f.Symbol()) {
				t.Errorf("the page says that %s of %s is the code of %s", m[2], line, m[1])
			}
		}
		if !found || all != 1 {
			t.Errorf("the page's codes of %s are not complete", line)
		}
	}
}

// A packet that is coded with these tables is the page's, and the page's table of its bits
// decodes it.
func TestSpecExampleOfLearnedPacket(t *testing.T) {
	packets := specPackets(specSection(t, "7. Example of learned tables"))
	if len(packets) != 2 {
		t.Fatalf("%d lines of bytes on the page, not the tables and a packet", len(packets))
	}
	s, tables, _, sent := specShipping(t, 158)
	learned, err := rpl.SpecLearned(s, tables)
	if err != nil {
		t.Fatal(err)
	}
	last := packets[1]
	if got := hex.EncodeToString(sent); got != last.bytes {
		t.Errorf("the packet is %s, the page says %s", got, last.bytes)
	}
	last.check(t, learned)
}

// tablesReader reads learned tables by the rules of docs/SPEC.md, and writes a row of the
// page's table for each thing that it reads.
type tablesReader struct {
	bits  string // those still to read
	rows  []string
	steps [2]*prefix.Table   // after a length, after none
	lists map[string][]uint8 // of the tables that have one, by the names of SpecModel
}

func newTablesReader(message []byte) *tablesReader {
	r := &tablesReader{lists: map[string][]uint8{}}
	for _, b := range message[1:] {
		for i := range 8 {
			r.bits += string(rune('0' + b>>i&1))
		}
	}
	return r
}

// take removes the next n bits.
func (r *tablesReader) take(n int) (bits string, value int) {
	for len(r.bits) < n {
		r.bits += "00000000" // zero bytes at the end are left out
	}
	bits, r.bits = r.bits[:n], r.bits[n:]
	for i, c := range bits {
		value |= int(c-'0') << i
	}
	return bits, value
}

func (r *tablesReader) row(bits, as, gives, means string) {
	r.rows = append(r.rows, fmt.Sprintf("| `%s` | %s | %s | %s |", bits, as, gives, means))
}

// raw reads a number of n bits.
func (r *tablesReader) raw(n int, means string) int {
	bits, v := r.take(n)
	r.row(bits, fmt.Sprintf("%d bits", n), fmt.Sprint(v), means)
	return v
}

// symbol reads a symbol of a table.
func (r *tablesReader) symbol(t *prefix.Table) (bits string, value int) {
	acc := uint64(0)
	for i := range min(len(r.bits), prefix.MaxCode) {
		acc |= uint64(r.bits[i]-'0') << i
	}
	f := t.Find(acc)
	bits, _ = r.take(f.Bits())
	return bits, f.Symbol()
}

// lengths reads n lengths of so many bits each.
func (r *tablesReader) lengths(n, size int, means string) (lens []uint8) {
	var bits []string
	for range n {
		b, v := r.take(size)
		bits, lens = append(bits, b), append(lens, uint8(v))
	}
	r.row(strings.Join(bits, " "), fmt.Sprintf("%d × %d bits", n, size), trimmed(lens), means)
	return lens
}

// list reads the list of a table of n symbols, the last one included. of is what the table
// is for, where there are several of the name.
func (r *tablesReader) list(name, of string, n int) {
	means := strings.TrimSpace("*" + name + "* " + of)
	if !r.flag("no list of "+means, "a list of "+means) {
		return
	}
	c := r.raw(8, "so many lengths follow that of the last symbol")
	lens, last, after := make([]uint8, n), uint8(6), 0
	var bits, steps []string
	for i := -1; i < c; i++ {
		b, step := r.symbol(r.steps[after])
		bits, steps = append(bits, b), append(steps, fmt.Sprint(step))
		at := (i + n) % n
		if after = 1; step > 0 {
			last = uint8(step - 13 + int(last))
			lens[at], after = last, 0
		}
	}
	r.row(strings.Join(bits, " "), fmt.Sprintf("%d steps", c+1), strings.Join(steps, " "),
		fmt.Sprintf("lengths: of the last symbol %d, from symbol 0 on %s", lens[n-1], trimmed(lens[:n-1])))
	if name == "joint" || name == "large" {
		name += " of updates"
	}
	r.lists[name] = lens
}

// flag reads a bit.
func (r *tablesReader) flag(no, yes string) bool {
	bits, v := r.take(1)
	means := no
	if v == 1 {
		means = yes
	}
	r.row(bits, "1 bit", fmt.Sprint(v), means)
	return v == 1
}

// trimmed writes lengths without the zeros at the end.
func trimmed(lens []uint8) string {
	for len(lens) > 0 && lens[len(lens)-1] == 0 {
		lens = lens[:len(lens)-1]
	}
	if len(lens) == 0 {
		return "none"
	}
	return strings.Trim(fmt.Sprint(lens), "[]")
}

// specWords are the words of the row type of specCarts.
var specWords = []string{"V", "X", "Load"}

// message reads a whole message for specCarts, whose one row type has three words, all in
// chunk 0, and a fraction. Tables by context class are not in the example.
func (r *tablesReader) message() {
	r.raw(2, "the tables' number")
	r.flag("the set stands alone", "it is given by differences")
	for after, what := range []string{"a length", "none"} {
		if !r.flag("the usual code of steps after "+what, "a code of steps after "+what) {
			r.steps[after] = specSteps(after)
			continue
		}
		first := r.raw(5, "the first step with a code")
		last := r.raw(5, "the last")
		lens := append(make([]uint8, first), r.lengths(last-first+1, 4, "lengths of the codes of these")...)
		r.steps[after], _ = prefix.New(append(lens, make([]uint8, 26-len(lens))...), nil)
	}
	r.list("gap", "", 68)
	r.flag("no lists of *present*", "lists of *present*") // one row says nothing of that kind
	if r.flag("row type 0 learns nothing", "row type 0") {
		r.rowType()
	}
	r.flag("", "the end")
}

// specSteps is the usual code of steps.
func specSteps(after int) *prefix.Table {
	w := make([]uint64, 26)
	for step := range w {
		w[step] = 256 >> min(max(step-13, 13-step), 8)
	}
	w[0] = []uint64{64, 512}[after]
	return prefix.Fit(w)
}

func (r *tablesReader) rowType() {
	if r.flag("no word goes along a line", "words go along lines") {
		panic("the example has no lines")
	}
	if r.flag("no word has a frequent value", "words have frequent values") {
		for _, word := range specWords {
			if r.flag(word+" has none", word+" has one") {
				r.raw(7, "0: the usual value; else the word's number + 1")
			}
		}
	}
	patterns := r.chunk("updates")
	if r.chunk("keyframes") > 0 {
		panic("the example has patterns of updates alone")
	}
	r.record("any update", 0, 4)
	if r.flag("no word tells context classes", "a word tells context classes") {
		panic("the example has no context classes")
	}
	for context := range 6 {
		r.record(fmt.Sprintf("context %d", context), patterns, 4)
	}
	r.record("keyframes", 0, 0)
	for _, word := range specWords {
		if what := "usual value for " + word; r.flag("no "+what, "a "+what) {
			r.raw(32, "the value")
		}
	}
}

// chunk reads the patterns of chunk 0, and returns how many there are.
func (r *tablesReader) chunk(of string) (patterns int) {
	if !r.flag("no patterns of "+of, "patterns of "+of) {
		return 0
	}
	patterns = r.raw(8, "their number")
	var states [3][2]*prefix.Table
	for w, word := range specWords {
		for prev, after := range []string{"an unchanged word", "a changed one"} {
			states[w][prev], _ = prefix.New(r.lengths(4, 2, "lengths of the states of "+word+" after "+after), nil)
		}
	}
	for i := range patterns {
		var bits, told []string
		pattern, prev := 0, 0
		for w := range states {
			b, state := r.symbol(states[w][prev])
			bits, told = append(bits, b), append(told, fmt.Sprint(state))
			pattern |= state << (2 * w)
			prev = min(state, 1)
		}
		r.row(strings.Join(bits, " "), "3 states", strings.Join(told, " "), fmt.Sprintf("symbol %d is pattern %d", i+1, pattern))
	}
	for _, after := range []string{"after one without changes", "after another"} {
		r.list("quad", "of "+of+" "+after, 1<<(2*len(specWords))+1)
	}
	r.list("joint", "of "+of, patterns+1)
	return patterns
}

// record reads the tables of a record, with those of so many patterns and states of fractions.
func (r *tablesReader) record(of string, patterns, fractions int) {
	if !r.flag("no tables of "+of, "tables of "+of) {
		return
	}
	if patterns > 0 {
		r.list("joint", "of "+of, patterns+1)
	}
	for _, word := range specWords {
		r.list("large", "of "+word, 132)
	}
	for state := range fractions {
		r.list("fraction", fmt.Sprintf("in state %d", state), 17)
	}
}
