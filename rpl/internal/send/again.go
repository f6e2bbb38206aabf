package send

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Names by runs. What the base packet told is often told again, in a small world nearly all
// of it, and a name of its own takes an update a bit at least. So a packet may first go
// through what the base packet told, a set of handles that both ends know, by runs of those
// that it tells again and those that it does not. All other updates have names as usual.

// againName is the bundle.name of an update that is named by runs.
const againName = 0xFE

const (
	// againLeast is the least number of updates of a send, and againSaves of bits saved, for
	// which names go by runs.
	againLeast = 4
	againSaves = 8

	// againTries is how many times in a row runs may save too little before they are left alone
	// for againRest sends.
	againTries = 4
	againRest  = 64
)

// An again is what the newest packets told a peer of.
type again struct {
	ring  *wire.SentRing // nil: nothing was noted yet
	fails uint8
	rest  uint8 // sends in which neither is noted what is told, nor runs are tried
}

// touch touches what the base packet told, and where to note what the next one does.
func (g *again) touch(l *link.Link) uint32 {
	if g.rest > 0 || g.ring == nil {
		return 0
	}
	return g.ring.Touch(l.Base) + g.ring.Touch(l.Next)
}

// planRuns decides whether names of a peer's updates go by runs, and marks those whose names
// do. All updates must be sure to fit one packet with what stands before them there.
func (u *updates) planRuns(p *Peer, updates []bundle) bool {
	g, pl, l := &p.again, &p.plan, &p.Link
	if g.rest > 0 {
		g.rest--
		return false
	}
	if len(updates) < u.sender.Setup.LeastAgain || pl.cohort > 0 || l.BaseTick == 0 || !u.fitsRuns(pl) {
		return false
	}
	if g.ring == nil {
		g.ring = new(wire.SentRing)
	}
	base := g.ring.Of(l.Base)
	if base == nil {
		return false
	}
	var now wire.SentSet
	usual, others, last, rest := 0, 0, uint32(0), uint32(0) // bits of all names, and of those of what cannot be told again
	m := &p.Model.Entry
	for i := range updates {
		b := &updates[i]
		if b.skip {
			continue
		}
		if b.ownership || b.name != 0 || b.handle < last {
			return false
		}
		name, before := m.Name(b.special, b.handle+1-last), last
		usual += name.Bits()
		last = b.handle + 1
		if !b.special && base.Has(b.handle) {
			now.Add(b.handle)
			continue
		}
		if before != rest {
			name = m.Name(b.special, last-rest)
		}
		others += name.Bits()
		rest = last
	}
	runs := 0
	for r := wire.NewRuns(base, &now); r.Next(); {
		runs += runName(m, &r).Bits()
	}
	if usual-others-runs < againSaves {
		if g.fails++; g.fails >= againTries {
			g.fails, g.rest = 0, againRest
		}
		return false
	}
	g.fails = 0
	u.Agains++
	for i := range updates {
		if b := &updates[i]; !b.skip && now.Has(b.handle) {
			b.name = againName
		}
	}
	return true
}

// fitsRuns reports whether all removals, arrivals and updates of a plan take half a packet at most.
func (u *updates) fitsRuns(pl *plan) bool {
	n := int(pl.updateBits) + pl.updates.len()*wire.NameBits
	for _, bundles := range [][]bundle{pl.removals.in(u.bundles.removals), pl.arrivals.in(u.bundles.arrivals)} {
		for i := range bundles {
			n += int(bundles[i].bits)
		}
	}
	return n <= 4*wire.PacketRoom
}

// runName is the length of a run. The first one alone, of what is not told, may be 0.
func runName(m *coder.EntryModel, r *wire.Runs) prefix.Sym {
	return coder.Unsigned(&m.Again, uint32(r.Len-1+flag(r.First)))
}

// hasRuns reports whether a packet's updates go by runs as planned; otherwise all are named
// as they are packed.
func (k *packer) hasRuns(seq uint64) bool {
	p := k.p
	if !p.plan.again {
		return false
	}
	p.plan.again = false // another packet of this send tells the rest
	if k.form&(coder.FormFull|coder.FormCalls) == 0 && seq-p.Link.Base < wire.SentBack && k.sender.Updates.fitsRuns(&p.plan) {
		return true
	}
	updates := p.plan.updates.in(k.sender.Updates.bundles.updates)
	for i := range updates {
		if b := &updates[i]; b.name == againName {
			b.name = 0
		} else {
			b.codes, b.name = b.bare(), 0 // its name counts from an update that is named as usual
		}
	}
	return false
}

// putRuns writes the updates that are named by runs.
func (k *packer) putRuns() {
	p := k.p
	m, updates := &p.Model.Entry, p.plan.updates.in(k.sender.Updates.bundles.updates)
	var now wire.SentSet
	for i := range updates {
		if b := &updates[i]; b.name == againName && !b.skip {
			now.Add(b.handle)
		}
	}
	i := 0
	for r := wire.NewRuns(p.again.ring.Of(p.Link.Base), &now); r.Next(); {
		name := runName(m, &r)
		p.enc.PutOne(name)
		k.room -= name.Bits()
		for n := r.Len; r.Again && n > 0; i++ {
			b := &updates[i]
			if b.name != againName || b.skip {
				continue
			}
			k.put(b)
			k.carries(b.recAt, b.recAt+b.recN)
			k.named.Add(b.handle)
			n--
		}
	}
}
