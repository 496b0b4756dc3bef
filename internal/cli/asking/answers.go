package asking

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/changes"
	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/objects"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/lookedup"
	"github.com/informerd/informerd/internal/plan/scope"
	"github.com/informerd/informerd/internal/recalled"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Asking asks listeners about objects, and writes the answers.
type Asking struct {
	Options
	Streams
	cfg       *config.Config
	schemas   plan.Schemas
	questions []plan.Question

	listeners []*config.Listener // that are asked
	all       []*config.Listener // with those that cannot be for the object of the cluster
	named     bool               // by --listener
	looksUp   map[string][]string
	cache     map[string][]plan.ObjectFile
	cluster   *live.Cluster        // nil: no cluster is asked
	running   *admin.Client        // nil: no running informerd is asked
	recalled  *recalled.Checkpoint // the checkpoint, if none runs; nil: none is read
	templates map[string][]byte    // what has the templates of pods, by their paths
	refused   map[string]bool      // objects, by their paths, that no server takes
	tried     map[string]tried     // what the server made of objects
	// afterwards is what informers have once the objects of the file are applied.
	afterwards map[*config.Informer][]plan.ObjectFile
	kept       lookedup.Kept
	makes      map[*config.Informer]bool // pods are among these that controllers make of the file
	// unasked is why no running informerd is asked, where one might be; else "".
	unasked string

	many     bool             // there are several objects
	answers  []*answer.Answer // whose texts are written last
	lines    answer.Summaries
	answered int
	skipped  []identity // objects of kinds that no listener watches
	errs     []error
	outside  []error         // of objects that informers do not watch
	violated bool            // a rule is, or that cannot be told
	untaken  bool            // a server refuses an object
	watches  bool            // a listener gets an event of one of the objects
	seen     map[string]bool // errors
}

// New returns what asks the listeners of a configuration. The options are checked. It reads the
// objects of files.
func New(options Options, cfg *config.Config, schemas plan.Schemas, streams Streams) (
	*Asking, error) {
	x := &Asking{Options: options, Streams: streams, cfg: cfg, schemas: schemas,
		seen: map[string]bool{}, templates: map[string][]byte{}, refused: map[string]bool{},
		tried:      map[string]tried{},
		afterwards: map[*config.Informer][]plan.ObjectFile{}, makes: map[*config.Informer]bool{}}
	if err := x.choose(); err != nil {
		return nil, err
	}
	x.Pods = x.Pods || x.wantsPods()
	if err := x.read(); err != nil {
		return nil, err
	}
	x.many = len(x.questions) > 1
	x.lines.Several = len(x.listeners) > 1 || !x.named
	x.lines.OnlyComing = x.OnlyComing
	return x, nil
}

// Run asks each listener about each object. An error about one does not keep the others from being
// explained.
func (x *Asking) Run(ctx context.Context) error {
	if len(x.questions) == 0 {
		return nil
	}
	defer x.findRunning(ctx)()
	if x.OfCluster() || x.lookedUp ||
		x.needsLookups() && (x.running != nil || x.textsOfCluster()) {
		c, err := live.Connect(x.cfg, x.Connect)
		if err != nil {
			return inFront(x.questions[0].Object.Path, err)
		}
		defer c.Close()
		x.cluster = c
	}
	for _, q := range x.questions {
		if err := x.ask(ctx, q); err != nil {
			return err
		}
	}
	if err := x.writeHeld(); err != nil {
		return err
	}
	x.writeSkipped()
	if hint := x.podsOf(); hint != "" && x.live == nil && x.op != event.Delete {
		fmt.Fprintf(x.Stderr, "informerd: %s\n", words.Plain(hint))
	}
	if _, mistakes := plan.Compile(x.cfg, x.schemas); len(mistakes) > 0 {
		fmt.Fprintf(x.Stderr, "informerd: the configuration has mistakes elsewhere, and informerd run refuses it: see informerd validate %s\n",
			words.Plain(x.cfg.File()))
	}
	errs := few(x.errs, maxSkipped, "%d more errors like these")
	outside := few(x.outside, maxOutside, "… and %d more that are not watched")
	if x.watches || x.Violated { // else it is all that can be said
		for _, err := range outside {
			fmt.Fprintf(x.Stderr, "informerd: %s\n", words.Plain(err.Error()))
		}
		outside = nil
	}
	errs = append(errs, outside...)
	if x.Violated && x.untaken && !x.violated && len(errs) == 0 {
		fmt.Fprintln(x.Stderr, "informerd: no rule is violated, but no API server takes the object as it is, as the notes say: exit code 1")
	}
	if len(errs) == 0 && x.Violated && (x.violated || x.untaken) {
		return ErrViolated
	}
	return errors.Join(errs...)
}

