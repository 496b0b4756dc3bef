package daemon

import (
	"strings"
	"testing"
)

// A listener whose select has changed sees every event, whatever its expressions want, and the log
// says so once for each reload that would have it otherwise.
func TestASelectThatHasChanged(t *testing.T) {
	config := func(listener string) string {
		return "outputs: {out: {stdout: {}}}\nlisteners:\n  pods: {informer: {resource: pods}, " +
			listener + "outputs: [out]}\n"
	}
	const a, b = "select: 'label(\"team\") == \"a\"', ", "select: 'label(\"team\") == \"b\"', "
	d := startReloadable(t, config(a), kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 1, "/listeners/pods")
	for i, c := range []struct {
		listener string
		said     int
	}{
		{a + "workers: 2, ", 0}, {b, 1}, {b + "workers: 3, ", 2}, {"workers: 3, ", 2},
	} {
		if got := d.reload(t, config(c.listener)); !strings.HasPrefix(got, "INFO") {
			t.Fatal(got)
		}
		if said := strings.Count(d.log.String(),
			"so events are decided after the buffer"); said != c.said {
			t.Errorf("reload %d: the log says so %d times, want %d", i, said, c.said)
		}
	}
	d.stop(t)
}
