package schema

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
)

// A tag is one parsed `rpl:"…"`: words separated by commas, in any order.
// [Schema.Item] says what each means.
type tag struct {
	has tagSet

	step, min, max, tol *big.Rat // exact, so that 0.1 and 1/10 are the same tag
	bits                int
	each                int
	turn                *big.Rat // a full turn, from angle=; nil means 2π
	predict             string   // the velocity's field, or item.field
	perTick             bool
	to                  string
	ifField             string
	hasItem             string
}

// mistagged says what is wrong with a struct tag that is meant for this package and that
// reflect does not read as it was meant; "" where nothing is. Without it a field whose tag
// lacks a quote would stay local silently.
func mistagged(t reflect.StructTag) string {
	ours, misspelt := strings.Contains(strings.ToLower(string(t)), "rpl"), false
	if !ours {
		return ""
	}
	for rest := strings.TrimLeft(string(t), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key, value, colon := strings.Cut(rest, ":")
		switch quoted, err := strconv.QuotedPrefix(value); {
		case !colon || strings.ContainsAny(key, "\""):
			return fmt.Sprintf("is malformed: %s stands outside of the quotes", rest)
		case !strings.HasPrefix(value, "\""):
			return fmt.Sprintf("is malformed: the quote behind %s: is missing", key)
		case err != nil:
			return fmt.Sprintf("is malformed: the closing quote of %s:%s is missing", key, value)
		default:
			misspelt = misspelt || key != "rpl" && strings.EqualFold(strings.Trim(key, " ,;"), "rpl")
			rest = value[len(quoted):]
		}
	}
	if misspelt {
		return "is not read"
	}
	return ""
}

// A tagSet says which words a tag has, or which a kind of field understands.
type tagSet uint32

const (
	tagStep tagSet = 1 << iota
	tagMin
	tagMax
	tagBits
	tagEach
	tagAngle
	tagInterp
	tagInPlace
	tagPredict
	tagTol
	tagPos
	tagTo
	tagIf
	tagHas
	tagOnce
	tagNotify
	tagExplicit
	tagEdge
	tagLocal // "-"
	tagSteps // of interp
)

// tagWords gives every word its name and whether it takes a value; the order
// is that of canonical tags.
var tagWords = [...]struct {
	name  string
	set   tagSet
	value valueRule
}{
	{"-", tagLocal, noValue},
	{"step", tagStep, needsValue},
	{"min", tagMin, needsValue},
	{"max", tagMax, needsValue},
	{"bits", tagBits, needsValue},
	{"each", tagEach, needsValue},
	{"angle", tagAngle, mayHaveValue},
	{"interp", tagInterp, mayHaveValue},
	{"predict", tagPredict, needsValue},
	{"tol", tagTol, needsValue},
	{"pos", tagPos, noValue},
	{"to", tagTo, needsValue},
	{"if", tagIf, needsValue},
	{"has", tagHas, needsValue},
	{"once", tagOnce, noValue},
	{"notify", tagNotify, noValue},
	{"explicit", tagExplicit, noValue},
	{"edge", tagEdge, noValue},
}

type valueRule uint8

const (
	noValue valueRule = iota
	needsValue
	mayHaveValue
)

// parseTag reads a tag. Its error says what is wrong and what to write; the
// caller names component and field.
func parseTag(text string) (tag, error) {
	var t tag
	if strings.TrimSpace(text) == "" {
		return t, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		name, value, valued := strings.Cut(strings.TrimSpace(word), "=")
		if err := t.set(strings.TrimSpace(name), strings.TrimSpace(value), valued); err != nil {
			return tag{}, err
		}
	}
	if t.has&tagLocal != 0 && t.has != tagLocal {
		return tag{}, fmt.Errorf("%q means local and goes with nothing else; remove it or the rest", "-")
	}
	return t, nil
}

// set adds one word to the tag.
func (t *tag) set(name, value string, valued bool) error {
	for _, w := range tagWords {
		if w.name != name {
			continue
		}
		switch {
		case t.has&w.set != 0:
			return fmt.Errorf("%s stands twice; remove one", name)
		case w.value == needsValue && value == "":
			return fmt.Errorf("%s needs a value: write %s=…", name, name)
		case w.value == noValue && valued:
			return fmt.Errorf("%s takes no value: write %s alone", name, name)
		case w.value == mayHaveValue && valued && value == "":
			return fmt.Errorf("%s= has no value: write %s alone or %s=…", name, name, name)
		}
		t.has |= w.set
		return t.setValue(w.set, name, value)
	}
	if name == "" {
		return fmt.Errorf("a comma has nothing beside it; remove it")
	}
	return fmt.Errorf("unknown word %q; known are %s", name, knownWords())
}

