package rpl

import (
	"math"
	"unsafe"
)

// Extract quantises the component at p into words (len(t.Words)) and vars
// (len(t.Vars)). It looks at the old vars, so that what has not changed is not
// made anew: give it the last extraction's, or nils at first.
func (t *ItemType) Extract(p unsafe.Pointer, words []int32, vars []any, refs Refs) {
	t.lay.extract(p, words, vars, refs)
}

func (l *layout) extract(p unsafe.Pointer, words []int32, vars []any, refs Refs) {
	for i := 0; i < len(l.plan); i++ {
		o := &l.plan[i]
		f := unsafe.Add(p, o.off)
		w := words[o.word:]
		switch o.kind {
		case opFloat64:
			for k, v := range unsafe.Slice((*float64)(f), o.n) {
				w[k] = o.quant.word(v)
			}
		case opFloat32:
			for k, v := range unsafe.Slice((*float32)(f), o.n) {
				w[k] = o.quant.word(float64(v))
			}
		case opAngle64:
			for k, v := range unsafe.Slice((*float64)(f), o.n) {
				w[k] = o.quant.angleWord(v)
			}
		case opAngle32:
			for k, v := range unsafe.Slice((*float32)(f), o.n) {
				w[k] = o.quant.angleWord(float64(v))
			}
		case opBool:
			for k, v := range unsafe.Slice((*bool)(f), o.n) {
				w[k] = word(v)
			}
		case opInt8:
			for k, v := range unsafe.Slice((*int8)(f), o.n) {
				w[k] = int32(v)
			}
		case opUint8:
			for k, v := range unsafe.Slice((*uint8)(f), o.n) {
				w[k] = int32(v)
			}
		case opInt16:
			for k, v := range unsafe.Slice((*int16)(f), o.n) {
				w[k] = int32(v)
			}
		case opUint16:
			for k, v := range unsafe.Slice((*uint16)(f), o.n) {
				w[k] = int32(v)
			}
		case opWord, opRaw32:
			copy(w, unsafe.Slice((*int32)(f), o.n))
		case opWide, opRaw64:
			for k, v := range unsafe.Slice((*uint64)(f), o.n) {
				w[2*k], w[2*k+1] = int32(uint32(v)), int32(uint32(v>>32))
			}
		case opClamp:
			for k := range int(o.n) {
				v := o.load(unsafe.Add(f, uintptr(k)*o.size()))
				w[k] = int32(min(max(v, o.clampLo), o.clampHi))
			}
		case opRef:
			for k, v := range unsafe.Slice((*uint64)(f), o.n) {
				n := nodeOf(refs, v)
				w[2*k], w[2*k+1] = int32(n.Slot()), int32(n.Tenant())
			}
		case opVar:
			vars[o.vari] = l.vars[o.vari].Type.Extract(f, vars[o.vari], refs)
		case opOpt:
			if present := *(*bool)(f); present {
				w[0] = 1
			} else {
				l.absent(i, words, vars)
				i += int(o.skip)
			}
		}
	}
}

// absent sets the optional value of plan[i] to nothing: its words and vars to
// their defaults, so that they cost no bits.
func (l *layout) absent(i int, words []int32, vars []any) {
	words[l.plan[i].word] = 0
	for k := i + 1; k <= i+int(l.plan[i].skip); k++ {
		o := &l.plan[k]
		if o.kind == opVar {
			vars[o.vari] = l.vars[o.vari].Type.Default()
			continue
		}
		for w := int(o.word); w < int(o.word)+int(o.n)*o.perField(); w++ {
			words[w] = l.words[w].Default
		}
	}
}

// load reads an integer of the op's width. A uint64 beyond int64 is clamped.
func (o *op) load(f unsafe.Pointer) int64 {
	switch o.width {
	case 1:
		return int64(*(*uint8)(f))
	case 2:
		return int64(*(*uint16)(f))
	case 4:
		return int64(*(*uint32)(f))
	case 8:
		return int64(min(*(*uint64)(f), math.MaxInt64))
	case -1:
		return int64(*(*int8)(f))
	case -2:
		return int64(*(*int16)(f))
	case -4:
		return int64(*(*int32)(f))
	}
	return *(*int64)(f)
}

func nodeOf(refs Refs, entity uint64) Node {
	if refs == nil || entity == 0 {
		return 0
	}
	return refs.NodeOf(entity)
}

func word(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
