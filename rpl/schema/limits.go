package schema

// Limits of a schema. They bound what a hostile peer can make a machine hold,
// and keep a component's tables small enough to be walked every tick.
const (
	maxName     = 64       // bytes of a registered name: it stands in errors and digests
	maxProps    = 128      // props of an item: Enfusion has the same
	maxWords    = 1024     // words of an item or of a list's element: 4 KiB a version
	maxDeclared = 4096     // items, prefabs and RPCs each: an index fits two bytes
	MaxGroups   = 64       // groups: a peer's memberships are one word
	maxBits     = 31       // bits= of a word
	maxLen      = 65534    // max= of a string or of bytes: with its length it is maxVarBytes
	maxElems    = 4096     // max= of a list or a map
	maxVarBytes = 64 << 10 // of the largest value of one prop: what one block carries
	maxDepth    = 16       // structs in structs, lists in lists

	defaultText  = 64  // bytes of strings in lists and of map keys, where each= does not say
	defaultArg   = 255 // bytes of a prefab's or an RPC's argument that is a plain string
	defaultAngle = 12  // bits of an angle: 0.09 degrees

	maxDigest = 1000 // bytes of Digest: it fits one packet of the handshake
)
