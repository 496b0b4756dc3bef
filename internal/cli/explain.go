package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// explaining runs events of objects through listeners.
type explaining struct {
	listener, file, old, op string
	member                  string // of several clusters; "": cluster is explained
	server                  serverFlags
	exitCode, json          bool
	ref                     *kube.Reference // an object of the cluster; nil: those of the file

	stdin          io.Reader
	stdout, stderr io.Writer
	cfg            *config.Config
	explainer      *daemon.Explainer
	cluster        *explain.Cluster // nil: none is asked
	running        *admin.Client    // nil: none runs, or none is asked
	given          []config.Object  // of the file
	objects        int              // that were explained
	answers        []*explain.Answer
	undecided      error // of a listener whose lookups are not known
}

func newExplain(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	x := &explaining{stdin: stdin, stdout: stdout, stderr: stderr}
	format := textOrJSON()
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	cmd := &cobra.Command{
		Use:   "explain FILE LISTENER|all -f OBJECTS|KIND/NAMESPACE/NAME",
		Short: "Run one event through a listener and show what comes of it, and why",
		Long: "Run an event through the select, rules, filter, handler and outputs of a listener, and show the value of each\n" +
			"part of each expression and what the outputs would be sent. Nothing is sent.\n" +
			"The objects are YAML or JSON, as kubectl get -o yaml prints them, or one object of the cluster. Of a list, each\n" +
			"object has one line. What expressions look up is in the file as well, or in the cluster.\n" +
			"Of an object of the cluster, what the informerd that runs with the configuration remembers is shown, too.",
		Example: "  informerd explain informerd.yaml pods pod/shop/web\n" +
			"  informerd explain informerd.yaml pods -f new.yaml --old old.yaml\n" +
			"  kubectl get pods,deployments -A -o yaml | informerd explain informerd.yaml all -f -\n" +
			"  kubectl apply --dry-run=server -o yaml -f web.yaml | informerd explain informerd.yaml all -f - --exit-code",
		Args: func(_ *cobra.Command, args []string) error { return x.arguments(args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			x.json = format.json()
			if err := x.check(); err != nil {
				return err
			}
			if file.readsStdin() && x.file == "-" {
				return usage(errors.New("--config and --file cannot both be standard input"))
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			if x.cfg, err = file.load(schemas, false); err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			return x.run(ctx, schemas)
		},
	}
	file.addBefore(cmd)
	cmd.Flags().StringVarP(&x.file, "file", "f", "",
		"a file with the objects; - is standard input")
	cmd.Flags().StringVar(&x.old, "old", "", "a file with the object before an update")
	cmd.Flags().StringVar(&x.op, "op", "",
		"add, update, delete or resync; default: update with --old, else add")
	cmd.Flags().StringVar(&x.member, "cluster", "",
		"of which of several clusters the objects are")
	cmd.Flags().BoolVar(&x.exitCode, "exit-code", false,
		"exit with 1 if an object violates a rule")
	return withFlags(cmd, &x.server, &format, &fields)
}

// arguments takes the listener and the object of the cluster.
func (x *explaining) arguments(args []string) error {
	if len(args) == 0 {
		return usage(errors.New("which listener? Name one, or all"))
	}
	x.listener, args = args[0], args[1:]
	if len(args) > 1 {
		return usage(fmt.Errorf("explain takes one object, found %q as well", args[1]))
	}
	if len(args) == 1 {
		ref, ok := kube.ParseReference(args[0])
		if !ok {
			return usage(fmt.Errorf("%s is not an object: write KIND/NAMESPACE/NAME, or -f FILE",
				args[0]))
		}
		x.ref = &ref
	}
	return nil
}

func (x *explaining) check() error {
	ops := []string{"", "add", "update", "delete", "resync"}
	switch {
	case (x.ref == nil) == (x.file == ""):
		return usage(errors.New("which object? Name one of the cluster, or a file with -f"))
	case !slices.Contains(ops, x.op):
		return usage(fmt.Errorf("--op %q: it is one of%s", x.op, strings.Join(ops, " ")))
	case (x.op == "update") && x.old == "":
		return usage(errors.New("--op update needs --old FILE"))
	case x.old != "" && x.op != "update" && x.op != "":
		return usage(fmt.Errorf("--old is the object before an update, and this is --op %s", x.op))
	}
	if x.op = cmp.Or(x.op, "add"); x.old != "" {
		x.op = "update"
	}
	return nil
}

func (x *explaining) run(ctx context.Context, schemas plan.Schemas) error {
	socket := x.cfg.Path(x.cfg.State.Dir) // a dry run has no state
	if x.member != "" && x.cfg.Clusters[x.member] == nil {
		return usage(plan.UnknownCluster(x.cfg, x.member))
	}
	var err error
	if x.explainer, err = daemon.NewExplainer(ctx, x.cfg, schemas, x.member); err != nil {
		return err
	}
	defer func() { _ = x.explainer.Close(context.WithoutCancel(ctx)) }()
	listeners, err := x.listeners()
	if err != nil {
		return err
	}
	if x.ref != nil || x.server != (serverFlags{}) {
		if x.cluster, err = explain.Connect(x.cfg, x.member, x.server.kubeconfig, x.server.context, version); err != nil {
			return err
		}
		defer x.cluster.Close()
	}
	if x.ref != nil {
		err = x.ofCluster(ctx, listeners, socket)
	} else {
		err = x.ofFile(ctx, listeners)
	}
	return cmp.Or(err, x.undecided, x.write())
}

// listeners returns those that are asked.
func (x *explaining) listeners() ([]*config.Listener, error) {
	all := x.cfg.ListenersInOrder()
	if x.listener != "all" {
		all = []*config.Listener{x.cfg.Listeners[x.listener]}
		if all[0] == nil {
			return nil, usage(plan.UnknownListener(x.cfg, x.listener))
		}
	}
	all = slices.DeleteFunc(all, func(l *config.Listener) bool { return x.explainer.Listener(l.Name) == nil })
	if len(all) == 0 && x.member != "" {
		return nil, usage(fmt.Errorf("no listener that is asked watches the cluster %q", x.member))
	}
	return all, nil
}

// ofFile explains the objects of the file, and names those that no listener watches.
func (x *explaining) ofFile(ctx context.Context, listeners []*config.Listener) (err error) {
	several := false
	if x.given, several, err = config.ReadObjects(x.file, x.stdin); err != nil {
		switch {
		case !errors.Is(err, config.ErrEmptyList):
		case x.exitCode: // none of nothing violates a rule
			return nil
		default:
			return err
		}
		return inputError{err}
	}
	for i := range x.given {
		x.given[i].JSON = explain.Created(x.given[i].JSON)
	}
	if several && x.old != "" {
		return usage(fmt.Errorf("--old is for one object, and %s is a list", x.file))
	}
	for _, o := range x.given {
		watched := false
		for _, l := range listeners {
			if !explain.IsOf(o.JSON, l.Informer()) {
				continue
			}
			watched = true
			if err := x.explain(ctx, l, o, nil); err != nil {
				return err
			}
		}
		if watched {
			x.objects++
		} else if !x.isLookedUp(listeners, o) {
			fmt.Fprintf(x.stderr, "informerd: %s is not an object of %s\n", wording.Printable(o.At),
				watchedBy(listeners))
		}
	}
	if x.objects == 0 && !x.exitCode {
		return fmt.Errorf("nothing in %s is an object of %s", x.file, watchedBy(listeners))
	}
	return nil
}

// isLookedUp reports whether listeners may look an object up.
func (x *explaining) isLookedUp(listeners []*config.Listener, o config.Object) bool {
	return slices.ContainsFunc(listeners, func(l *config.Listener) bool {
		return slices.ContainsFunc(x.explainer.Listener(l.Name).Lookups(), func(name string) bool {
			return explain.IsOf(o.JSON, l.Informers()[name])
		})
	})
}

// watchedBy says what listeners watch.
func watchedBy(listeners []*config.Listener) string {
	var resources []string
	for _, l := range listeners {
		resources = append(resources, l.Informer().Resource)
	}
	slices.Sort(resources)
	return strings.Join(slices.Compact(resources), ", ")
}

// ofCluster explains an object of the cluster.
func (x *explaining) ofCluster(ctx context.Context, listeners []*config.Listener,
	socket string) error {
	if socket != "" {
		if client, err := admin.Dial(ctx, socket); err == nil {
			x.running = client
			defer client.Close()
		} else if !errors.Is(err, admin.ErrNotRunning) {
			return err
		}
	}
	for _, l := range listeners {
		o, is, err := x.cluster.Object(ctx, l.Informer(), *x.ref)
		if err != nil {
			return err
		}
		if !is {
			continue
		}
		var known *admin.Memory
		if x.running != nil {
			if known, err = x.running.Remembers(ctx, admin.ObjectOf{Cluster: x.member, Listener: l.Name,
				Namespace: x.ref.Namespace, Name: x.ref.Name}); err != nil {
				return err
			}
		}
		if err := x.explain(ctx, l, o, known); err != nil {
			return err
		}
	}
	if len(x.answers) == 0 {
		return fmt.Errorf("%s is not an object of %s", x.ref, watchedBy(listeners))
	}
	return nil
}

// explain explains one object at one listener.
func (x *explaining) explain(ctx context.Context, l *config.Listener, o config.Object,
	known *admin.Memory) error {
	e, err := x.event(l, o)
	if err != nil {
		return inputError{err}
	}
	lookups, err := x.lookups(ctx, l)
	if err != nil {
		return err
	}
	a, err := x.explainer.Explain(ctx, l.Name, lookups, e)
	if err != nil {
		return err
	}
	for name := range lookups.Missing {
		x.undecided = fmt.Errorf("listener %q looks objects up in %s: add them to %s, or pass --kubeconfig or --context",
			l.Name, name, x.file)
		return nil
	}
	if known != nil {
		a.Running = known
	}
	x.answers = append(x.answers, a)
	return nil
}

// event returns the event as the listener's informer would have it.
func (x *explaining) event(l *config.Listener, o config.Object) (e event.Event, err error) {
	if e.Object, err = explain.Parse(l.Informer(), o); err != nil {
		return e, err
	}
	e.Op, _ = event.ParseOp(x.op)
	if x.old == "" {
		return e, nil
	}
	text, err := config.ReadObject(x.old)
	if err != nil {
		return e, err
	}
	if e.Old, err = explain.Parse(l.Informer(),
		config.Object{At: x.old, JSON: explain.Created(text)}); err != nil {
		return e, err
	}
	if called(e.Old) != called(e.Object) {
		return e, fmt.Errorf("%s is %s, and the object is %s", x.old, called(e.Old), called(e.Object))
	}
	return e, nil
}

func called(o *object.Object) string { return fmt.Sprintf("%s %q", o.Kind(), o.Key()) }

// lookups returns what a listener may look up.
func (x *explaining) lookups(ctx context.Context, l *config.Listener) (*explain.Lookups, error) {
	all := explain.NewLookups()
	for _, name := range x.explainer.Listener(l.Name).Lookups() {
		inf := l.Informers()[name]
		found := slices.DeleteFunc(slices.Clone(x.given), func(o config.Object) bool {
			return !explain.IsOf(o.JSON, inf)
		})
		if len(found) == 0 && x.cluster == nil {
			continue
		}
		if len(found) == 0 {
			var err error
			if found, err = x.cluster.Everything(ctx, inf); err != nil {
				return nil, fmt.Errorf("listener %q looks objects up in %s: %w", l.Name, name, err)
			}
		}
		if err := all.Add(name, inf, found); err != nil {
			return nil, inputError{err}
		}
	}
	return all, nil
}

// write writes the answers, one in full and several as lines.
func (x *explaining) write() error {
	violated, watched := false, len(x.answers) == 0
	for _, a := range x.answers {
		violated, watched = violated || a.Violated(), watched || a.Verdict != explain.NotWatched
		var text bytes.Buffer
		var err error
		switch {
		case x.json:
			err = wording.WriteJSON(&text, a, "")
		case x.objects > 1:
			text.WriteString(wording.Printable(a.Line()) + "\n")
		default:
			err = a.Write(&text)
		}
		if known, _ := a.Running.(*admin.Memory); known != nil && !x.json {
			err = errors.Join(err, known.Write(&text))
		}
		if err != nil {
			return err
		}
		shown := text.String()
		if !x.json { // texts of the object, and of what outputs would be sent
			shown = wording.PrintableLines(shown)
		}
		if _, err := io.WriteString(x.stdout, shown); err != nil {
			return err
		}
	}
	if x.exitCode && violated || !x.exitCode && !watched {
		return errFound
	}
	return nil
}
