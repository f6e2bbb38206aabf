package schema

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Inject writes words and vars into the component at p, in place: fields
// without a tag keep what they have, in nested structs and kept elements of
// lists too. The caller must have refused values beyond a field's bounds; here they
// only lose their upper bits.
func (t *ItemType) Inject(p unsafe.Pointer, words []int32, vars []any, refs Refs) {
	t.Layout.Inject(p, words, vars, nil, refs)
}

// injectRest writes the fields that have no loop of their own.
func (l *fieldLayout) injectRest(p unsafe.Pointer, words []int32, vars, was []any, refs Refs) {
	for i := range l.fast.rest {
		o := &l.fast.rest[i]
		l.injectOp(o, unsafe.Add(p, o.Off), words[o.Word:o.End], vars, was, refs)
	}
}

// InjectOver is Inject over the component whose words are mine: a fractional number whose word is
// equal keeps what it has, which may be finer than its step.
func (t *ItemType) InjectOver(p unsafe.Pointer, words, mine []int32, vars []any, refs Refs) {
	l := &t.Layout
	for i := range l.Plan {
		o := &l.Plan[i]
		f, w := unsafe.Add(p, o.Off), words[o.Word:o.End]
		switch o.Kind {
		case OpFloat64, opAngle64:
			for k, m := range mine[o.Word:o.End] {
				if w[k] != m {
					setNth(f, k, o.Quant.value(w[k]))
				}
			}
		case OpFloat32, opAngle32:
			for k, m := range mine[o.Word:o.End] {
				if w[k] != m {
					setNth(f, k, float32(o.Quant.value(w[k])))
				}
			}
		default:
			l.injectOp(o, f, w, vars, nil, refs)
		}
	}
}

// InjectOf is Inject of what one audience sees, and of nothing else.
func (t *ItemType) InjectOf(p unsafe.Pointer, words []int32, vars []any, who ids.Audience, refs Refs) {
	l := &t.Layout
	for i := range l.Plan {
		o := l.Plan[i]
		if o.Kind == OpVar {
			if t.Props[t.Vars[o.vari].Prop].Audience == who {
				l.injectOp(&o, unsafe.Add(p, o.Off), nil, vars, nil, refs)
			}
			continue
		}
		n := uint32(o.perField())
		for k := o.Word; k < o.End; k += n { // one op may be of several props
			if t.Props[t.Words[k].Prop].Audience == who {
				l.injectOp(&o, unsafe.Add(p, o.Off+uintptr((k-o.Word)/n)*o.Size()), words[k:k+n], vars, nil, refs)
			}
		}
	}
}

// injectOp writes the fields of one op, at f.
func (l *fieldLayout) injectOp(o *op, f unsafe.Pointer, w []int32, vars, was []any, refs Refs) {
	switch o.Kind {
	case OpFloat64, opAngle64:
		for k := range w {
			setNth(f, k, o.Quant.value(w[k]))
		}
	case OpFloat32, opAngle32:
		for k := range w {
			setNth(f, k, float32(o.Quant.value(w[k])))
		}
	case opBool, OpOpt:
		for k := range w {
			setNth(f, k, w[k] != 0)
		}
	case opInt8, opUint8:
		for k := range w {
			setNth(f, k, uint8(w[k]))
		}
	case opInt16, opUint16:
		for k := range w {
			setNth(f, k, uint16(w[k]))
		}
	case opWord, opRaw32, opInt32:
		for k := range w {
			setNth(f, k, w[k])
		}
	case opWide, opRaw64:
		for k := 0; k < len(w); k += 2 {
			setNth(f, k/2, Join(w[k], w[k+1]))
		}
	case opClamp:
		for k := range w {
			o.store(unsafe.Add(f, k*int(o.width)), w[k])
		}
	case OpRef:
		for k := 0; k < len(w); k += 2 {
			setNth(f, k/2, entityOf(refs, ids.Node(Join(w[k], w[k+1]))))
		}
	case OpVar:
		if c, ok := l.vars[o.vari].Codec().(collection); ok && len(was) > 0 {
			c.rewrite(f, vars[o.vari], was[o.vari], refs)
			return
		}
		l.vars[o.vari].Type.Inject(f, vars[o.vari], refs)
	}
}

// setNth writes the k-th of adjacent fields of one type.
func setNth[T any](f unsafe.Pointer, k int, v T) {
	*(*T)(unsafe.Add(f, k*int(unsafe.Sizeof(v)))) = v
}

// store writes a word to an integer of the op's width, 4 or 8 bytes.
func (o *op) store(f unsafe.Pointer, w int32) {
	if o.width == 4 {
		*(*uint32)(f) = uint32(w)
	} else {
		*(*int64)(f) = int64(w)
	}
}

func entityOf(refs Refs, n ids.Node) uint64 {
	if refs == nil || n == 0 {
		return 0
	}
	return refs.EntityOf(n)
}

// Join makes 64 bits of the halves lo and hi.
func Join(lo, hi int32) uint64 { return uint64(uint32(hi))<<32 | uint64(uint32(lo)) }
