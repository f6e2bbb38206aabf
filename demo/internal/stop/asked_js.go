package stop

// In a browser there is no terminal that could close.

import "os"

func asked() []os.Signal { return []os.Signal{os.Interrupt} }
