package asking

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
)

// identity is what an object is, as far as it can be read.
type identity struct{ path, kind, name, hint, lookers string }

func identityOf(f plan.ObjectFile) identity {
	var o struct {
		Kind     string
		Metadata struct{ Namespace, Name string }
	}
	if json.Unmarshal(f.JSON, &o) != nil || o.Kind == "" {
		return identity{path: f.Path, kind: "object without a kind"}
	}
	at := answer.Object{Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}
	return identity{path: f.Path, kind: o.Kind, name: at.Key(), hint: f.KindHint()}
}

// maxSkipped is how many objects are named that no listener is for, and how many errors. Of objects
// outside of what is watched, which a list has by the hundred, a few are enough.
const (
	maxSkipped = 10
	maxOutside = 3
)

// writeSkipped says which objects were not explained. If that is all of them, it is an error.
func (x *Asking) writeSkipped() {
	who := "no listener is for"
	if x.named && len(x.listeners) == 1 {
		who = fmt.Sprintf("the listener %q is not for", x.listeners[0].Name)
	}
	// To CI, a file that is nobody's is none that violates a rule, unless a kind is mistaken.
	fails := x.answered == 0 && (!x.Violated || x.named || slices.ContainsFunc(x.skipped,
		func(o identity) bool { return o.hint != "" }))
	say := func(text string) {
		text = words.Plain(text)
		if fails {
			x.failed(errors.New(text))
			return
		}
		fmt.Fprintf(x.Stderr, "informerd: %s\n", text)
	}
	for i, o := range x.skipped {
		hint, last := "", i == len(x.skipped)-1
		more := i == maxSkipped && !last
		if x.answered == 0 {
			hint = o.lookers
			if last || more {
				hint = "; " + x.watched() + hint
			}
		}
		if more {
			say(fmt.Sprintf("%s %d more objects%s", who, len(x.skipped)-maxSkipped, hint))
			return
		}
		if o.hint != "" {
			hint += "; " + o.hint
		}
		say(fmt.Sprintf("%s: %s %s%s", o.path, who, strings.TrimSpace(o.kind+" "+o.name), hint))
	}
}
