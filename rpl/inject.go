package rpl

import "unsafe"

// Inject writes words and vars into the component at p, in place: fields
// without a tag keep what they have, in nested structs and kept elements of
// lists too. Values beyond a field's bounds are for the caller to refuse
// before; here they only lose their upper bits.
func (t *ItemType) Inject(p unsafe.Pointer, words []int32, vars []any, refs Refs) {
	t.lay.inject(p, words, vars, refs)
}

func (l *layout) inject(p unsafe.Pointer, words []int32, vars []any, refs Refs) {
	for i := range l.plan {
		o := &l.plan[i]
		f := unsafe.Add(p, o.off)
		w := words[o.word:]
		switch o.kind {
		case opFloat64:
			dst := unsafe.Slice((*float64)(f), o.n)
			for k := range dst {
				dst[k] = o.quant.value(w[k])
			}
		case opFloat32:
			dst := unsafe.Slice((*float32)(f), o.n)
			for k := range dst {
				dst[k] = float32(o.quant.value(w[k]))
			}
		case opAngle64:
			dst := unsafe.Slice((*float64)(f), o.n)
			for k := range dst {
				dst[k] = o.quant.value(w[k])
			}
		case opAngle32:
			dst := unsafe.Slice((*float32)(f), o.n)
			for k := range dst {
				dst[k] = float32(o.quant.value(w[k]))
			}
		case opBool, opOpt:
			dst := unsafe.Slice((*bool)(f), o.n)
			for k := range dst {
				dst[k] = w[k] != 0
			}
		case opInt8, opUint8:
			dst := unsafe.Slice((*uint8)(f), o.n)
			for k := range dst {
				dst[k] = uint8(w[k])
			}
		case opInt16, opUint16:
			dst := unsafe.Slice((*uint16)(f), o.n)
			for k := range dst {
				dst[k] = uint16(w[k])
			}
		case opWord, opRaw32:
			copy(unsafe.Slice((*int32)(f), o.n), w)
		case opWide, opRaw64:
			dst := unsafe.Slice((*uint64)(f), o.n)
			for k := range dst {
				dst[k] = join(w[2*k], w[2*k+1])
			}
		case opClamp:
			for k := range int(o.n) {
				o.store(unsafe.Add(f, uintptr(k)*o.size()), w[k])
			}
		case opRef:
			dst := unsafe.Slice((*uint64)(f), o.n)
			for k := range dst {
				dst[k] = entityOf(refs, Node(join(w[2*k], w[2*k+1])))
			}
		case opVar:
			l.vars[o.vari].Type.Inject(f, vars[o.vari], refs)
		}
	}
}

// store writes a word to an integer of the op's width.
func (o *op) store(f unsafe.Pointer, w int32) {
	switch o.size() {
	case 1:
		*(*uint8)(f) = uint8(w)
	case 2:
		*(*uint16)(f) = uint16(w)
	case 4:
		*(*uint32)(f) = uint32(w)
	default:
		*(*int64)(f) = int64(w)
	}
}

func entityOf(refs Refs, n Node) uint64 {
	if refs == nil || n == 0 {
		return 0
	}
	return refs.EntityOf(n)
}

// join is the 64 bits of which lo and hi are the halves.
func join(lo, hi int32) uint64 { return uint64(uint32(hi))<<32 | uint64(uint32(lo)) }
