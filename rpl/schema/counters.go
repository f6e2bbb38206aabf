package schema

// maxBytes is how many bytes a value of a variable-length prop may take, and so may what
// turns another value into it.
func (v *Var) MaxBytes() int { return (v.Codec().maxBits() + 7) / 8 }
