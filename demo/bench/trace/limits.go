package trace

// What a trace may be. The product of slots, ticks and fields needs no limit of
// its own: it must equal what the file holds.
const (
	preamble  = 24      // bytes before the JSON header
	version   = 2       // the only one
	maxHeader = 1 << 20 // bytes of JSON; 129 fields with long names take 20 KiB
	maxFields = 129     // alive and the 128 props that an item may have
	maxHz     = 1000    // a tick below a millisecond is a typing error
	maxSlots  = 1 << 22 // four million entities: more is a damaged header
)
