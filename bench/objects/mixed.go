package objects

import (
	"fmt"
	"math/rand/v2"
)

// Shapes is the number of shapes of the objects of Mixed.
const Shapes = 20

// MixedAt returns a state of a custom resource of about size bytes. Its spec has one of Shapes
// shapes, each with its own members, nesting and types, as if objects of as many kinds were mixed;
// the values are the object's own. A later state differs as WidgetAt's does.
//
// They are one kind, since the cost of mixing is only visible in a single informer. There are
// resources whose objects each have their own fields: those with preserved unknown fields, such as
// workflows.
func MixedAt(seed uint64, size int, r Revision) []byte {
	members := mixedFiller.remember(seed%Shapes, size, func() int {
		for n := 0; ; n++ {
			if len(mixed(seed%Shapes, n, Revision{})) >= size {
				return n
			}
		}
	})
	return mixed(seed, members, r)
}

// mixed makes an object whose spec has so many members.
func mixed(seed uint64, members int, r Revision) []byte {
	own := rand.New(rand.NewPCG(seed, 60))
	shape := rand.New(rand.NewPCG(seed%Shapes, 61))
	w := &widget{phase: "Running", uid: uuid(own), resourceVersion: firstVersion(own),
		created: timestamp(own)}
	w.changed = w.created
	w.app, w.tier = fmt.Sprintf("step-%02d", seed%Shapes), pick(shape, tiers)
	w.name, w.namespace = w.app+"-"+uniqueSuffix(seed), pick(own, namespaces)
	w.node = nodeName(own.Uint64N(500))
	if own.IntN(8) == 0 {
		w.phase = "Failed"
	}
	w.revise(seed, r)
	spec, managed := fields{"nodeName": w.node}, fields{".": fields{}, "f:nodeName": fields{}}
	for i := range members {
		name := fmt.Sprintf("%s%02d", pick(shape, envWords), i)
		spec[name] = shaped(shape, own, 3)
		managed["f:"+name] = fields{}
	}
	return w.of(MixedKind, spec, managed)
}

// shaped generates a value: its structure from shape, which is the same for all objects of a shape,
// and its content from own.
func shaped(shape, own *rand.Rand, depth int) any {
	member := func() string { return pick(shape, products) + "_" + pick(shape, roles) }
	switch k := shape.IntN(8); {
	case k < 3 && depth > 0:
		of := fields{}
		for range 2 + shape.IntN(5) {
			of[member()] = shaped(shape, own, depth-1)
		}
		return of
	case k == 3 && depth > 0:
		list := make([]any, 1+shape.IntN(3))
		for i := range list {
			list[i] = fields{"name": fmt.Sprintf("item-%d", i),
				member(): shaped(shape, own, depth-1)}
		}
		return list
	case k == 4:
		return own.IntN(100_000)
	case k == 5:
		return own.IntN(2) == 0
	case k == 6:
		return hexDigits(own, 16)
	default:
		return fmt.Sprintf("%s %s %s", pick(own, vocabulary[:]), pick(own, vocabulary[:]),
			pick(own, envWords))
	}
}
