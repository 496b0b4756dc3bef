package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tab is an open page.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // that the browser reports
}

// open starts a browser with the page of a world.
func open(t *testing.T, w *world, path string) *tab {
	t.Helper()
	b := &tab{t: t}
	ctx, stop := chromedp.NewContext(t.Context(), chromedp.WithListener(b.listen),
		chromedp.WithAllocatorOptions(chromedp.WindowSize(1280, 900),
			chromedp.NoSandbox)) // it is run as root, and sees no page of others
	t.Cleanup(stop)
	b.ctx = ctx
	if _, err := chromedp.Run(ctx, do(log.Enable, cdp.Empty{})); err != nil { // this starts it
		t.Fatal(err)
	}
	b.run(chromedp.Navigate("http://" + w.address + "/" + path))
	b.await("main h2", "the page is there")
	return b
}

// do is a command of the protocol as an action.
func do[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// listen notes errors of scripts, and what the content policy forbids.
func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("%+v", e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			b.problems = append(b.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// clean fails the test if the browser has reported problems.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the browser reports: %s", p)
	}
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, time.Minute)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%v\nthe page is\n%s", err, b.text())
	}
}

// text returns what the page shows.
func (b *tab) text() string {
	ctx, stop := context.WithTimeout(b.ctx, 10*time.Second)
	defer stop()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// ask returns the value of an expression.
func ask[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, time.Minute)
	defer stop()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// holds waits until an expression is true.
func (b *tab) holds(what, expression string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 30*time.Second)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Poll[chromedp.Void](expression)); err != nil {
		b.t.Fatalf("it does not happen that %s: %v\nthe page is\n%s", what, err, b.text())
	}
}

// await waits until there is an element.
func (b *tab) await(selector, what string) {
	b.t.Helper()
	b.holds(what, fmt.Sprintf("document.querySelector(%q) !== null", selector))
}

// says waits until the page shows a text.
func (b *tab) says(text string) {
	b.t.Helper()
	b.holds("the page says "+text, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// visit follows a link to another view, at whose beginning the focus is then.
func (b *tab) visit(w *world, view string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"),
		chromedp.Navigate("http://"+w.address+"/#/"+view))
	b.holds("the focus is at the beginning of the view", "document.activeElement.id === 'main'")
}

// reach presses Tab until the focus is on an element that a selector matches, as somebody without a
// mouse does.
func (b *tab) reach(selector string) {
	b.t.Helper()
	is := fmt.Sprintf("document.activeElement.matches(%q)", selector)
	for range 400 {
		b.run(chromedp.KeyEvent(kb.Tab))
		if ask[bool](b, is) {
			shown := ask[bool](b, "document.activeElement.matches(':focus-visible')")
			if !shown {
				b.t.Errorf("the focus on %s does not show", selector)
			}
			return
		}
	}
	b.t.Fatalf("the keyboard does not reach %s\nthe page is\n%s", selector, b.text())
}

func (b *tab) press(key string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(key))
}

// look sets the size of the window and the colours.
func (b *tab) look(width, height int64, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.run(chromedp.EmulateViewport(width, height),
		do(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
}

// shoot writes a picture of the page, if pictures are wanted.
func (b *tab) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// accessible fails the test for each problem that axe-core finds.
func (b *tab) accessible(where string) {
	b.t.Helper()
	for _, p := range b.problemsOfAxe() {
		b.t.Errorf("%s: %s", where, p)
	}
}

// problemsOfAxe returns what axe-core finds in the page.
func (b *tab) problemsOfAxe() (problems []string) {
	b.t.Helper()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		b.t.Fatalf("axe-core is missing, make browser installs it: %v", err)
	}
	if !ask[bool](b, "typeof axe === 'object'") {
		b.run(chromedp.Evaluate[chromedp.Void](string(axe)))
	}
	found := ask[string](b, `axe.run(document).then((r) => JSON.stringify({
		passes: r.passes.length, violations: r.violations.map((v) => ({id: v.id, impact: v.impact,
			help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html + ' ' + n.failureSummary)}))}))`)
	var result struct {
		Passes     int
		Violations []struct {
			ID, Impact, Help string
			Nodes            []string
		}
	}
	if err := json.Unmarshal([]byte(found), &result); err != nil {
		b.t.Fatal(err)
	}
	if result.Passes < 10 {
		b.t.Fatalf("axe-core looked at almost nothing: %s", found)
	}
	for _, v := range result.Violations {
		problems = append(problems, fmt.Sprintf("%s, %s: %s\n%s", v.ID, v.Impact, v.Help,
			strings.Join(v.Nodes, "\n")))
	}
	return problems
}
