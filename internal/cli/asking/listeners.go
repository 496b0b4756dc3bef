package asking

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/objects"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/kinds"
)

// choose sets the listeners that are asked, and reads the files of --cache.
func (x *Asking) choose() (err error) {
	for _, name := range x.Listeners {
		l := x.cfg.Listeners[name]
		switch {
		case l == nil:
			return words.Usage(fmt.Errorf("--listener: %w", plan.UnknownListener(x.cfg, name)))
		case slices.Contains(x.listeners, l):
			return words.Usage(fmt.Errorf("--listener %s is there twice", name))
		}
		x.listeners = append(x.listeners, l)
	}
	if x.named = len(x.listeners) > 0; !x.named {
		x.listeners = x.cfg.ListenersInOrder()
	}
	if err := x.haveRules(); err != nil {
		return err
	}
	x.all, x.looksUp = x.listeners, map[string][]string{}
	for _, l := range x.listeners {
		x.looksUp[l.Name] = plan.ExpressionLookups(x.cfg, l)
	}
	if x.live != nil {
		if err := x.mayBe(); err != nil {
			return err
		}
	}
	if x.lookedUp && len(x.lookups()) == 0 {
		return words.Usage(fmt.Errorf("--kubeconfig and --context need an object of the cluster, as --object %s, or expressions that look objects up: %s is a file",
			x.example("default", "web"), x.Object))
	}
	x.cache, err = x.readCaches()
	return err
}

