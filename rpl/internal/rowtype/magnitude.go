package rowtype

// Magnitude is the absolute value. It does not branch: the sign cannot be predicted.
func Magnitude(v int32) uint32 {
	sign := v >> 31
	return uint32((v ^ sign) - sign)
}
