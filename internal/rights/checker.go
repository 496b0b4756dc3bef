package rights

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink/kubeapi"
	"github.com/informerd/informerd/pkg/informer"
)

// Asker asks an API server whether the account has a right.
type Asker interface {
	Allowed(ctx context.Context, right kube.Right) (bool, error)
}

// Checker knows which of the rights that listeners need the account lacks. It asks for each right
// once, and again as soon as the API server has refused something; for one that is missing again
// and again, until it is granted. Make one with NewChecker.
type Checker struct {
	asker Asker
	log   *slog.Logger
	wake  chan struct{} // has room for one

	mu     sync.Mutex // guards what follows
	needs  map[string][]Need
	states map[kube.Right]*state
}

// state is what is known of a right.
type state struct {
	missing bool
	due     bool // it is to be asked for
	known   bool // it was asked for, even if there was no answer
	failed  bool // there was no answer
}

const (
	// askAgain is after how long a missing right is asked for again.
	askAgain = kubeapi.RightDelay
	// askTime bounds a request.
	askTime = 20 * time.Second
)

// askDelays are the delays after requests that were not answered.
var askDelays = backoff.Backoff{Min: askAgain, Max: time.Minute}

// NewChecker returns a checker that asks for nothing yet.
func NewChecker(asker Asker, log *slog.Logger) *Checker {
	return &Checker{asker: asker, log: log, wake: make(chan struct{}, 1),
		needs: map[string][]Need{}, states: map[kube.Right]*state{}}
}

// Need sets what a listener needs, instead of what it has needed before. Without a name it is what
// all of them need.
func (c *Checker) Need(listener string, needs []Need) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(needs) == 0 {
		delete(c.needs, listener)
	} else {
		c.needs[listener] = needs
	}
	wanted := map[kube.Right]*state{}
	for _, list := range c.needs {
		for _, n := range list {
			if known := c.states[n.Right]; known != nil {
				wanted[n.Right] = known
			} else if wanted[n.Right] == nil {
				wanted[n.Right] = &state{due: true}
			}
		}
	}
	c.states = wanted
	c.wakeUp()
}

func (c *Checker) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Lacks returns a text for each rule that a listener lacks, and whether some rights have not been
// asked for so far. What the server cannot be asked for is not lacking.
func (c *Checker) Lacks(listener string) (texts []string, asking bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var missing []Need
	for _, name := range []string{"", listener} {
		for _, n := range c.needs[name] {
			s := c.states[n.Right]
			if s.missing {
				missing = append(missing, n)
			}
			asking = asking || !s.known
		}
	}
	for _, s := range Merge(missing) {
		for _, r := range s.Rules {
			texts = append(texts, fmt.Sprintf("a right is missing, for %s; %s", Some(r.For),
				ruleOf(s.Namespace, r)))
		}
	}
	return texts, asking
}

// ruleOf returns a rule with its place.
func ruleOf(namespace string, r Rule) string {
	return roleOf(namespace) + " needs the rule - " + r.String()
}

func roleOf(namespace string) string {
	if namespace == "" {
		return "a ClusterRole"
	}
	return "a Role in " + namespace
}

// Refused notes that the API server has refused what an informer asked for. It may be set as
// informer.Factory's OnError.
func (c *Checker) Refused(r informer.Resource, scope informer.Scope, err error) {
	if apierrors.IsForbidden(err) {
		c.suspect(kube.Right{Resource: kube.Resource{GVR: r.GroupVersionResource},
			Namespace: scope.Namespace})
	}
}

// suspect has the rights asked for that a request may need, and returns them. Without a verb it may
// be any.
func (c *Checker) suspect(asked kube.Right) (all []kube.Right) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for right, s := range c.states {
		if !covers(right, asked) {
			continue
		}
		all = append(all, right)
		if !s.missing {
			s.due = true
			c.wakeUp()
		}
	}
	return all
}

// covers reports whether a right is about what a request asks for.
func covers(right, asked kube.Right) bool {
	return right.Resource.GVR.GroupResource() == asked.Resource.GVR.GroupResource() &&
		(right.Namespace == "" || right.Namespace == asked.Namespace) &&
		(right.Name == "" || asked.Name == "" || right.Name == asked.Name) &&
		(asked.Verb == "" || right.Verb == asked.Verb)
}