// haveRules leaves out the listeners that have none of the rules of --rule. Each of these must be
// one of a listener.
func (x *Asking) haveRules() error {
	if len(x.Rules) == 0 && len(x.SkipRules) == 0 {
		return nil
	}
	var known []string
	for _, l := range x.listeners {
		for _, r := range l.Rules {
			known = append(known, r.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	flag := "--rule"
	if len(x.SkipRules) > 0 {
		flag = "--skip-rule"
	}
	for _, name := range slices.Concat(x.Rules, x.SkipRules) {
		if len(known) == 0 {
			return words.Usage(fmt.Errorf("%s %s: %s no rules", flag, name, x.have()))
		}
		if !slices.Contains(known, name) {
			return words.Usage(fmt.Errorf("%s %s: %s no such rule; %s", flag, name, x.have(),
				words.Hint(name, "", known, "the rules are ")))
		}
	}
	if len(x.SkipRules) > 0 {
		x.Rules = slices.DeleteFunc(known, func(name string) bool {
			return slices.Contains(x.SkipRules, name)
		})
		if len(x.Rules) == 0 {
			return words.Usage(errors.New("--skip-rule leaves out all rules"))
		}
	}
	x.listeners = slices.DeleteFunc(x.listeners, func(l *config.Listener) bool {
		return !slices.ContainsFunc(l.Rules, func(r config.Rule) bool {
			return slices.Contains(x.Rules, r.Name)
		})
	})
	return nil
}

func (x *Asking) have() string {
	if len(x.listeners) == 1 {
		return fmt.Sprintf("the listener %q has", x.listeners[0].Name)
	}
	return "the listeners have"
}

// lookups returns the names of the informers in which the listeners' expressions look objects up.
func (x *Asking) lookups() (names []string) {
	for _, l := range x.listeners {
		names = append(names, x.looksUp[l.Name]...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// lookers returns, behind a semicolon, which listeners look objects up in informers of some kind,
// "" if none does: something comes of a change of one, but of other objects.
func (x *Asking) lookers(are func(*config.Informer) bool) string {
	var names []string
	for _, l := range x.all {
		if slices.ContainsFunc(x.looksUp[l.Name], func(name string) bool {
			return are(l.Informers()[name])
		}) {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	about := x.cfg.Listeners[names[0]].Informer().Resource
	return fmt.Sprintf("; %s looks such objects up, and sees a change of one within 1m: explain the %s that it is about, with --apply and both in the file",
		strings.Join(names[:min(len(names), maxNamed)], ", "), about)
}

// needsLookups reports whether something is looked up that is not given.
func (x *Asking) needsLookups() bool {
	return slices.ContainsFunc(x.lookups(), func(name string) bool {
		_, given := x.cache[name]
		return !given
	})
}

// textsOfCluster reports whether the objects are texts of some cluster, and the configuration says
// which one it has.
func (x *Asking) textsOfCluster() bool {
	return x.cfg.Cluster.Kubeconfig != "" &&
		slices.ContainsFunc(x.questions, func(q plan.Question) bool {
			return metadataOf(q.Object.JSON).UID != ""
		})
}

// readCaches reads the files of --cache, by the names of informers.
func (x *Asking) readCaches() (map[string][]plan.ObjectFile, error) {
	names := x.lookups()
	of := "the listeners"
	if len(x.listeners) == 1 {
		of = fmt.Sprintf("the listener %q", x.listeners[0].Name)
	}
	all := map[string][]plan.ObjectFile{}
	for _, text := range x.Caches {
		name, path, ok := strings.Cut(text, "=")
		switch {
		case !ok || name == "" || path == "":
			return nil, words.Usage(fmt.Errorf("--cache %q: write it as NAME=FILE", text))
		case len(names) == 0:
			return nil, words.Usage(fmt.Errorf("--cache %s: the expressions of %s look nothing up",
				text, of))
		case !slices.Contains(names, name):
			return nil, words.Usage(fmt.Errorf("--cache %s: the expressions of %s look objects up in %s",
				text, of, strings.Join(names, ", ")))
		case path == "-":
			return nil, words.Usage(fmt.Errorf("--cache %s: it cannot be standard input", text))
		}
		found, _, err := objects.All(path, nil)
		var empty *objects.EmptyError
		if err != nil && !errors.As(err, &empty) {
			return nil, invalid(err)
		}
		files := all[name]
		for _, o := range found {
			inNamespace, _ := x.creation(x.Namespace == "").Of(o.JSON)
			files = append(files, plan.ObjectFile{Path: o.At,
				JSON: inNamespace})
		}
		all[name] = files // an empty cache is one, too
	}
	return all, nil
}

// mayBe leaves out the listeners that cannot be for an object of the cluster, and returns an error
// if none is left.
func (x *Asking) mayBe() error {
	may := slices.DeleteFunc(slices.Clone(x.listeners), func(l *config.Listener) bool {
		return !plan.MayWatch(l.Informer(), x.live.Resource)
	})
	if len(may) == 0 && !kinds.Known(x.live.Resource) {
		return words.Usage(x.noKind())
	}
	if len(may) == 0 && !x.named {
		hint := x.podsOf()
		if hint != "" {
			hint = "; " + hint
		}
		hint += x.lookers(func(inf *config.Informer) bool {
			return plan.MayWatch(inf, x.live.Resource)
		})
		return fmt.Errorf("%s: no listener is for %s; %s%s", x.live, x.live.Resource, x.watched(), hint)
	}
	if !x.named {
		x.listeners = may
	}
	return nil
}

// noKind returns the error of an object of the cluster without its kind.
func (x *Asking) noKind() error {
	if x.live.Namespace == "" {
		return fmt.Errorf("--object %s: no listener watches a kind %q; an object of the cluster is KIND/NAMESPACE/NAME, as --object %s",
			x.Object, x.live.Resource, x.example(x.live.Resource, x.live.Name))
	}
	return fmt.Errorf("--object %s: no listener watches a kind %q; an object of the cluster is KIND/NAMESPACE/NAME, as --object %s",
		x.Object, x.live.Resource, x.example(x.live.Namespace, x.live.Name))
}

// noFile adds to the error of a file that is not there how an object of the cluster is written.
func (x *Asking) noFile(err error) error {
	if _, there := os.Lstat(x.Object); !errors.Is(there, fs.ErrNotExist) || x.Object == "-" ||
		strings.ContainsAny(x.Object, "./") {
		return err
	}
	return fmt.Errorf("%w; an object of the cluster has its kind and namespace in front, as --object %s",
		err, x.example("default", x.Object))
}

// example returns how objects of the listeners' kinds are written: those of up to three kinds.
func (x *Asking) example(namespace, name string) string {
	const shown = 3
	var all []string
	for _, l := range x.listeners {
		kind, inNamespace := kinds.Word(l.Informer().Resource)
		text := kind + "/" + name
		if inNamespace {
			text = kind + "/" + namespace + "/" + name
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) > shown {
		all = append(all[:shown], "…")
	}
	return strings.Join(all, ", ")
}

// watched returns what the listeners watch, in words.
func (x *Asking) watched() string {
	var all []string
	for _, l := range x.listeners {
		all = append(all, l.Informer().Resource)
	}
	slices.Sort(all)
	return "the listeners watch " + strings.Join(slices.Compact(all), ", ")
}

// source returns where an object is, for a command that reads it again.
func (x *Asking) source(at string) answer.Source {
	switch {
	case x.live != nil:
		get := "kubectl get " + x.live.Resource + " " + x.live.Name
		if x.live.Namespace != "" {
			get += " -n " + x.live.Namespace
		}
		if c := x.Connect.Context; c != "" {
			get += " --context " + answer.Word(c)
		}
		if k := x.Connect.Kubeconfig; k != "" {
			get += " --kubeconfig " + answer.Word(k)
		}
		return answer.Source{File: x.live.Name + ".json", Get: get + " -o json", Old: x.Old}
	case at == x.Object:
		return answer.Source{File: at, Old: x.Old}
	}
	return answer.Source{Old: x.Old} // one of several, or standard input
}
