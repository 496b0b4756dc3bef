package eval

// last is what findLast and findLastIndex have found so far.
type last struct {
	items int // looked at
	found bool
	index int
	item  any
}

func (e *Evaluator) beginLast() any {
	e.functions.lasts = append(e.functions.lasts, last{})
	return nil
}

// found takes the values of the body of both.
func (e *Evaluator) found(matches, item any) bool {
	l := &e.functions.lasts[len(e.functions.lasts)-1]
	if truth(matches) {
		l.found, l.index, l.item = true, l.items, item
	}
	l.items++
	return false
}

func (e *Evaluator) endLast() last {
	end := len(e.functions.lasts) - 1
	l := e.functions.lasts[end]
	e.functions.lasts[end] = last{}
	e.functions.lasts = e.functions.lasts[:end]
	return l
}

// findLast ends what beginLast began.
func (e *Evaluator) findLast(any, any) any { return e.endLast().item }

func (e *Evaluator) findLastIndex(any, any) any {
	if l := e.endLast(); l.found {
		return l.index
	}
	return nil
}
