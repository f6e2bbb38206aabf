package bits

// Zigzag makes small numbers of either sign small: 0, -1, 1, -2 become 0, 1,
// 2, 3.
func Zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// Unzigzag turns Zigzag back.
func Unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// Zigzag32 is Zigzag for a word.
func Zigzag32(v int32) uint32 { return uint32(v<<1) ^ uint32(v>>31) }

// Unzigzag32 turns Zigzag32 back.
func Unzigzag32(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
