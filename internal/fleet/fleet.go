package fleet

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/filewatch"
	"github.com/informerd/informerd/internal/kube"
)

// Member is a cluster. Its Options say how it is reached.
type Member struct {
	Name    string
	Labels  map[string]string
	From    string // where it is named, as in clusters.prod-eu, or Secret informerd/prod-eu
	Options kube.Options

	access [sha256.Size]byte // of all that is known of how it is reached
	of     source
}

// source is what sort of place has named a member.
type source int

const (
	ofConfiguration source = iota
	ofFolder
	ofSecret
)

// Same reports whether another member of the name is the same cluster, as far as its labels and its
// place say.
func (m *Member) Same(other *Member) bool {
	return m.From == other.From && maps.Equal(m.Labels, other.Labels)
}

// ReachedAs reports whether another member of the name is reached in the same way.
func (m *Member) ReachedAs(other *Member) bool { return m.access == other.access }

// Problem is why something is no member.
type Problem struct{ From, Text string }

// Watch finds the members of a configuration. Make one with New.
type Watch struct {
	home  *kube.Server // nil unless there are Secrets
	log   *slog.Logger
	files filewatch.Watcher
	wake  chan struct{} // has room for one

	mu  sync.Mutex // guards cfg
	cfg *config.Config

	// What follows belongs to Run.
	secrets []*secrets
	known   map[string]Member // as it was reported last
}

// New returns a watch of the members of a configuration. Home is where its Secrets are, nil if there
// can be none.
func New(cfg *config.Config, home *kube.Server, log *slog.Logger) *Watch {
	w := &Watch{home: home, log: log, wake: make(chan struct{}, 1), known: map[string]Member{}}
	w.files.Log = log
	w.Configure(cfg)
	return w
}

// Configure has the members of another configuration found from now on.
func (w *Watch) Configure(cfg *config.Config) {
	w.mu.Lock()
	w.cfg = cfg
	w.mu.Unlock()
	w.files.Set(files(cfg))
	w.Look()
}

// Look has what there is looked at once more.
func (w *Watch) Look() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// files returns the files of which clusters are, as paths and patterns.
func files(cfg *config.Config) (all []string) {
	for _, m := range cfg.Clusters {
		if m.Kubeconfig != "" {
			all = append(all, cfg.Path(m.Kubeconfig))
		}
	}
	for _, from := range cfg.ClustersFrom {
		if from.Folder != "" {
			all = append(all, pattern(cfg, from.Folder))
		}
	}
	return all
}

func pattern(cfg *config.Config, folder string) string {
	return filepath.Join(cfg.Path(folder), "*.yaml")
}

// Run calls found with all members when there is news, the first time once it knows them as far as
// that is possible at once, until ctx is done.
func (w *Watch) Run(ctx context.Context, found func(members map[string]Member, problems []Problem)) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { w.files.Run(ctx, w.Look) })
	defer w.endSecrets()
	for {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return
		}
		w.mu.Lock()
		cfg := w.cfg
		w.mu.Unlock()
		w.followSecrets(ctx, cfg)
		members, problems := w.members(cfg)
		if ctx.Err() != nil {
			return
		}
		w.known = members
		found(maps.Clone(members), problems)
	}
}

// members returns all that there are now.
func (w *Watch) members(cfg *config.Config) (map[string]Member, []Problem) {
	c := &collection{cfg: cfg, members: map[string]Member{}, unread: map[source]bool{}}
	for name, m := range document.Sorted(cfg.Clusters) {
		one := Member{Name: name, Labels: m.Labels, From: "clusters." + name,
			Options: kube.Options{Context: m.Context, InCluster: m.InCluster}}
		if m.Kubeconfig != "" {
			one.Options.Kubeconfig = cfg.Path(m.Kubeconfig)
		}
		c.add(one)
	}
	for _, from := range cfg.ClustersFrom {
		if from.Folder == "" {
			continue
		}
		if _, err := os.ReadDir(cfg.Path(from.Folder)); err != nil {
			c.unread[ofFolder] = true
			c.problems = append(c.problems, Problem{"folder " + from.Folder, document.Reason(err)})
		}
		paths, _ := filepath.Glob(pattern(cfg, from.Folder)) // one that is malformed matches nothing
		for _, path := range paths {
			c.add(Member{Name: strings.TrimSuffix(filepath.Base(path), ".yaml"), From: "file " + path,
				of: ofFolder, Options: kube.Options{Kubeconfig: path}})
		}
	}
	for _, s := range w.secrets {
		members, problems, err := s.members()
		c.unread[ofSecret] = c.unread[ofSecret] || err != nil
		if err != nil && !errors.Is(err, errUnlisted) {
			c.problems = append(c.problems, Problem{s.from(), err.Error()})
		}
		for _, m := range members {
			c.add(m)
		}
		c.problems = append(c.problems, problems...)
	}
	for name, m := range w.known {
		if _, found := c.members[name]; !found && c.unread[m.of] {
			c.members[name] = m
		}
	}
	slices.SortFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Text, b.Text))
	})
	return c.members, c.problems
}

// maxName is how long a cluster's name may be, which is a part of the names of ConfigMaps.
const maxName = 128

// collection is what was found so far.
type collection struct {
	cfg      *config.Config
	members  map[string]Member
	problems []Problem
	unread   map[source]bool // not all is known that such places name
}

// add adds a member, unless it has no name of its own.
func (c *collection) add(m Member) {
	if other, taken := c.members[m.Name]; taken {
		c.problems = append(c.problems, Problem{m.From,
			fmt.Sprintf("%s has the name %q already", other.From, m.Name)})
		return
	}
	if len(m.Name) > maxName || len(validation.NameIsDNSSubdomain(m.Name, false)) > 0 {
		c.problems = append(c.problems, Problem{m.From, fmt.Sprintf("%q cannot be a cluster's name", m.Name)})
		return
	}
	m.Options.Compression = c.cfg.Cluster.Compression
	text, _ := json.Marshal([]any{m.Options.Kubeconfig, m.Options.Context, m.Options.InCluster,
		m.Options.Text, m.Options.Compression}) // they always have a JSON form
	if m.Options.Kubeconfig != "" {
		content, err := os.ReadFile(m.Options.Kubeconfig)
		text = append(append(text, content...), fmt.Sprint(err)...)
	}
	m.access = sha256.Sum256(text)
	c.members[m.Name] = m
}
