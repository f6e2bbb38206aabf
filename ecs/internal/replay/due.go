package replay

// due: when the server's state is compared. Its packets may not tell all of what is predicted: a long value, which takes
// several of them, may be on its way for seconds, or the budget does not pay for all (protocol rule 34).

import "github.com/tendonengine/tendon/rpl"

// longWait is for how many seconds what the server does not tell says nothing, while its packets do not tell all. By then
// a long value is there, as a rule; and a prediction that nobody corrects is worse than one that is corrected to what
// has come.
const longWait = 4

// due is up to when the server's state was compared.
type due struct {
	judged  rpl.Tick // the newest tick of which all was compared
	partial rpl.Tick // the first since the last complete one; 0: none
	partly  bool     // of the tick that is compared now not all has come
}

// Reset forgets a session.
func (st *States) Reset() { st.due = due{} }

// Due reports whether the server's state of tick t is to be compared. whole is whether all of it has come. Else it is
// waited for, for a second; then what has come is compared with what was predicted for its own tick; and the rest
// stays as it was predicted, for three more.
func (st *States) Due(t rpl.Tick, whole bool) bool {
	if st.partial == 0 { // counted from here, and not from what was compared last: after an outage the first state may be far from that
		st.partial = t
	}
	second := rpl.Tick(st.Steps)
	if !whole && t < st.partial+second {
		return false
	}
	st.partly = !whole && (t < st.partial+longWait*second || t < st.judged+second)
	if st.partly {
		return true
	}
	if st.judged = t; whole {
		st.partial = 0
	} else {
		st.Faults.Count("state incomplete")
	}
	return true
}
