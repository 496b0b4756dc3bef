package asking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/template"
	"github.com/informerd/informerd/pkg/informer/event"
)

// itsPods is behind the path of an object in that of the pods of its template.
const itsPods = ": its pods"

// addPod adds the pod of the template that the object of a question has, if it has one.
func (x *Asking) addPod(q plan.Question) {
	made, of := template.Pod(q.Object.JSON)
	if made == nil {
		return
	}
	path := q.Object.Path + itsPods
	x.templates[path], x.refused[path] = q.Object.JSON, x.refused[q.Object.Path]
	q.Object.Path = path
	q.Object.JSON, _ = x.creation(true).Of(made)
	q.Template = of
	x.questions = append(x.questions, q)
}

// maxPodsMade is how many pods of one object lookups find before there are real ones.
const maxPodsMade = 100

// podsMade returns the pods that are made of an object once it is applied, as lookups find them:
// none if it has some already, see ownersOf, or a time has to come first.
func podsMade(o plan.ObjectFile, owners map[owner]bool) (all []plan.ObjectFile) {
	made, of := template.Pod(o.JSON)
	is := metadataOf(o.JSON)
	if made == nil || of == "CronJob" || owners[owner{is.Namespace, of, is.Name}] {
		return nil
	}
	created := kinds.Creation{At: time.Now()}
	made, _ = created.Of(made)
	decoder := json.NewDecoder(bytes.NewReader(made))
	decoder.UseNumber()
	var pod map[string]any
	if decoder.Decode(&pod) != nil {
		return nil
	}
	name := metadataOf(made).Name
	for i := range min(template.Replicas(o.JSON), maxPodsMade) {
		if i > 0 {
			pod["metadata"].(map[string]any)["name"] = fmt.Sprintf("%s%d", name, i)
		}
		text, err := json.Marshal(pod)
		if err != nil {
			return all
		}
		all = append(all, plan.ObjectFile{Path: o.Path + itsPods, JSON: text})
	}
	return all
}

// owner is what has pods.
type owner struct{ namespace, kind, name string }

// ownersOf returns what has made some of the objects: their controllers, and the Deployments of
// these.
func ownersOf(found []plan.ObjectFile) map[owner]bool {
	all := map[owner]bool{}
	for _, f := range found {
		var o struct {
			Metadata struct {
				Namespace       string
				OwnerReferences []struct {
					Kind, Name string
					Controller bool
				}
			}
		}
		if json.Unmarshal(f.JSON, &o) != nil {
			continue
		}
		for _, by := range o.Metadata.OwnerReferences {
			if !by.Controller {
				continue
			}
			all[owner{o.Metadata.Namespace, by.Kind, by.Name}] = true
			if i := strings.LastIndexByte(by.Name, '-'); by.Kind == "ReplicaSet" && i > 0 {
				all[owner{o.Metadata.Namespace, "Deployment", by.Name[:i]}] = true
			}
		}
	}
	return all
}

// wantsPods reports whether pods of templates are judged without being asked for: whoever asks for
// the exit code of manifests means what they become.
func (x *Asking) wantsPods() bool {
	return x.Violated && !x.PodsGiven && x.live == nil && x.Old == "" &&
		(x.Op == "" || x.op == event.Add) &&
		slices.ContainsFunc(x.listeners, func(l *config.Listener) bool {
			return plan.MayWatch(l.Informer(), "pods")
		})
}

// makesPod reports whether the object of a question has a template, whose pod is asked about then.
func makesPod(q plan.Question) bool {
	made, _ := template.Pod(q.Object.JSON)
	return made != nil
}

// maxNamed is how many listeners are named that watch the pods of an object.
const maxNamed = 5

// podsOf returns that the pods of the objects are what listeners watch, "" if these have none, or
// no listener watches pods: whoever asks may mean the pods.
func (x *Asking) podsOf() string {
	if x.Pods {
		return ""
	}
	makers := x.makers()
	var names []string
	for _, l := range x.all {
		if plan.MayWatch(l.Informer(), "pods") {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 || len(makers) == 0 {
		return ""
	}
	watch := "what the listeners " + strings.Join(names[:min(len(names), maxNamed)], ", ")
	switch {
	case len(names) == 1:
		watch = fmt.Sprintf("what the listener %s watches", names[0])
	case len(names) > maxNamed:
		watch += ", … watch"
	default:
		watch += " watch"
	}
	kind := strings.Join(makers, ", ")
	hint := fmt.Sprintf("its pods are %s: explain judges the %s as it is, and not its pod template",
		watch, kind)
	if x.live != nil {
		return hint + "; with --pods it judges that of a file as well, as kubectl get -o yaml prints one"
	}
	return hint + "; --pods does that as well"
}

// makers returns the kinds of the objects that have pods, none if pods are among the objects.
func (x *Asking) makers() (all []string) {
	if x.live != nil {
		if kind := kinds.MakerOfPods(x.live.Resource); kind != "" {
			return []string{kind}
		}
		return nil
	}
	for _, q := range x.questions {
		var o struct{ APIVersion, Kind string }
		switch {
		case json.Unmarshal(q.Object.JSON, &o) != nil:
		case o.Kind == "Pod":
			return nil
		case kinds.MakesPods(o.APIVersion, o.Kind) && !slices.Contains(all, o.Kind):
			all = append(all, o.Kind)
		}
	}
	return all
}
