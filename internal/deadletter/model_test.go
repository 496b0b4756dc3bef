package deadletter

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unique"

	"pgregory.net/rapid"
)

// model is what a store must have: the letters in their order.
type model struct {
	letters []Letter
	bytes   int64
}

// want is a letter without what only the store knows.
func bare(l Letter) string {
	return fmt.Sprintf("%s %s/%s/%s@%s %s %t %d", l.Listener, l.Output, l.Namespace, l.Name, l.ResourceVersion,
		l.Object, l.Superseded, l.Attempts)
}

func (m *model) check(t *rapid.T, s *Store) {
	t.Helper()
	i := 0
	last := ""
	for l, err := range s.List(context.Background(), Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if i >= len(m.letters) || bare(l) != bare(m.letters[i]) {
			t.Fatalf("letter %d is %s", i, bare(l))
		}
		if m.letters[i].ID != "" && m.letters[i].ID != l.ID || l.ID <= last {
			t.Fatalf("letter %d has ID %s, had %s, behind %s", i, l.ID, m.letters[i].ID, last)
		}
		m.letters[i].ID, last = l.ID, l.ID
		i++
	}
	st := s.Stats()
	if i != len(m.letters) || st.Letters != i || st.Bytes != m.bytes || st.Waiting != 0 {
		t.Fatalf("%d letters, want %d with %d bytes: %+v", i, len(m.letters), m.bytes, st)
	}
	perNamespace := map[namespace]int64{}
	for _, l := range m.letters {
		perNamespace[namespace{unique.Make(l.Cluster), l.Namespace}] += sizeOfLetter(l)
	}
	for name, u := range s.namespaces {
		if u.bytes != perNamespace[name] || len(s.namespaces) != len(perNamespace) {
			t.Fatalf("namespaces %+v, want %v", s.namespaces, perNamespace)
		}
	}
	perListener := map[string]int{}
	for _, l := range m.letters {
		perListener[l.Listener]++
	}
	for name, got := range st.Listeners {
		if got.Letters != perListener[name] {
			t.Fatalf("listener %s: %+v, want %d letters", name, got, perListener[name])
		}
	}
}

func sizeOfLetter(l Letter) int64 {
	record, err := newRecord(&l)
	if err != nil {
		panic(err)
	}
	return int64(len(record))
}

// remove removes letters.
func (m *model) remove(ids []string) (n int) {
	m.letters = slices.DeleteFunc(m.letters, func(l Letter) bool {
		if !slices.Contains(ids, l.ID) {
			return false
		}
		n++
		m.bytes -= sizeOfLetter(l)
		return true
	})
	return n
}

// sum returns how many bytes some letters have.
func (m *model) sum(of func(Letter) bool) (n int64) {
	for _, l := range m.letters {
		if of(l) {
			n += sizeOfLetter(l)
		}
	}
	return n
}

// evict removes superseded letters, the oldest first, and then older ones of the same failure, if
// that makes room for another one.
func (m *model) evict(next Letter, limits Limits) (room bool) {
	own := func(l Letter) bool { return l.Cluster == next.Cluster && l.Namespace == next.Namespace }
	older := func(l Letter) bool {
		return own(l) && !l.Superseded && l.Op != "delete" && l.Name == next.Name &&
			l.Listener == next.Listener && l.Output == next.Output
	}
	missing := m.bytes + sizeOfLetter(next) - limits.MaxBytes
	missingOwn := m.sum(own) + sizeOfLetter(next) - limits.NamespaceBytes
	superseded := m.sum(func(l Letter) bool { return l.Superseded })
	supersededOwn := m.sum(func(l Letter) bool { return l.Superseded && own(l) })
	if missing > superseded+m.sum(older) || missingOwn > supersededOwn+m.sum(older) {
		return false
	}
	least, leastOwn := int64(0), int64(0)
	if missing > 0 {
		least = max(missing, limits.MaxBytes/16)
	}
	if missingOwn > 0 {
		leastOwn = max(missingOwn, limits.NamespaceBytes/16)
	}
	var gone []string
	freed, freedOwn := int64(0), int64(0)
	for _, l := range m.letters {
		if l.Superseded && (freed < least || freedOwn < leastOwn && own(l)) {
			gone = append(gone, l.ID)
			freed += sizeOfLetter(l)
			if own(l) {
				freedOwn += sizeOfLetter(l)
			}
		}
	}
	if freed < missing || freedOwn < missingOwn {
		for _, l := range m.letters {
			if older(l) {
				gone = append(gone, l.ID)
			}
		}
	}
	m.remove(gone)
	return true
}

func (m *model) put(l Letter, at int) {
	l.ID = ""
	m.letters = slices.Insert(m.letters, at, l)
	m.bytes += sizeOfLetter(l)
}

