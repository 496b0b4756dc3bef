// Package recalled says what a listener would go on with after a restart: what the checkpoint of an
// informerd that does not run has of an object, in the form in which a running one tells it.
package recalled

import (
	"slices"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Checkpoint is a checkpoint that was read for a configuration.
type Checkpoint struct {
	of      *keeper.Recalled
	cfg     *config.Config
	schemas plan.Schemas
	books   map[*config.Listener]book
}

// Open reads the checkpoint in a folder, as [keeper.Recall] does.
func Open(dir string, cfg *config.Config, schemas plan.Schemas) (*Checkpoint, error) {
	r, err := keeper.Recall(dir)
	if err != nil {
		return nil, err
	}
	return &Checkpoint{r, cfg, schemas, map[*config.Listener]book{}}, nil
}

// Object returns what the checkpoint has of an object at a listener.
func (c *Checkpoint) Object(l *config.Listener, key event.Key) *memory.Object {
	known := &memory.Object{Listener: c.of.Has(l.Name), Checkpoint: c.of.Committed}
	if !known.Listener {
		return known
	}
	if o, of := c.of.Object(l.Name, key); o != nil {
		known.Has, known.UID, known.Last = true, o.UID(), []byte(o.JSON())
		known.Member, known.Lists = c.selected(l, o), !isInformer(l.Informer(), of)
	}
	b := c.book(l)
	if known.Outputs = b.outputs; b.Book != nil {
		known.Rules = memory.RulesOf(b.Remembers(key), b.outputs)
	}
	return known
}

// selected reports whether a listener had an object among the selected ones, nil if the select
// of before cannot be read. If that failed, what was selected before is remembered.
func (c *Checkpoint) selected(l *config.Listener, o *object.Object) *bool {
	text, is, remembered := c.of.Select(l.Name, o.Key())
	was, err := plan.EarlierSelect(c.cfg, l, text)
	switch {
	case err != nil:
		return nil
	case remembered, was.LooksAround():
	case was == nil:
		is = true
	default:
		is = was.Explain(event.Event{Op: event.Resync, Object: o}, nil).Matched
	}
	return &is
}

// isInformer reports whether an informer is the one of a checkpoint, or one of those for its
// namespaces.
func isInformer(inf *config.Informer, of informer.InformerID) bool {
	is, all := inf.Scope(), of.Scope
	shape, err := plan.ShapeOf(inf)
	// What is kept of Secrets has a key that only informerd reads.
	kept := err == nil && (of.Resource.Kind == "Secret" ||
		of.Keeps == informer.Target{Shape: shape}.ID().Keeps)
	return kept && is.LabelSelector == all.LabelSelector && is.FieldSelector == all.FieldSelector &&
		(all.Namespace == "" && len(inf.Namespaces) == 0 ||
			slices.Contains(inf.Namespaces, all.Namespace))
}

// book is what the rules of a listener remembered, and of which outputs; no Book if that is
// nothing.
type book struct {
	*rules.Book
	outputs []string
}

func (c *Checkpoint) book(l *config.Listener) book {
	b, is := c.books[l]
	saved := c.of.Rules(l.Name)
	if is || saved == nil {
		return b
	}
	compiled, _ := plan.Compile(c.cfg, c.schemas) // mistakes are said elsewhere
	for _, of := range compiled.Listeners {
		if of.Config == l {
			b.Book, b.outputs = saved.Recall(of.Rules, time.Now())
		}
	}
	c.books[l] = b
	return b
}