// Run asks until ctx is done.
func (c *Checker) Run(ctx context.Context) {
	for failures := 0; ; {
		err := c.round(ctx)
		if ctx.Err() != nil {
			return
		}
		var over <-chan time.Time
		switch {
		case err != nil:
			if failures++; failures == 1 && apierrors.IsForbidden(err) {
				c.log.Warn("may not ask for rights: the ClusterRole system:basic-user allows it",
					"error", err)
			}
			c.log.Debug("cannot ask whether rights are granted, will try again", "error", err)
			over = time.After(askDelays.Delay(failures))
		case c.anyMissing():
			failures, over = 0, time.After(askAgain)
		default:
			failures = 0
		}
		select {
		case <-c.wake:
		case <-over:
			c.repeat()
		case <-ctx.Done():
			return
		}
	}
}

func (c *Checker) anyMissing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.states {
		if s.missing {
			return true
		}
	}
	return false
}

// repeat has the rights asked for again that were missing, or that could not be asked for.
func (c *Checker) repeat() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.states {
		s.due = s.due || s.missing || s.failed
	}
}

// round asks for each right that is due. The error is that of the last one that was not answered;
// after a few of them in a row it asks for no more.
func (c *Checker) round(ctx context.Context) (last error) {
	const most = 3
	failed := 0
	var missing, granted []kube.Right
	for _, right := range c.dueRights() {
		allowed, err := c.ask(ctx, right)
		if ctx.Err() != nil {
			break
		}
		if c.answered(right, allowed, err) {
			if allowed {
				granted = append(granted, right)
			} else {
				missing = append(missing, right)
			}
		}
		if err == nil {
			failed = 0
			continue
		}
		last = err
		if failed++; failed == most {
			c.giveUp()
			break
		}
	}
	c.report(slog.LevelError, "a right is missing; it is asked for until it is granted", missing)
	c.report(slog.LevelInfo, "a right that was missing is granted", granted)
	return last
}

// giveUp notes that the rights that are due cannot be asked for at present.
func (c *Checker) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.states {
		s.known = s.known || s.due
	}
}

func (c *Checker) dueRights() (due []kube.Right) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for right, s := range c.states {
		if s.due {
			due = append(due, right)
		}
	}
	return due
}

func (c *Checker) ask(ctx context.Context, right kube.Right) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return c.asker.Allowed(ctx, right)
}

// answered notes an answer, and reports whether it is another one than before.
func (c *Checker) answered(right kube.Right, allowed bool, err error) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.states[right]
	if s == nil {
		return false // nobody needs it any more
	}
	if s.due, s.known, s.failed = false, true, err != nil; err != nil {
		return false
	}
	changed = s.missing == allowed
	s.missing = !allowed
	return changed
}

// report logs the rules for rights, with who needs them.
func (c *Checker) report(level slog.Level, text string, rights []kube.Right) {
	is := map[kube.Right]bool{}
	for _, right := range rights {
		is[right] = true
	}
	var concerned []Need
	c.mu.Lock()
	for _, needs := range c.needs {
		for _, n := range needs {
			if is[n.Right] {
				concerned = append(concerned, n)
			}
		}
	}
	c.mu.Unlock()
	for _, s := range Merge(concerned) {
		for _, r := range s.Rules {
			c.log.Log(context.Background(), level, text, "for", Some(r.For), "in",
				roleOf(s.Namespace), "rule", "- "+r.String())
		}
	}
}

// Guard returns an API whose errors say whether a right is missing, as a kubeapi.RightError.
func (c *Checker) Guard(api kubeapi.API) kubeapi.API { return guard{api, c} }

type guard struct {
	kubeapi.API
	checker *Checker
}

var verbOf = map[string]string{"GET": "get", "POST": "create", "PATCH": "patch"}

// Do implements kubeapi.API.
func (g guard) Do(ctx context.Context, r kubeapi.Request) ([]byte, error) {
	answer, err := g.API.Do(ctx, r)
	if !apierrors.IsForbidden(err) {
		return answer, err
	}
	right := kube.Right{Resource: named(r.Group, r.Version, r.Resource), Namespace: r.Namespace,
		Name: r.Name, Verb: verbOf[r.Method]}
	allowed, askErr := g.checker.ask(ctx, right)
	if allowed || askErr != nil {
		return answer, err // it is refused for another reason, or nobody knows
	}
	needed := g.checker.suspect(right)
	if len(needed) == 0 { // by a listener that has gone meanwhile
		right.Name = ""
		needed = []kube.Right{right}
	}
	whole := Merge(needs(needed))[0]
	return answer, &kubeapi.RightError{Err: err, Missing: ruleOf(whole.Namespace, whole.Rules[0])}
}
