package config

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

const (
	// maxPolicies is how many policy files a configuration may have.
	maxPolicies = 1000
	// maxPolicyBytes and maxPolicyNodes bound what all of them may hold together, since a pattern
	// may match anything.
	maxPolicyBytes = 16 << 20
	maxPolicyNodes = 500_000
)

// policyFile is one file that the policies of a configuration name.
type policyFile struct {
	*document.Report
	entry     int     // of Config.Policies
	policy    *Policy // nil if the text could not be read
	listener  string  // its name, empty if it has none that is valid and free
	informers []placedInformer
}

// policySet reads the policy files of a configuration.
type policySet struct {
	config *Config
	report *document.Report // about the configuration
	disk   files

	loaded       []*policyFile
	entries      map[string]int    // of each file
	names        map[string]string // of each listener, and what has the name
	bytes, nodes int
}

// loadPolicies reads the policy files that the configuration names and adds their listeners to it.
// What is wrong with them is in their reports, what is wrong with the entries in that of the
// configuration.
func loadPolicies(c *Config, r *document.Report, disk files) *policySet {
	s := &policySet{config: c, report: r, disk: disk, entries: map[string]int{},
		names: map[string]string{}}
	for name := range c.Listeners {
		file, _ := r.Located(r.Key(document.Join("listeners", name)))
		s.names[name] = "a listener in " + document.Shown(file)
	}
	for i := range c.Policies {
		if r.Good(entryFiles(i)) && !s.readEntry(i) {
			break
		}
	}
	return s
}

func entryFiles(i int) string { return document.Join(document.Item("policies", i), "files") }

// readEntry reads the files of one entry. It reports whether there is room for more.
func (s *policySet) readEntry(i int) (room bool) {
	field, pattern := entryFiles(i), s.config.Policies[i].Files
	whole := relativeTo(filepath.Dir(s.report.File()), pattern)
	paths, err := s.disk.glob(whole)
	switch {
	case err != nil:
		s.cannotRead(field, err)
	case isFolderAt(whole):
		paths = nil
		s.report.BadValue(field,
			"%s must be the path of a file or a pattern, is the folder %s", field,
			document.Quote(pattern))
	case len(paths) == 0:
		s.report.BadValue(field, "%s matches no file: %s", field, document.Quote(pattern))
	case len(s.loaded)+len(paths) > maxPolicies:
		s.report.BadValue(field,
			"%s matches %d files, which makes %d policies; there may be %d",
			field, len(paths), len(s.loaded)+len(paths), maxPolicies)
		return false
	}
	for _, file := range paths {
		if before, twice := s.entries[file]; twice {
			s.report.BadValue(field, "%s matches %s, as %s does", field,
				document.Shown(file), entryFiles(before))
			continue
		}
		s.entries[file] = i
		p := s.readFile(file, i)
		p.Trim()
		s.loaded = append(s.loaded, p)
		switch {
		case s.bytes > maxPolicyBytes:
			s.report.BadValue(field,
				"%s: the policies up to %s are larger than %d bytes together",
				field, document.Shown(file), maxPolicyBytes)
			return false
		case s.nodes > maxPolicyNodes:
			s.report.BadValue(field,
				"%s: the policies up to %s have more than %d values together",
				field, document.Shown(file), maxPolicyNodes)
			return false
		}
	}
	return true
}

func (s *policySet) cannotRead(field string, err error) {
	var at *fs.PathError
	if errors.As(err, &at) {
		s.report.BadValue(field, "%s: %s cannot be read: %s", field, document.Shown(at.Path),
			at.Err)
		return
	}
	s.report.BadValue(field, "%s: %s", field, document.Printable(err))
}

// header finds what a file begins with that says what it is. Mistakes quote what is in a file, and a
// pattern may match any file of the machine.
var header = regexp.MustCompile(`(?m)^[\s"'{]*apiVersion["']?\s*:|informerd\.dev/`)

// readFile reads one file, as strictly as the configuration, and adds its listener.
func (s *policySet) readFile(file string, entry int) *policyFile {
	p := &policyFile{Report: document.NewReport(policy, file), entry: entry}
	data, err := s.disk.read(file)
	s.bytes += len(data)
	if err != nil {
		p.Add(document.Place{}, "", "the policy cannot be read: %s", document.Reason(err))
		return p
	}
	p.policy = &Policy{}
	d, err := document.Read(policy, file, data, p.policy)
	s.nodes += d.Nodes
	switch {
	case (err != nil || !d.Report.Clean()) && len(data) > 0 && len(data) <= document.MaxSize &&
		!header.Match(data):
		p.policy = nil
		p.Add(document.Place{}, "", "it is no policy: it has no apiVersion: %s", APIVersion)
	case d.Report == nil: // the text could not be read
		p.policy = nil
		p.addAll(err)
	case err != nil:
		p.Report = d.Report
	default:
		p.Report = d.Report
		if rightFile(d, p.policy.APIVersion, p.policy.Kind, PolicyKind) {
			s.addListener(p)
		}
	}
	return p
}

