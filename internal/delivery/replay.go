package delivery

import "sync"

// Replay is a dead letter on its way to outputs again. What came of its event has one entry for
// each output.
type Replay struct {
	// Letter is the ID of the letter. What an output refuses again takes its place.
	Letter string
	// Superseded reports whether the output has taken something newer than the letter meanwhile.
	// Then the letter is not sent.
	Superseded func() bool
	// Ended is called once, when all entries have ended.
	Ended func(Result, error)

	mu      sync.Mutex // guards what follows
	pending int        // entries
	result  Result     // the worst so far
	err     error
}

// Result is what became of a replay.
type Result uint8

// The results, in the order in which the worse one counts if there are several outputs.
const (
	Delivered  Result = iota
	Filtered          // nothing of it is to be sent
	Superseded        // something newer was delivered already
	Failed            // it is a dead letter again, or still
)

// Begin notes an entry of the replay. The caller notes itself as well, so that nothing ends before
// all entries have begun.
func (r *Replay) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending++
}

// End notes that an entry has ended, or the caller of Begin.
func (r *Replay) End(result Result, err error) {
	r.mu.Lock()
	if result > r.result {
		r.result, r.err = result, err
	}
	r.pending--
	over := r.pending == 0
	r.mu.Unlock()
	if over {
		r.Ended(r.result, r.err)
	}
}

// replaced removes the letter from its store, since another one is in its place.
func (r *Replay) replaced(in Letters) error {
	store, ok := in.(interface {
		Delete(ids ...string) (int, error)
	})
	if r == nil || !ok {
		return nil
	}
	_, err := store.Delete(r.Letter)
	return err
}
