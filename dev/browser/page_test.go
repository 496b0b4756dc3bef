package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func (w *world) configMap(t testing.TB, name string, round int) {
	t.Helper()
	maps := w.client.CoreV1().ConfigMaps("default")
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
		Data: map[string]string{"round": fmt.Sprint(round)}}
	var err error
	if round == 0 {
		_, err = maps.Create(context.Background(), m, metav1.CreateOptions{})
	} else {
		_, err = maps.Update(context.Background(), m, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPage: a user finds out what is wrong, by keyboard alone, whatever the window is like.
func TestPage(t *testing.T) {
	w := newWorld(t, 40)
	for i := range 5 {
		w.configMap(t, fmt.Sprint("map", i), 0)
	}
	w.await(t, "messages are refused", func() bool {
		for _, l := range w.status().Listeners {
			if l.Name == "refused" {
				return l.Letters >= 5
			}
		}
		return false
	})
	b := open(t, w, "")
	b.says("connection refused")
	for _, text := range []string{"shop", "not ready", "In trouble", "dead-output", "no-such-resource",
		"40 listeners"} {
		b.says(text)
	}

	t.Log("the pipeline, sorted and filtered")
	b.reach("a.skip")
	b.press(kb.Enter)
	b.reach("input[type=search]")
	b.press("watch-01")
	b.says("10 of 40 listeners")
	b.reach("select")
	b.reach("th[aria-sort] button")
	b.reach("main table button")
	b.press(" ")
	sorted := ask[string](b, "document.querySelector('th[aria-sort]').textContent + document.querySelector('th[aria-sort]').ariaSort")
	if !strings.Contains(sorted, "ending") {
		t.Errorf("sorted by %q", sorted)
	}
	b.reach("summary")
	b.press(kb.Enter)
	b.await("details[open] table", "informers are shown")
	b.accessible("pipeline")

	t.Log("a listener, its events explained")
	b.visit(w, "listener/watch-006")
	b.says("watch-006")
	for _, part := range []string{"Last events", "Plan", "Configuration"} {
		b.reach("summary")
		b.says(part)
		b.press(kb.Enter)
	}
	b.says("No event since you opened this.")
	b.says("label selector")
	b.says("capacity: 1024")
	w.configMap(t, "map1", 1)
	b.says("default/map1")
	b.reach("td button")
	b.press(kb.Enter)
	b.says("The event matches: it goes to the outputs archive.")
	b.accessible("listener")

	t.Log("texts of others are texts")
	b.visit(w, "violations/policy")
	b.says("has no owner <i>")
	b.accessible("violations")
	b.visit(w, "letters")
	b.says("is required</b>")
	b.accessible("dead letters")
	b.visit(w, "listener/audited")
	b.says("audited")
	b.reach("summary")
	b.reach("summary")
	b.reach("summary")
	b.press(kb.Enter)
	b.says("- (hidden)")
	b.visit(w, "listener/%3Cimg%20src%3Dx%3E")
	b.says("There is no listener <img src=x>")
	b.visit(w, "nonsense")
	b.says("There is no such view")

	t.Log("dark, and on a phone")
	for _, view := range []string{"", "listener/dead-output", "violations", "letters"} {
		b.visit(w, view)
		b.await("main h2", "the view is there")
		b.look(1280, 900, true)
		b.accessible(view + ", dark")
		b.look(390, 844, false)
		b.accessible(view + ", phone")
		over := ask[float64](b, "document.documentElement.scrollWidth - innerWidth")
		if over > 0 {
			t.Errorf("%s: the phone scrolls sideways by %v pixels", view, over)
		}
		b.look(1280, 900, false)
	}
	b.clean()

	t.Log("a planted problem is found")
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("main").insertAdjacentHTML("beforeend",
		"<button><img src='none.png'></button>")`))
	if b.problemsOfAxe() == nil {
		t.Error("axe-core finds no problem in a button without a name")
	}
}