// setValue reads the value of a word.
func (t *tag) setValue(word tagSet, name, value string) (err error) {
	switch word {
	case tagStep:
		if t.step, err = parseNumber(name, value); err == nil && t.step.Sign() <= 0 {
			err = fmt.Errorf("step=%s is not above zero", value)
		}
	case tagMin:
		t.min, err = parseNumber(name, value)
	case tagMax:
		t.max, err = parseNumber(name, value)
	case tagTol:
		if t.tol, err = parseNumber(name, value); err == nil && t.tol.Sign() < 0 {
			err = fmt.Errorf("tol=%s is below zero", value)
		}
	case tagBits:
		t.bits, err = parseCount(name, value, maxBits)
	case tagEach:
		t.each, err = parseCount(name, value, maxLen)
	case tagAngle:
		if value == "" {
			return nil
		}
		if t.turn, err = parseNumber(name, value); err == nil && t.turn.Sign() <= 0 {
			err = fmt.Errorf("angle=%s is not above zero; write how much a full turn is, as angle=360", value)
		}
	case tagInterp:
		switch value {
		case "":
		case "inplace":
			t.has |= tagInPlace
		case "step":
			t.has |= tagSteps
		default:
			err = fmt.Errorf("interp=%s is unknown; write interp, interp=inplace or interp=step", value)
		}
	case tagPredict:
		t.predict = strings.TrimSuffix(value, "/tick")
		t.perTick = t.predict != value
	case tagTo:
		t.to = value
	case tagIf:
		t.ifField = value
	case tagHas:
		t.hasItem = value
	}
	return err
}

// parseNumber reads a decimal or a fraction of whole numbers, exactly.
func parseNumber(name, value string) (*big.Rat, error) {
	const limit = 1 << 53 // what a float64 holds exactly
	if strings.ContainsAny(value, " ;") {
		return nil, fmt.Errorf("%s=%s is no number; separate the words of a tag by commas", name, value)
	}
	if len(value) > 40 {
		return nil, fmt.Errorf("%s=%.20s… is too long a number", name, value)
	}
	if _, exp, ok := strings.Cut(strings.ToLower(value), "e"); ok {
		// A big exponent would make a big number before it could be refused.
		if e, err := strconv.Atoi(exp); err != nil || e < -20 || e > 20 {
			return nil, fmt.Errorf("%s=%s is no number that fits; write a decimal or a fraction as 1/32", name, value)
		}
	}
	r, ok := new(big.Rat).SetString(value)
	if !ok {
		return nil, fmt.Errorf("%s=%s is no number; write a decimal or a fraction as 1/32", name, value)
	}
	if r.Num().CmpAbs(big.NewInt(limit)) > 0 || r.Denom().Cmp(big.NewInt(limit)) > 0 {
		return nil, fmt.Errorf("%s=%s has more than 53 bits; write it with fewer digits", name, value)
	}
	return r, nil
}

func parseCount(name, value string, limit int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > limit {
		return 0, fmt.Errorf("%s=%s is not a whole number from 1 to %d", name, value, limit)
	}
	return n, nil
}

func knownWords() string {
	names := make([]string, len(tagWords))
	for i, w := range tagWords {
		names[i] = w.name
	}
	return strings.Join(names, ", ")
}

// String is the canonical tag: equal for tags that mean the same.
func (t tag) String() string {
	var words []string
	for _, w := range tagWords {
		if t.has&w.set == 0 {
			continue
		}
		if v := t.value(w.set); v != "" {
			words = append(words, w.name+"="+v)
		} else {
			words = append(words, w.name)
		}
	}
	return strings.Join(words, ",")
}

// value is a word's value in canonical form, "" if it has none.
func (t tag) value(word tagSet) string {
	switch word {
	case tagStep:
		return t.step.RatString()
	case tagMin:
		return t.min.RatString()
	case tagMax:
		return t.max.RatString()
	case tagTol:
		return t.tol.RatString()
	case tagBits:
		return strconv.Itoa(t.bits)
	case tagEach:
		return strconv.Itoa(t.each)
	case tagAngle:
		if t.turn != nil {
			return t.turn.RatString()
		}
	case tagInterp:
		if t.has&tagInPlace != 0 {
			return "inplace"
		}
		if t.has&tagSteps != 0 {
			return "step"
		}
	case tagPredict:
		if t.perTick {
			return t.predict + "/tick"
		}
		return t.predict
	case tagTo:
		return t.to
	case tagIf:
		return t.ifField
	case tagHas:
		return t.hasItem
	}
	return ""
}

// inherit adds to a nested field's tag what its struct's tag says for all fields.
func (t tag) inherit(outer tag) tag {
	t.has |= outer.has & (tagOnce | tagNotify)
	if t.has&tagTo == 0 && outer.has&tagTo != 0 {
		t.has |= tagTo
		t.to = outer.to
	}
	if t.has&tagIf == 0 && outer.has&tagIf != 0 {
		t.has |= tagIf
		t.ifField = outer.ifField
	}
	return t
}

// Tags are `rpl:"…"` tags for the fields of a type that cannot be edited:
// {"LocalPosition": "step=1/8,interp"}.
type Tags map[string]string
