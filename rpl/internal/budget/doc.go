// Package budget says what one peer may be sent: a token bucket that its budget fills, with a
// share for the reliable lane and one for unreliable calls.
//
// budget.go has it all.
package budget
