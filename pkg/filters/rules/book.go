package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Book has the state of all objects and rules of one listener. It is safe for concurrent
// use.
type Book struct {
	set atomic.Pointer[ruleSet] // replaced while mu is held

	mu      sync.Mutex
	objects map[event.Key]*objectText // those with a record or a debt
	counts  map[Count]int             // of the violated records in objects; none is 0
	open    int                       // the sum of counts
	number  uint64                    // of the last violation
	// changed are the keys of what has changed since the last cut. Nil: all has, or there was none.
	changed map[event.Key]struct{}
}

// object is what is remembered of one object. Its texts are copies: a part of an object's text
// keeps all of it in memory.
type objectText struct {
	key     event.Key // the same as in Book.objects
	uid     string
	records []record // by rule
	debts   []debt   // those of one rule are in the order of the violations
}

// Violation is a rule that is violated by an object.
type Violation struct {
	Rule, Severity       string
	Namespace, Name, UID string
	Message              string    // as it was offered last
	Since                time.Time // deny holds
}

// Count is what violations are counted by.
type Count struct{ Rule, Severity, Namespace string }

// NewBook returns the book of one listener. The rules' names differ. Their reports go to so
// many receivers, at least one and at most MaxReceivers.
func NewBook(rules []*Rule, receivers int) *Book {
	b := &Book{objects: map[event.Key]*objectText{}, counts: map[Count]int{}}
	b.set.Store(newRuleSet(rules, everyReceiver(receivers)))
	return b
}

// Evaluator returns an evaluator for one worker. Caches are what expressions read of other
// informers; nil caches are empty.
func (b *Book) Evaluator(caches filters.Caches) *Evaluator {
	e := &Evaluator{book: b, caches: caches}
	e.prepare()
	return e
}

// Open returns what is violated, by rule, namespace and name.
func (b *Book) Open() []Violation {
	violations := b.violations()
	slices.SortFunc(violations, func(v, w Violation) int {
		return cmp.Or(strings.Compare(v.Rule, w.Rule), strings.Compare(v.Namespace, w.Namespace),
			strings.Compare(v.Name, w.Name))
	})
	return violations
}

func (b *Book) violations() []Violation {
	b.mu.Lock()
	defer b.mu.Unlock()
	violations, rules := make([]Violation, 0, b.open), b.set.Load().rules
	for key, o := range b.objects {
		for i := range o.records {
			if rec := &o.records[i]; rec.violated {
				r := rules[rec.rule]
				violations = append(violations, Violation{
					Rule: r.name, Severity: r.severity, Namespace: key.Namespace, Name: key.Name,
					UID:     o.uid,
					Message: rec.message, Since: rec.since,
				})
			}
		}
	}
	return violations
}

// Counts returns how many violations are open. Its cost depends on the number of counts, not
// of violations.
func (b *Book) Counts() map[Count]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.counts)
}

// get appends the records of an object, and reports whether anything is remembered of it.
func (b *Book) get(key event.Key, to []record) (uid string, records []record, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.objects[key]; o != nil {
		return o.uid, append(to, o.records...), true
	}
	return "", to, false
}

// put replaces what is remembered of an object. It copies what it keeps. The caller holds mu.
func (b *Book) put(key event.Key, uid string, records []record, debts []debt) {
	o := b.objects[key]
	switch {
	case o == nil && len(records) == 0 && len(debts) == 0:
		return
	case o == nil:
		o = &objectText{key: event.Key{Namespace: strings.Clone(key.Namespace),
			Name: strings.Clone(key.Name)}}
		b.objects[o.key] = o
	}
	b.mark(o.key)
	b.count(o, -1)
	if o.uid != uid {
		o.uid = strings.Clone(uid)
	}
	o.records, o.debts = slices.Clone(records), slices.Clone(debts)
	b.count(o, 1)
	b.forgetEmpty(o)
}

// forgetEmpty removes an object without records and debts. The caller holds mu.
func (b *Book) forgetEmpty(o *objectText) {
	if len(o.records) == 0 && len(o.debts) == 0 {
		delete(b.objects, o.key)
	}
}

func (b *Book) count(o *objectText, n int) {
	rules := b.set.Load().rules
	for i := range o.records {
		if !o.records[i].violated {
			continue
		}
		r := rules[o.records[i].rule]
		c := Count{Rule: r.name, Severity: r.severity, Namespace: o.key.Namespace}
		b.open += n
		if b.counts[c] += n; b.counts[c] == 0 {
			delete(b.counts, c)
		}
	}
}
