package config

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// maxPolicies is how many policy files a configuration may have.
	maxPolicies = 1000
	// maxPolicyBytes and maxPolicyNodes bound what all of them may hold together, since a pattern
	// may match anything.
	maxPolicyBytes = 16 << 20
	maxPolicyNodes = 500_000
)

// policySource is where the fields of a policy's listener stand.
type policySource struct {
	source
	listener string
	entry    string // the field of the configuration that names the file, as in policies[0]
	policy   *Policy
}

// policyFile is one file that the policies of a configuration name.
type policyFile struct {
	*report
	entry     int     // of Config.Policies
	policy    *Policy // nil if its text is none
	listener  string  // its name, empty if it has none that can be used
	informers []placedInformer
}

// policySet reads the policy files of a configuration.
type policySet struct {
	config *Config
	report *report // about the configuration
	disk   files

	loaded       []*policyFile
	entries      map[string]int    // of each file
	names        map[string]string // of each listener, and what has the name
	bytes, nodes int
}

// loadPolicies reads the policy files that the configuration names and adds their listeners to it.
// What is wrong with them is in their reports, what is wrong with the entries in that of the
// configuration.
func loadPolicies(c *Config, r *report, disk files) *policySet {
	s := &policySet{config: c, report: r, disk: disk, entries: map[string]int{},
		names: map[string]string{}}
	for name := range c.Listeners {
		s.names[name] = "a listener in " + shown(r.file)
	}
	for i := range c.Policies {
		if r.good(entryFiles(i)) && !s.entry(i) {
			break
		}
	}
	return s
}

func entryFiles(i int) string { return join(item("policies", i), "files") }

// entry reads the files of one entry. It says whether there is room for more.
func (s *policySet) entry(i int) (room bool) {
	field, pattern := entryFiles(i), s.config.Policies[i].Files
	paths, err := s.disk.glob(below(filepath.Dir(s.report.file), pattern))
	switch {
	case err != nil:
		s.cannotRead(field, err)
	case len(paths) == 0:
		hint := ""
		if !filepath.IsAbs(pattern) {
			hint = "it counts from the folder of this configuration"
		}
		s.report.value(field, hint, "%s matches no file: %s", field, quote(pattern))
	case len(s.loaded)+len(paths) > maxPolicies:
		s.report.value(field, "", "%s matches %d files, which makes %d policies; there may be %d",
			field, len(paths), len(s.loaded)+len(paths), maxPolicies)
		return false
	}
	for _, file := range paths {
		if before, twice := s.entries[file]; twice {
			s.report.value(field, "name each file once", "%s matches %s, as %s does", field,
				shown(file), entryFiles(before))
			continue
		}
		s.entries[file] = i
		p := s.read(file, i)
		p.trim()
		s.loaded = append(s.loaded, p)
		switch {
		case s.bytes > maxPolicyBytes:
			s.report.value(field, "", "%s: the policies up to %s are larger than %d bytes together",
				field, shown(file), maxPolicyBytes)
			return false
		case s.nodes > maxPolicyNodes:
			s.report.value(field, "", "%s: the policies up to %s have more than %d values together",
				field, shown(file), maxPolicyNodes)
			return false
		}
	}
	return true
}

func (s *policySet) cannotRead(field string, err error) {
	var at *fs.PathError
	if errors.As(err, &at) {
		s.report.value(field, "", "%s: %s cannot be read: %s", field, shown(at.Path), at.Err)
		return
	}
	s.report.value(field, "", "%s: %s", field, printable(err))
}

// read reads one file, as strictly as the configuration, and adds its listener.
func (s *policySet) read(file string, entry int) *policyFile {
	p := &policyFile{report: newReport(policy, file), entry: entry}
	data, err := s.disk.read(file)
	s.bytes += len(data)
	if err != nil {
		hint := ""
		if errors.Is(err, errFolder) {
			hint = "name its files in an entry of policies"
		}
		p.add(place{}, "", hint, "the policy cannot be read: %s", reason(err))
		return p
	}
	root, textErr := parseTree(policy, file, data)
	if textErr != nil {
		p.errs = Errors{*textErr}
		return p
	}
	d := newDecoder(policy, file, data)
	p.report, p.policy = d.report, &Policy{}
	d.root(root, reflect.ValueOf(p.policy).Elem())
	s.nodes += d.nodes
	switch {
	case d.stopped:
	case !p.rightKind(p.policy.APIVersion, p.policy.Kind):
		p.onlyHeader()
	default:
		s.listener(p)
	}
	return p
}

