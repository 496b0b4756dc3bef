package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/informerd/informerd/internal/plan/defaults"
)

// byCluster are the fields that an API server fills in and defaults.Fill does not: nobody can know
// them without the cluster.
var byCluster = map[string]*regexp.Regexp{
	"the identity of the object": regexp.MustCompile(
		`^metadata\.(uid|creationTimestamp|generation|namespace|managedFields\b.*)$`),
	"its status":              regexp.MustCompile(`^(spec\.volumeClaimTemplates\[\d+\]\.)?status\b`),
	"addresses":               regexp.MustCompile(`^Service spec\.(clusterIPs?|ipFamil\w+)\b`),
	"ports of nodes":          regexp.MustCompile(`^Service spec\.(ports\[\d+\]\.nodePort|healthCheckNodePort)$`),
	"finalizers by admission": regexp.MustCompile(`^PersistentVolume(Claim)? metadata\.finalizers\b`),
	"generations of DaemonSets": regexp.MustCompile(
		`^DaemonSet metadata\.annotations\["deprecated\.daemonset\.template\.generation"\]$`),
	"priorities":                 regexp.MustCompile(`^Pod spec\.(priority|preemptionPolicy)$`),
	"tolerations by admission":   regexp.MustCompile(`^Pod spec\.tolerations\b`),
	"the identity of Jobs' Pods": regexp.MustCompile(`^Job (spec\.selector|spec\.template\.metadata\.labels|metadata\.labels)\b.*(job-name|controller-uid)"?\]?$`),
}

// notHere are the fields that every API server fills in but this one: devcluster has no controller
// that makes the service accounts, so that it leaves out the admission plugin that wants them.
var notHere = regexp.MustCompile(`^Pod spec\.serviceAccount(Name)?$`)

// Of all manifests, defaults.Fill fills in what the API server does when it creates them, but for
// byCluster, and nothing else.
func TestDefaultsAreThoseOfTheAPIServer(t *testing.T) {
	needs(t)
	t.Parallel()
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	namespace := newNamespace("defaults")
	if err := c.createNamespace(namespace); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, written := range manifests(t) {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(written); err != nil {
			t.Fatal(err)
		}
		name := u.GetKind() + "/" + u.GetName()
		client, err := c.mapped(u.GroupVersionKind(), namespace)
		if err != nil {
			t.Fatal(err)
		}
		u, err = client.Create(t.Context(), u,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		server, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		filled, fields := defaults.Fill(written)
		added, byServer := differs(t, written, filled), differs(t, written, server)
		for _, path := range slices.Sorted(maps.Keys(byServer)) {
			if added[path] == byServer[path] {
				continue
			}
			why := excluded(u.GetKind(), path)
			if used[why] = true; why == "" || added[path] != "" {
				t.Errorf("%s: the API server fills in %s %s, and Fill %s", name, path,
					byServer[path], cmp.Or(added[path], "nothing"))
			}
		}
		for path, value := range added {
			within := func(other string) bool { return isBelow(other, path) }
			if byServer[path] == "" && !hasAny(byServer, within) &&
				!notHere.MatchString(u.GetKind()+" "+path) {
				t.Errorf("%s: Fill fills in %s %s, and the API server nothing", name, path, value)
			}
			if !slices.ContainsFunc(fields, func(field string) bool {
				return field == "object."+path || isBelow("object."+path, field)
			}) {
				t.Errorf("%s: Fill fills in %s and does not say so", name, path)
			}
		}
	}
	for why := range byCluster {
		if !used[why] {
			t.Errorf("no manifest has anything of: %s", why)
		}
	}
}

func hasAny(all map[string]string, is func(string) bool) bool {
	for path := range all {
		if is(path) {
			return true
		}
	}
	return false
}

// isBelow reports whether a path leads to something in a field.
func isBelow(path, field string) bool {
	return len(path) > len(field) && path[:len(field)] == field &&
		(path[len(field)] == '.' || path[len(field)] == '[')
}

func excluded(kind, path string) string {
	for why, paths := range byCluster {
		if paths.MatchString(path) || paths.MatchString(kind+" "+path) {
			return why
		}
	}
	return ""
}

// manifests returns the objects with which Fill is tested without an API server, too.
func manifests(t *testing.T) (all []json.RawMessage) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(), "internal/plan/defaults/testdata/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no manifests", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			var object json.RawMessage
			if err := d.Decode(&object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(file, err)
			}
			all = append(all, object)
		}
	}
	return all
}

// differs returns the values that are in an object, and not, or others, in the one before.
func differs(t *testing.T, before, after []byte) map[string]string {
	t.Helper()
	old, all := map[string]string{}, map[string]string{}
	values(t, before, old)
	values(t, after, all)
	maps.DeleteFunc(all, func(path, value string) bool { return old[path] == value })
	return all
}

// values notes the values of an object by their paths.
func values(t *testing.T, object []byte, all map[string]string) {
	t.Helper()
	var root any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	leaves(root, "", all)
}

var plainKey = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func leaves(v any, path string, all map[string]string) {
	switch v := v.(type) {
	case nil:
		return // as if it was not there
	case map[string]any:
		for key, value := range v {
			switch {
			case path == "":
				leaves(value, key, all)
			case plainKey.MatchString(key):
				leaves(value, path+"."+key, all)
			default:
				leaves(value, fmt.Sprintf("%s[%q]", path, key), all)
			}
		}
		if len(v) > 0 {
			return
		}
	case []any:
		for i, item := range v {
			leaves(item, fmt.Sprintf("%s[%d]", path, i), all)
		}
		if len(v) > 0 {
			return
		}
	}
	text, _ := json.Marshal(v)
	all[path] = string(text)
}
