package rangecode

// A Bit is the adaptive probability of one binary decision, for what has no
// frozen table: tables themselves, on their way to the other end. The zero Bit
// expects nothing.
type Bit struct{ p int16 } // of a one, less half, of 1<<ProbBits

const adaptShift = 4

func (b *Bit) one() uint32 {
	return uint32(int32(b.p) + total/2)
}

func (b *Bit) learn(v int) {
	p := int32(b.p) + total/2
	if v != 0 {
		p += (total - 32 - p) >> adaptShift
	} else {
		p -= (p - 32) >> adaptShift
	}
	b.p = int16(p - total/2)
}

// PutBit appends one decision.
func (e *Encoder) PutBit(b *Bit, v int) {
	one := b.one()
	if v != 0 {
		e.Put(Sym(one))
	} else {
		e.Put(Sym(one<<16 | (total - one)))
	}
	b.learn(v)
}

// Bit reads one decision.
func (d *Decoder) Bit(b *Bit) int {
	one := b.one()
	r := d.rng >> ProbBits
	v := 0
	if d.code < r*one {
		d.rng = r * one
		v = 1
	} else {
		d.code -= r * one
		d.rng -= r * one
	}
	for d.rng < 1<<24 {
		d.code = d.code<<8 | uint32(d.next())
		d.rng <<= 8
	}
	b.learn(v)
	return v
}

// A Tree is the adaptive probabilities of a number of n bits, n at most 8.
type Tree [256]Bit

// PutTree appends a number of n bits, high bit first.
func (e *Encoder) PutTree(t *Tree, n int, v uint32) {
	node := uint32(1)
	for i := n - 1; i >= 0; i-- {
		b := v >> i & 1
		e.PutBit(&t[node], int(b))
		node = node<<1 | b
	}
}

// Tree reads a number of n bits.
func (d *Decoder) Tree(t *Tree, n int) uint32 {
	node := uint32(1)
	for range n {
		node = node<<1 | uint32(d.Bit(&t[node]))
	}
	return node - 1<<n
}