// ErrViolated is the error if an object violates a rule and Violated is set. The answers say which.
var ErrViolated = errors.New("a rule is violated")

// invalid returns the error of a file of objects that cannot be read, or has none.
// An empty list is one that has been read.
func invalid(err error) error {
	var empty *objects.EmptyError
	if errors.As(err, &empty) {
		return err
	}
	return words.InputError{Err: err}
}

// few returns up to a number of errors, and one that counts the others.
func few(errs []error, limit int, others string) []error {
	if more := len(errs) - limit; more > 1 {
		errs = append(errs[:limit:limit], fmt.Errorf(others, more))
	}
	return errs
}

// inFront puts the object in front of an error, but for mistakes, which have a place.
func inFront(path string, err error) error {
	var mistakes config.Errors
	if errors.As(err, &mistakes) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// ask asks each listener about an object. The error is about the configuration.
func (x *Asking) ask(ctx context.Context, q plan.Question) error {
	var wrong, others []error
	watched := false
	for _, l := range x.listeners {
		a, err := x.answer(ctx, l, q)
		var mistakes config.Errors
		var kind *kinds.WrongError
		var unwatched *scope.UnwatchedError
		switch {
		case errors.As(err, &mistakes):
			return err
		case errors.As(err, &kind):
			wrong = append(wrong, err)
			continue
		case errors.As(err, &unwatched):
			others = append(others, err)
		case err != nil:
			x.failed(err)
			watched = true
		default:
			watched = true
		}
		if a != nil {
			x.answered++
			x.violated = x.violated || a.Violates()
			x.untaken = x.untaken || x.refused[q.Object.Path]
			if err := x.write(a); err != nil {
				return err
			}
		}
	}
	x.watches = x.watches || watched
	if len(others) > 0 && (x.named || !watched) {
		x.outside = x.fresh(x.outside, others)
	}
	switch {
	case len(wrong) < len(x.listeners) || x.Pods && makesPod(q):
	case x.live != nil || len(x.listeners) == 1 && x.named && !x.many:
		x.failed(wrong...)
	default:
		skipped := identityOf(q.Object)
		skipped.lookers = x.lookers(q.Object.IsOf)
		x.skipped = append(x.skipped, skipped)
	}
	return nil
}

// answer asks one listener.
func (x *Asking) answer(ctx context.Context, l *config.Listener, q plan.Question) (
	_ *answer.Answer, err error) {
	q.Lookups = map[string][]plan.ObjectFile{}
	for _, name := range x.looksUp[l.Name] {
		if given, ok := x.cache[name]; ok {
			q.Lookups[name] = given
		}
	}
	if x.live != nil {
		if q.Object.JSON, err = x.cluster.Object(ctx, l, *x.live); err != nil {
			return nil, x.hinted(err)
		}
	} else if !x.named && !q.IsOf(l) {
		return nil, &kinds.WrongError{Path: q.Object.Path, Listener: l.Name}
	}
	if x.Apply {
		if q, err = x.applied(ctx, l, q); err != nil {
			return nil, err
		}
	}
	if key, ok := x.remembersBy(q); ok {
		q.Running, q.Unasked = x.remembered(ctx, l, key), x.unasked
		q.Supposed = q.Supposed || q.Running != nil && q.Op == event.Add
		q.Lists = q.Running != nil && q.Running.Lists
		q = sinceCheckpoint(q)
		if r := q.Running; r != nil && r.Fixed != nil {
			for _, mistake := range changes.Refused(*r.Fixed, x.cfg) {
				q.Restart = append(q.Restart, mistake.Field)
			}
			q.GoesOn = changes.GoesOn(*r.Fixed, x.cfg, l)
			q.Lists = changes.Lists(*r.Fixed, l, key.Namespace)
		}
	}
	if x.cluster != nil {
		if q.Lookups, err = x.cluster.Lookups(ctx, l, q.Lookups); err != nil {
			return nil, inFront(q.Object.Path, err)
		}
		if x.live == nil && x.Old == "" { // an object before an update is one of another time
			made := false
			if q.Lookups, made = x.withFile(ctx, l, q.Lookups); made {
				q.Notes = append(q.Notes, makes)
			}
		}
	}
	q.Kept = &x.kept // the lookups of an informer are the same for all objects
	a, err := plan.Answer(x.cfg, x.schemas, l.Name, q)
	var undecided *lookedup.UndecidedError
	if errors.As(err, &undecided) && x.Object != "-" {
		for _, name := range undecided.Informers {
			if slices.ContainsFunc(x.questions, func(other plan.Question) bool {
				return other.Object.IsOf(l.Informers()[name])
			}) {
				err = fmt.Errorf("%w; %s has some: --cache %s=%s takes these for all", err, x.Object, name,
					x.Object)
			}
		}
	}
	if a == nil && err != nil && !isAnswer(err) {
		err = invalid(err)
	}
	return a, err
}

// sinceCheckpoint makes of a question about an object, of which the checkpoint has another state,
// the one about the update that a restart brings.
func sinceCheckpoint(q plan.Question) plan.Question {
	r := q.Running
	if r == nil || r.Last == nil || r.Lists || !q.Supposed || q.Looked {
		return q
	}
	was, is := metadataOf(r.Last), metadataOf(q.Object.JSON)
	if was.UID == is.UID && was.ResourceVersion != is.ResourceVersion {
		q.Supposed, q.Op = false, event.Update
		q.Old = plan.ObjectFile{Path: "the checkpoint", JSON: r.Last}
	}
	return q
}

// isAnswer reports whether an error says what becomes of an object, or that the configuration is
// wrong, and not that the object is.
func isAnswer(err error) bool {
	var mistakes config.Errors
	var kind *kinds.WrongError
	return errors.As(err, &mistakes) || errors.As(err, &kind)
}

// hinted adds to an error about an object of the cluster how one is written, if its kind may be
// something else.
func (x *Asking) hinted(err error) error {
	var kind *kinds.WrongError
	if x.live.Namespace != "" || kinds.Known(x.live.Resource) || errors.As(err, &kind) {
		return err
	}
	return fmt.Errorf("%w; if %s is a namespace: an object of the cluster is KIND/NAMESPACE/NAME, as --object %s",
		err, x.live.Resource, x.example(x.live.Resource, x.live.Name))
}

// failed notes errors, each once.
func (x *Asking) failed(errs ...error) { x.errs = x.fresh(x.errs, errs) }

// fresh adds errors that were not there before.
func (x *Asking) fresh(to, errs []error) []error {
	for _, err := range errs {
		if !x.seen[err.Error()] {
			to = append(to, err)
		}
		x.seen[err.Error()] = true
	}
	return to
}

// write writes an answer as JSON. Texts wait until all of them are known, since what becomes of the
// events comes first.
func (x *Asking) write(a *answer.Answer) error {
	if x.OnlyComing {
		a.OnlyComing()
	}
	switch {
	case x.JSON && x.OnlyComing && a.Comes() == answer.Nothing:
		return nil
	case x.JSON:
		var line bytes.Buffer
		if err := a.WriteJSON(&line); err != nil {
			return err
		}
		_, err := io.WriteString(x.Stdout, words.JSON(line.String()))
		return err
	case !x.Summary:
		x.answers = append(x.answers, a)
	}
	x.lines.Add(a)
	return nil
}

func (x *Asking) writeHeld() error {
	nothing := func(a *answer.Answer) bool { return a.Comes() == answer.Nothing }
	if len(x.answers) == 1 && !(x.OnlyComing && nothing(x.answers[0])) {
		return x.answers[0].Write(x.Stdout)
	}
	text := x.lines.String()
	if x.Summary { // else they are below
		text += x.lines.Notes()
	}
	if _, err := io.WriteString(x.Stdout, text); err != nil {
		return err
	}
	noted := map[string]bool{}
	for _, a := range x.answers {
		if x.lines.Counts() && (x.OnlyComing || !x.lines.All()) && nothing(a) {
			continue
		}
		if _, err := fmt.Fprintln(x.Stdout); err != nil {
			return err
		}
		if err := a.WriteBelow(x.Stdout, noted); err != nil {
			return err
		}
	}
	return nil
}
