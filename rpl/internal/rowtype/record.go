package rowtype

// IsOnce is whether only keyframes tell a word, and isPlain whether an update codes it
// as the difference from its base.
func (t *Type) IsOnce(i int) bool { return t.Once != nil && t.Once[i] }
