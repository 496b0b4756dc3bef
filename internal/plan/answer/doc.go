// Package answer is what informerd explain says: what becomes of one event at one listener, and
// why. It is made once, and written as text or as JSON, so both say the same.
package answer
