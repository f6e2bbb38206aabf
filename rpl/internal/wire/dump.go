package wire

import (
	"fmt"
	"math"
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// NameValues puts a row's values under the names of their props.
func NameValues(t *rowtype.Type, props map[string]any, words []int32, vars []any) {
	at := make(map[int]int, len(words))
	for k, f := range t.From {
		at[f] = k
	}
	for i := range t.Item.Props {
		q := &t.Item.Props[i]
		var values []any
		for w := q.Words[0]; w < q.Words[1]; w++ {
			k, here := at[w]
			if !here {
				continue
			}
			bits := uint64(uint32(words[k]))
			if t.Words[k].Wide {
				w++
				bits = schema.Join(words[k], words[at[w]])
			}
			values = append(values, propValue(q, &t.Words[k], bits))
		}
		switch len(values) {
		case 0:
		case 1:
			props[q.Name] = values[0]
		default:
			props[q.Name] = values
		}
	}
	for k, f := range t.FromV {
		props[t.Item.Props[t.Item.Vars[f].Prop].Name] = fmt.Sprint(vars[k])
	}
}

// propValue is what the bits of a word of the prop, or of both halves of a wide one, stand
// for, as encoding/json writes it. JSON has no number for NaN and the infinities: they are
// text.
func propValue(q *schema.Prop, w *schema.Word, bits uint64) any {
	kind, _, _ := strings.Cut(q.Kind, " ") // without "vector" and "[4]"
	switch {
	case kind == "reference" && bits == 0:
		return nil
	case kind == "reference":
		return ids.Node(bits).String()
	case kind == "bool", kind == "optional":
		return bits != 0
	case w.Raw:
		var v any = math.Float32frombits(uint32(bits))
		f := float64(math.Float32frombits(uint32(bits)))
		if w.Wide {
			f = math.Float64frombits(bits)
			v = f
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprint(f)
		}
		return v
	case w.Unsigned:
		return bits
	case w.Wide:
		return int64(bits)
	}
	return float64(int32(bits))*q.Step + q.Bias
}
