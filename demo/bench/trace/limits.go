package trace

// Limits of a trace. The product of slots, ticks and fields needs no limit of its own:
// it must match the size of the file.
const (
	preamble  = 24      // bytes before the JSON header
	version   = 2       // the only version that can be read
	maxHeader = 1 << 20 // bytes of JSON; 129 fields with long names take 20 KiB
	maxFields = 129     // alive, and the 128 props that an item can have
	maxHz     = 1000    // a tick shorter than a millisecond is a typing error
	maxSlots  = 1 << 22 // more than four million slots is a damaged header
)
