package eval_test

import (
	"errors"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Whatever an expression does with an object, the error that comes of it holds nothing that the
// object says: no text, no number and no name of a member.
func TestErrorsHaveNothingOfTheObject(t *testing.T) {
	const text, number = "hunter2", "4242424242"
	spelled := strings.NewReplacer("TEXT", text, "NUMBER",
		number).Replace(`{"metadata":{"name":"TEXT","namespace":"TEXT","uid":"TEXT","labels":{"app":"TEXT(","a.b/c":"TEXT["},
		"annotations":{"k":"TEXT*(","TEXT":"TEXT"},"ownerReferences":[{"kind":"TEXT","name":"TEXT"}],"creationTimestamp":"TEXT"},
		"spec":{"a":"TEXT(","b":NUMBER,"list":["TEXT[",NUMBER,{"TEXT":"TEXT"},["TEXT"]],"items":[{"a":"TEXT(","b":NUMBER},{"a":{"TEXT":NUMBER},"b":["TEXT"]},"TEXT"],"m":{"TEXT":"TEXT(","a":NUMBER}},
		"status":{"conditions":[{"type":"TEXT","status":NUMBER}],"a":["TEXT",NUMBER]},"x":{"TEXT":NUMBER}}`)
	ev := event.Event{Op: event.Update, Object: filtertest.NewObject(t, spelled),
		Old: filtertest.NewObject(t, spelled)}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	g := &generator{rand.New(rand.NewSource(seed))}
	failed := map[string]bool{}
	for i := range 2_000 {
		expression := g.expression(1+i%3, 0, 0)
		f, err := filters.Compile(lang.Expression{Text: expression, Listener: "pods"})
		if err != nil {
			continue
		}
		_, err = f.Evaluator().Match(ev)
		if err == nil {
			continue
		}
		var failure *lang.EvalError
		if message := err.Error(); !errors.As(err, &failure) || strings.Contains(message, text) ||
			strings.Contains(message, number) {
			t.Fatalf("%s: %v", expression, err)
		}
		failed[failure.Message] = true
	}
	if len(failed) < 50 {
		t.Errorf("only %d different errors: the expressions are not the right ones", len(failed))
	}
}
