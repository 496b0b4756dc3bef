package daemon

import (
	"fmt"
	"strings"
	"testing"
)

// A listener evaluates nothing before a cache is complete, also if it changes once more meanwhile.
func TestTwoReloadsWhileACacheIsIncomplete(t *testing.T) {
	const head = "outputs: {out: {stdout: {}}}\ninformers: {teams: {resource: configmaps}}\nlisteners:\n" +
		"  pods: {informer: {resource: pods}, outputs: [out], "
	const looks = `select: 'cached("teams", "shop", "a") != nil', `
	k := kubernetesWith(t, teamsAndPods())
	release := k.withhold("configmaps")
	d := startReloadable(t, head+"retry: {attempts: 2}}\n", k)
	d.out.waitForLines(t, 3, "/listeners/pods")
	for n := range 3 { // the first one is bound, the others find it bound
		got := d.reload(t, head+looks+fmt.Sprintf("workers: %d}\n", n+2))
		if !strings.HasPrefix(got, "INFO ") {
			t.Fatal(got)
		}
		d.log.waitForLines(t, 2, "msg=listening listener=pods")
	}
	d.reload(t, head+looks+"workers: 7, on: [delete, resync], resync: 1s}\n")
	release()
	d.out.waitForLines(t, 3, `"op":"resync"`)
	if s := d.out.String(); strings.Contains(s, `"op":"delete"`) {
		t.Errorf("an empty cache was an answer:\n%s", s)
	}
	d.stop(t)
}

// A key for the digests of Secrets, which a reload makes, is nothing to other informers.
func TestSecretsDoNotDivideInformers(t *testing.T) {
	const text = "state: {dir: state}\noutputs: {out: {stdout: {}}}\nlisteners:\n" +
		"  pods: {informer: {resource: pods}, outputs: [out]}\n"
	items := teamsAndPods()
	items["secrets"] = []string{named("shop", "s", "", "")}
	k := kubernetesWith(t, items)
	asked := func() int {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.asked["pods"]
	}
	d := startReloadable(t, text, k)
	eventually(t, func() error {
		if n := asked(); n < 3 {
			return fmt.Errorf("%d requests, and neither a list nor a watch yet", n)
		}
		return nil
	})
	d.reload(t, text+"  more: {informer: {resource: pods}, outputs: [out]}\n"+
		"  secrets: {informer: {resource: secrets, allowSecrets: true}, outputs: [out]}\n")
	d.out.waitForLines(t, 3, "/listeners/more")
	d.out.waitForLines(t, 1, "/listeners/secrets")
	if n := asked(); n != 3 {
		t.Errorf("pods were asked for %d times, want 3: they are watched twice", n)
	}
	d.stop(t)
}
