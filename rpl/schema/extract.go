package schema

import (
	"math"
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// Extract quantises the component at p into words (len(t.Words)) and vars
// (len(t.Vars)). Values in vars that have not changed are kept, not made again: pass the
// vars of the last extraction, or nils at first.
func (t *ItemType) Extract(p unsafe.Pointer, words []int32, vars []any, refs Refs) {
	t.Layout.Extract(p, words, vars, refs)
}

// extractRest extracts the fields that have no loop of their own (extract_fast.go). With
// recall (recall.go), words and vars hold the row that p is taken for.
func (l *fieldLayout) extractRest(p unsafe.Pointer, words []int32, vars []any, refs Refs, recall bool) {
	for i := 0; i < len(l.fast.rest); i++ {
		o := &l.fast.rest[i]
		f := unsafe.Add(p, o.Off)
		w := words[o.Word:o.End]
		switch o.Kind {
		case OpRef:
			for k := 0; k < len(w); k += 2 {
				n := nodeOf(refs, nth[uint64](f, k/2))
				if n == 0 && recall {
					continue // the reference may be to a node that is not here
				}
				w[k], w[k+1] = int32(n.Slot()), int32(n.Tenant())
			}
		case OpVar:
			if c, ok := l.vars[o.vari].Codec().(collection); ok && recall {
				vars[o.vari] = c.recall(f, vars[o.vari], refs)
				continue
			}
			vars[o.vari] = l.vars[o.vari].Type.Extract(f, vars[o.vari], refs)
		case OpOpt:
			if present := *(*bool)(f); present {
				w[0] = 1
				continue
			}
			l.absent(l.fast.rest[i:i+o.skip+1], words, vars)
			i += o.skip
		default:
			o.extract(w, f)
		}
	}
}

// extract extracts plain fields: words that need nothing but their own bytes.
func (o *op) extract(w []int32, f unsafe.Pointer) {
	switch o.Kind {
	case OpFloat64:
		for k := range w {
			w[k] = o.Quant.word(nth[float64](f, k))
		}
	case OpFloat32:
		for k := range w {
			w[k] = o.Quant.word(float64(nth[float32](f, k)))
		}
	case opAngle64:
		for k := range w {
			w[k] = o.Quant.angleWord(nth[float64](f, k))
		}
	case opAngle32:
		for k := range w {
			w[k] = o.Quant.angleWord(float64(nth[float32](f, k)))
		}
	case opBool:
		for k := range w {
			w[k] = int32(flag(nth[bool](f, k)))
		}
	case opUint8:
		extractClamped[uint8](o, w, f)
	case opInt8:
		extractClamped[int8](o, w, f)
	case opUint16:
		extractClamped[uint16](o, w, f)
	case opInt16:
		extractClamped[int16](o, w, f)
	case opInt32:
		extractClamped[int32](o, w, f)
	case opClamp:
		for k := range w {
			v := o.load(unsafe.Add(f, k*int(o.width)))
			w[k] = int32(min(max(v, int64(o.clampLo)), int64(o.clampHi)))
		}
	case opWord, opRaw32:
		for k := range w {
			w[k] = nth[int32](f, k)
		}
	case opWide, opRaw64:
		for k := 0; k < len(w); k += 2 {
			v := nth[uint64](f, k/2)
			w[k], w[k+1] = int32(uint32(v)), int32(uint32(v>>32))
		}
	}
}

// extractClamped extracts adjacent integers of one type, within the op's bounds.
func extractClamped[T uint8 | int8 | uint16 | int16 | int32](o *op, w []int32, f unsafe.Pointer) {
	for k := range w {
		w[k] = min(max(int32(nth[T](f, k)), o.clampLo), o.clampHi)
	}
}

// nth reads the k-th of adjacent fields of one type.
func nth[T any](f unsafe.Pointer, k int) T {
	var t T
	return *(*T)(unsafe.Add(f, k*int(unsafe.Sizeof(t))))
}

// absent extracts an optional value that is absent: the presence, its first op, becomes
// 0, and the words and vars of the other ops their defaults, so that they cost no bits.
func (l *fieldLayout) absent(ops []op, words []int32, vars []any) {
	words[ops[0].Word] = 0
	for i := range ops[1:] {
		o := &ops[i+1]
		if o.Kind == OpVar {
			vars[o.vari] = l.vars[o.vari].Type.Default()
			continue
		}
		for w := o.Word; w < o.End; w++ {
			words[w] = l.words[w].Default
		}
	}
}

// load reads an integer. A uint64 beyond int64 is clamped, which bounds would do anyway.
func (o *op) load(f unsafe.Pointer) int64 {
	switch {
	case o.width == 8 && o.signed:
		return *(*int64)(f)
	case o.width == 8:
		return int64(min(*(*uint64)(f), math.MaxInt64))
	case o.Kind == opUint8:
		return int64(*(*uint8)(f))
	case o.Kind == opInt8:
		return int64(*(*int8)(f))
	case o.Kind == opUint16:
		return int64(*(*uint16)(f))
	case o.Kind == opInt16:
		return int64(*(*int16)(f))
	case o.Kind == opInt32:
		return int64(*(*int32)(f))
	}
	return int64(*(*uint32)(f))
}

func nodeOf(refs Refs, entity uint64) ids.Node {
	if refs == nil || entity == 0 {
		return 0
	}
	return refs.NodeOf(entity)
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