func (p *policyFile) addAll(err error) {
	var mistakes Errors
	if errors.As(err, &mistakes) {
		for _, mistake := range mistakes {
			p.AddError(mistake)
		}
	}
}

// addListener checks a policy. It adds the policy's listener to the configuration, with mistakes or
// without, if the name is free.
func (s *policySet) addListener(p *policyFile) {
	p.Check(p.policy, "")
	name, free := s.listenerName(p)
	informers := s.config.Informers
	if len(p.policy.Informers) > 0 {
		informers = make(map[string]*Informer, len(s.config.Informers)+len(p.policy.Informers))
		maps.Copy(informers, s.config.Informers)
	}
	for name, informer := range document.Sorted(p.policy.Informers) {
		path := document.Join("informers", name)
		if informer == nil || !p.Good(path) {
			continue
		}
		checkInformer(informer, path, p.Report)
		p.informers = append(p.informers, placedInformer{path, p.Report, informer})
		informers[name] = informer
	}
	l := &Listener{}
	document.SetDefaults(l)
	l.Name, l.Policy, l.Description = name, p.File(), p.policy.Description
	l.InformerRef, l.Select, l.Rules = p.policy.InformerRef, p.policy.Select, p.policy.Rules
	l.Resync, l.informers = p.policy.Resync, informers
	l.Outputs = slices.Clone(s.config.Policies[p.entry].Outputs)
	l.replicated = s.config.LeaderElection != nil
	l.Checkpoint = s.config.Policies[p.entry].Checkpoint
	checkStream(l, "", p.Report, s.report)
	if inline := l.InformerRef.Inline; inline != nil {
		p.informers = append(p.informers, placedInformer{"informer", p.Report, inline})
	}
	if !free {
		return
	}
	p.listener = name
	s.names[name] = "the policy in " + document.Shown(p.File())
	if s.config.Listeners == nil {
		s.config.Listeners = map[string]*Listener{}
	}
	s.config.Listeners[name] = l
}

// listenerName returns the name of the policy's listener, and reports whether it is valid and free.
func (s *policySet) listenerName(p *policyFile) (string, bool) {
	const field = "name"
	if p.Has(field) {
		name := p.policy.Name
		if taken := s.names[name]; taken != "" && p.Good(field) {
			p.BadValue(field, "%s: %s is the name of %s already", field,
				document.Quote(name), taken)
		}
		return name, p.Good(field)
	}
	base := strings.Trim(filepath.Base(p.File()), "<>") // standard input has no name
	name := strings.TrimSuffix(base, filepath.Ext(base))
	switch taken := s.names[name]; {
	case !p.Missing("", field): // one of the fields that were not understood may be the name
		return name, false
	case !label.MatchString(name):
		p.Add(document.Place{}, field,
			"the policy has no name, and that of its file, %s, is not %s", document.Quote(name),
			labelNoun)
		return name, false
	case taken != "":
		p.Add(document.Place{}, field,
			"the policy has no name, and that of its file, %s, is the name of %s already",
			document.Quote(name), taken)
		return name, false
	}
	return name, true
}

// addMistakes adds mistakes to the reports of their files, unless something is wrong with the field
// already.
func (s *policySet) addMistakes(more Errors) {
	reports := map[string]*document.Report{}
	for _, file := range s.report.Files() {
		reports[file] = s.report
	}
	listeners := map[string]string{}
	for _, p := range s.loaded {
		reports[p.File()] = p.Report
		listeners[p.File()] = document.Join("listeners", p.listener)
	}
	for _, mistake := range more {
		r := reports[mistake.File]
		if r == nil {
			continue
		}
		field := mistake.Field
		if prefix := listeners[mistake.File]; prefix != "" {
			field = strings.TrimPrefix(strings.TrimPrefix(field, prefix), ".")
		}
		if !r.Failed(field) {
			r.AddError(mistake)
		}
	}
}

// errors returns all mistakes: those of the configuration, then those of each file.
func (s *policySet) errors() Errors {
	reports := []*document.Report{s.report}
	var good []string
	for _, p := range s.loaded {
		reports = append(reports, p.Report)
		if p.Clean() {
			good = append(good, p.File())
		}
	}
	return notLoaded(document.Gather(reports...), s.report.File(), good, len(s.loaded))
}

// read returns the policies whose text could be read.
func (s *policySet) read() []*policyFile {
	return slices.DeleteFunc(slices.Clone(s.loaded), func(p *policyFile) bool {
		return p.policy == nil
	})
}

// PolicyOf returns the policy that a listener comes from, nil if it is in the configuration itself.
func (c *Config) PolicyOf(listener string) *Policy {
	for _, p := range c.policies {
		if p.listener == listener {
			return p.policy
		}
	}
	return nil
}

// RelativePolicies returns the policy files that the configuration names by relative paths.
func (c *Config) RelativePolicies() (files []string) {
	for _, p := range c.policies {
		if !filepath.IsAbs(c.Policies[p.entry].Files) {
			files = append(files, p.File())
		}
	}
	return files
}