// fewerChecks lets rapid make fewer checks in a test that writes files, unless the command line
// says how many.
func fewerChecks(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue {
		return
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
	if err := checks.Value.Set("30"); err != nil {
		t.Fatal(err)
	}
}

// Random operations, restarts and crashes, compared with a slice.
func TestModel(t *testing.T) {
	for _, disk := range []bool{false, true} {
		t.Run(fmt.Sprint("disk ", disk), func(t *testing.T) {
			if disk {
				fewerChecks(t)
			}
			dir, files := filepath.Dir(file(t)), 0
			rapid.Check(t, func(t *rapid.T) {
				cfg := Config{Clusters: true, Limits: Limits{MaxBytes: 20_000, NamespaceBytes: 13_000,
					MaxAge: -1, Drop: true}}
				next := func() string {
					files++
					return filepath.Join(dir, fmt.Sprint(files))
				}
				if disk {
					cfg.Path = next()
				}
				s, err := Open(cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { s.Close() }()
				m, version := &model{}, 0
				random := func() Letter {
					version++
					l := letter(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), version)
					l.Cluster = rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "cluster")
					l.Namespace = rapid.SampledFrom([]string{"", "default"}).Draw(t, "namespace")
					l.Op = rapid.SampledFrom([]string{"update", "delete"}).Draw(t, "op")
					l.Listener = rapid.SampledFrom([]string{"pods", "nodes"}).Draw(t, "listener")
					l.Output = rapid.SampledFrom([]string{"", "hook", "bus"}).Draw(t, "output")
					size := rapid.SampledFrom([]int{0, 100, 5000}).Draw(t, "size")
					l.Object = []byte(`"` + strings.Repeat("x", size) + `"`)
					return l
				}
				reopen := func(t *rapid.T) {
					var err error
					if s, err = Open(cfg); err != nil {
						t.Fatal(err)
					}
				}
				actions := map[string]func(*rapid.T){
					"put": func(t *rapid.T) {
						l := random()
						_, err := s.Put(context.Background(), l)
						if !m.evict(l, cfg.Limits) {
							if !errors.Is(err, ErrDropped) {
								t.Fatalf("a full store returns %v", err)
							}
							return
						}
						if err != nil {
							t.Fatal(err)
						}
						m.put(l, len(m.letters))
					},
					"replace": func(t *rapid.T) {
						if len(m.letters) == 0 {
							t.Skip()
						}
						at := rapid.IntRange(0, len(m.letters)-1).Draw(t, "letter")
						base := m.letters[at].ID
						again := m.letters[at]
						again.Superseded = false
						again.Attempts++
						if _, err := s.Put(context.Background(), again); err != nil {
							t.Fatal(err)
						}
						m.remove([]string{base})
						if n, err := s.Delete(base); n != 1 || err != nil {
							t.Fatalf("%d, %v", n, err)
						}
						// Which of several in the same place it is behind does not matter.
						at = -1
						i := 0
						for l := range s.List(context.Background(), Query{Heads: true}) {
							if !slices.ContainsFunc(m.letters, func(o Letter) bool {
								return o.ID == l.ID
							}) {
								at = i
								if a, b := l.ID[:13], base[:13]; a != b {
									t.Fatalf("%s replaces %s", l.ID, base)
								}
							}
							i++
						}
						m.put(again, at)
					},
					"delete": func(t *rapid.T) {
						ids := []string{"x"}
						for _, l := range m.letters {
							if rapid.Bool().Draw(t, "delete") {
								ids = append(ids, l.ID)
							}
						}
						n, err := s.Delete(ids...)
						if want := m.remove(ids); n != want || err != nil {
							t.Fatalf("%d, want %d, %v", n, want, err)
						}
					},
					"deliver": func(t *rapid.T) {
						l := random()
						d := Delivery{Output: "hook", Cluster: l.Cluster,
							Resource: l.Resource, Namespace: l.Namespace, Name: l.Name,
							ResourceVersion: l.ResourceVersion}
						s.Listener(l.Listener).Delivered(d)
						for i := range m.letters {
							o := &m.letters[i]
							if o.Listener == l.Listener && o.Cluster == l.Cluster &&
								o.Namespace == l.Namespace && o.Name == l.Name &&
								o.Output != "bus" {
								o.Superseded = true
							}
						}
					},
					"": func(t *rapid.T) { m.check(t, s) },
				}
				if disk {
					actions["restart"] = func(t *rapid.T) {
						if err := s.Close(); err != nil {
							t.Fatal(err)
						}
						reopen(t)
					}
					actions["crash"] = func(t *rapid.T) {
						b, err := os.ReadFile(cfg.Path)
						if err != nil {
							t.Fatal(err)
						}
						old := s
						cfg.Path = next()
						if err := os.WriteFile(cfg.Path, b, 0o600); err != nil {
							t.Fatal(err)
						}
						if err := old.Close(); err != nil {
							t.Fatal(err)
						}
						reopen(t)
						// What was just superseded may be forgotten.
						for i := range m.letters {
							l := &m.letters[i]
							l.Superseded = l.Superseded && s.Superseded(l.ID)
						}
					}
				}
				t.Repeat(actions)
			})
		})
	}
}
