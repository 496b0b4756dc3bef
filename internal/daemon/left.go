package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer"
)

// retireLeft ends the listeners that were there before the restart and are not in the configuration
// any more, as a reload does that removes them: what they had not sent is sent, and their open
// violations end, at those of their outputs that there still are. What they had not judged is
// forgotten. The informers must not have begun.
func (s *shard) retireLeft(ctx context.Context) {
	if s.keeper == nil {
		return
	}
	for _, name := range s.keeper.Listeners() {
		if s.named(name) != nil {
			continue
		}
		if err := s.retireOne(ctx, name); err != nil {
			s.keeper.ForgetWith(err, name)
		}
	}
}

func (s *shard) retireOne(ctx context.Context, name string) error {
	had := s.keeper.Listener(name)
	had.Select = "" // nothing is selected any more
	p, err := planLeft(name, had.Resource, slices.DeleteFunc(had.Route.Outputs(),
		func(output string) bool { return s.outputs[output] == nil }))
	if err != nil {
		return err
	}
	made, _ := s.newSetup(ctx, p.Config, p.Listeners[0], making{outputs: s.outputs}) // without a handler nothing is wrong
	is := had.Resource
	messages, err := s.messages(name, is)
	if err != nil {
		return err
	}
	made.bound.Store(&binding{messages: messages})
	l, err := s.listenerOf(made, s.keeper, s.place())
	if err == nil {
		_, err = l.use(s.keeper)
	}
	if err != nil {
		return err
	}
	l.had, l.was = s.keeper.Objects(name), is
	s.keeper.Bound(name) // or others would begin with objects that are kept for nobody
	l.life, l.leave = context.WithCancel(ctx)
	close(l.loaded)
	made.hold()
	s.mu.Lock()
	s.leaving = append(s.leaving, l)
	s.mu.Unlock()
	s.left.note(l)
	s.task(l, func() { _ = l.route.Run(context.WithoutCancel(ctx)) }) // until it is drained
	s.retire(ctx, l)
	return nil
}

// planLeft returns the plan of a configuration that has nothing but what is needed to retire a
// listener.
func planLeft(name string, is informer.Resource, outputs []string) (*plan.Plan, error) {
	if len(outputs) == 0 || is.Resource == "" {
		return nil, errors.New("no output of the listener is there any more, or nobody knows what it was about")
	}
	none := map[string]any{}
	for _, output := range outputs {
		none[output] = map[string]any{"stdout": map[string]any{}}
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": config.APIVersion, "kind": config.Kind, "outputs": none, "state": map[string]any{"dir": "/"},
		"listeners": map[string]any{name: map[string]any{"informer": map[string]any{"resource": is.String()},
			"outputs": outputs, "checkpoint": true}}})
	if err != nil {
		return nil, err
	}
	cfg, err := config.Parse("", text)
	if err != nil {
		return nil, err
	}
	p, mistakes := plan.Compile(cfg, nil)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return p, nil
}
