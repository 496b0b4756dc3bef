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
	"strings"
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
		`^(metadata\.(uid|creationTimestamp|generation|namespace|managedFields\b.*)|` +
			`LimitRange metadata\.name)$`), // of which it makes a name up
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
// byCluster, and nothing else. So it does of each manifest without one of its fields, or with one
// that says nothing, if the API server takes that.
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
	used, taken := map[string]bool{}, 0
	for _, written := range manifests(t) {
		server, err := created(t, c, namespace, written)
		if err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		compare(t, written, server, used)
		for _, other := range others(t, written) {
			if server, err := created(t, c, namespace, other); err == nil {
				taken++
				compare(t, other, server, used)
			}
		}
	}
	for why := range byCluster {
		if !used[why] {
			t.Errorf("no manifest has anything of: %s", why)
		}
	}
	if taken < 400 {
		t.Errorf("the API server took %d of the other manifests only", taken)
	}
}

// created returns what the API server makes of an object.
func created(t *testing.T, c *cluster, namespace string, written []byte) ([]byte, error) {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(written); err != nil {
		t.Fatal(err)
	}
	client, err := c.mapped(u.GroupVersionKind(), namespace)
	if err != nil {
		t.Fatal(err)
	}
	u, err = client.Create(t.Context(), u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return nil, err
	}
	return u.MarshalJSON()
}

// compare compares what Fill makes of an object with what the API server has made of it, and notes
// what of byCluster it used.
func compare(t *testing.T, written, server []byte, used map[string]bool) {
	t.Helper()
	filled, fields := defaults.Fill(written)
	added, byServer := differs(t, written, filled), differs(t, written, server)
	kind := kindOf(t, written)
	var wrong []string
	for path, value := range byServer {
		if added[path] == value {
			continue
		}
		why := excluded(kind, path)
		if used[why] = true; why == "" || added[path] != "" {
			wrong = append(wrong, fmt.Sprintf("the API server fills in %s %s, and Fill %s", path,
				value, cmp.Or(added[path], "nothing")))
		}
	}
	for path, value := range added {
		within := func(other string) bool { return isBelow(other, path) }
		if byServer[path] == "" && !hasAny(byServer, within) &&
			!notHere.MatchString(kind+" "+path) {
			wrong = append(wrong, fmt.Sprintf("Fill fills in %s %s, and the API server nothing",
				path, value))
		}
		if !slices.ContainsFunc(fields, func(field string) bool {
			return field == "object."+path || isBelow("object."+path, field)
		}) {
			wrong = append(wrong, fmt.Sprintf("Fill fills in %s and does not say so", path))
		}
	}
	if slices.Sort(wrong); len(wrong) > 0 {
		t.Errorf("%s\n%s", written, strings.Join(wrong, "\n"))
	}
}

func kindOf(t *testing.T, object []byte) string {
	t.Helper()
	var is struct{ Kind string }
	if err := json.Unmarshal(object, &is); err != nil {
		t.Fatal(err)
	}
	return is.Kind
}

// others returns the object without each of its fields, and with each that says nothing.
func others(t *testing.T, object []byte) (all [][]byte) {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(object, &root); err != nil {
		t.Fatal(err)
	}
	add := func() {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				value := v[key]
				walk(value)
				delete(v, key)
				add()
				if none := nothing(value); none != nil {
					v[key] = none
					add()
				}
				v[key] = value
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(root)) {
		if key != "apiVersion" && key != "kind" {
			walk(root[key])
		}
	}
	return all
}

// nothing returns the value of the same sort that says nothing.
func nothing(v any) any {
	switch v.(type) {
	case string:
		return ""
	case float64:
		return 0
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	}
	return nil
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
	maps.DeleteFunc(all, func(path, value string) bool {
		// A map may be empty since the API server leaves out what was in it.
		left := func(other string) bool { return isBelow(other, path) }
		return old[path] == value || value == "{}" && hasAny(old, left)
	})
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