// listener checks a policy and adds its listener to the configuration, mistakes or not, if the name
// is free.
func (s *policySet) listener(p *policyFile) {
	name, free := s.name(p)
	p.notEmpty("description", p.policy.Description)
	informers := s.config.Informers
	if len(p.policy.Informers) > 0 {
		informers = make(map[string]*Informer, len(s.config.Informers)+len(p.policy.Informers))
		maps.Copy(informers, s.config.Informers)
	}
	for name, informer := range sorted(p.policy.Informers) {
		path := join("informers", name)
		p.name(path, name)
		if informer == nil || !p.good(path) {
			continue
		}
		checkInformer(informer, path, p.report)
		p.informers = append(p.informers, placedInformer{path, p.report, informer})
		informers[name] = informer
	}
	l := &Listener{
		Name: name, Policy: p.file, Description: p.policy.Description,
		InformerRef: p.policy.InformerRef, Select: p.policy.Select,
		Resync: p.policy.Resync, Rules: p.policy.Rules,
		Outputs: slices.Clone(s.config.Policies[p.entry].Outputs), informers: informers,
	}
	if p.missing("", "rules") {
		p.key("", "add rules with at least one rule", "rules is missing")
	}
	checkStream(l, "", p.report, s.report)
	if inline := l.InformerRef.Inline; inline != nil {
		p.informers = append(p.informers, placedInformer{"informer", p.report, inline})
	}
	if !free {
		return
	}
	p.listener = name
	s.names[name] = "the policy in " + shown(p.file)
	if s.config.Listeners == nil {
		s.config.Listeners = map[string]*Listener{}
	}
	s.config.Listeners[name] = l
}

// name gives the name of the policy's listener, and whether it is one and free.
func (s *policySet) name(p *policyFile) (string, bool) {
	const field = "name"
	if p.has(field) {
		name := p.policy.Name
		p.label(field, name)
		if taken := s.names[name]; taken != "" && p.good(field) {
			p.value(field, "choose another name", "%s: %s is the name of %s already", field,
				quote(name), taken)
		}
		return name, p.good(field)
	}
	base := strings.Trim(filepath.Base(p.file), "<>") // standard input is no name
	name := strings.TrimSuffix(base, filepath.Ext(base))
	const hint = "add a name to the policy, or rename the file"
	switch taken := s.names[name]; {
	case !p.missing("", field): // one of the fields that were not understood may be the name
		return name, false
	case len(validation.IsDNS1123Label(name)) > 0:
		p.add(place{}, field, hint+"; "+labelHint,
			"the policy's name is that of its file, %s, which is not a DNS label", quote(name))
		return name, false
	case taken != "":
		p.add(place{}, field, hint,
			"the policy's name is that of its file, %s, which is the name of %s already",
			quote(name), taken)
		return name, false
	}
	return name, true
}

// informers gives the informers of all files.
func (s *policySet) informers() []placedInformer {
	var all []placedInformer
	for _, p := range s.loaded {
		all = append(all, p.informers...)
	}
	return all
}

// add adds mistakes to the reports of their files, unless something is wrong with the field
// already.
func (s *policySet) add(more Errors) {
	reports := map[string]*report{s.report.file: s.report}
	listeners := map[string]string{}
	for _, p := range s.loaded {
		reports[p.file] = p.report
		listeners[p.file] = join("listeners", p.listener)
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
		if !r.failed[field] {
			r.errs = append(r.errs, mistake)
		}
	}
}

// errors gives all mistakes: those of the configuration, then those of each file.
func (s *policySet) errors() Errors {
	reports := []*report{s.report}
	var good []string
	for _, p := range s.loaded {
		reports = append(reports, p.report)
		if len(p.errs) == 0 {
			good = append(good, p.file)
		}
	}
	all := gather(reports...)
	if len(good) < len(s.loaded) {
		all = all.notLoaded(s.report.file, good)
	}
	return all
}

// sources gives what remains of the files when all are good.
func (s *policySet) sources() []policySource {
	var all []policySource
	for _, p := range s.loaded {
		if p.policy == nil {
			continue // its text is none
		}
		all = append(all, policySource{p.source, p.listener, item("policies", p.entry), p.policy})
	}
	return all
}
