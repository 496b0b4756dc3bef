package replica

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// replicaStep is one thing that happens to replicas, or to what they watch.
type replicaStep struct {
	what  string
	name  string
	pause time.Duration
}

func drawReplicaStep(t *rapid.T) replicaStep {
	return replicaStep{
		what: rapid.SampledFrom([]string{"apply", "apply", "apply", "remove", "replace", "replace",
			"pause", "pause", "kill", "kill", "end", "start", "start"}).Draw(t, "what"),
		name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"),
		pause: time.Duration(rapid.SampledFrom([]int{1, 100, 300, 1900, 2500, 16000}).Draw(t,
			"pause")) * time.Millisecond,
	}
}

// replicasModel is a few replicas that are started, stopped and killed at any moment.
type replicasModel struct {
	*world
	t       *testing.T
	uids    int
	current map[string]string // uids by name
	began   int
	alive   []*daemon
	dead    []*daemon
	kills   int
}

func (m *replicasModel) step(s replicaStep) {
	switch s.what {
	case "apply", "replace":
		uid := m.current[s.name]
		if uid != "" && s.what == "replace" {
			m.pods.remove(s.name)
			uid = ""
		}
		if uid == "" {
			m.uids++
			uid = fmt.Sprint(m.uids)
		}
		m.current[s.name] = uid
		m.pods.apply(s.name, uid, "")
	case "remove":
		if m.current[s.name] != "" {
			m.pods.remove(s.name)
			delete(m.current, s.name)
		}
	case "start":
		if len(m.alive) < 3 {
			m.began++
			m.alive = append(m.alive, m.start(fmt.Sprint("replica", m.began)))
		}
	case "kill", "end":
		m.takeAway(s.what == "kill")
	}
	time.Sleep(s.pause)
}

// takeAway ends the leader, if there is one.
func (m *replicasModel) takeAway(kill bool) {
	for i, d := range m.alive {
		leads, _ := d.Leads()
		if !leads {
			continue
		}
		m.alive = append(m.alive[:i:i], m.alive[i+1:]...)
		if kill {
			d.kill()
			m.dead = append(m.dead, d)
			m.kills++
		} else {
			d.end(m.t)
		}
		return
	}
}

// finish has the last leader come to the end of everything, and returns what is wrong.
func (m *replicasModel) finish() (wrong string) {
	m.step(replicaStep{what: "start", pause: time.Minute})
	synctest.Wait()
	m.mu.Lock()
	delivered := strings.Join(m.delivered, " ")
	m.mu.Unlock()
	for len(m.alive) > 0 {
		m.alive[0].end(m.t)
		m.alive = m.alive[1:]
	}
	for _, d := range m.dead {
		m.bury(d)
	}
	return m.judge(delivered)
}

// bury ends the rest of a killed daemon, which may not have noticed that it led.
func (m *replicasModel) bury(d *daemon) {
	<-d.Lost().Done()
	_ = d.Close()
	d.stop()
	d.running.Wait()
}

// judge compares what was delivered with what there is: each uid that has come and is gone has its
// delete, each name its last state, and no older state has come after a newer one.
func (m *replicasModel) judge(delivered string) (wrong string) {
	known, newest := map[string]string{}, map[string]string{} // versions: by name and uid, by name
	for _, word := range strings.Fields(delivered) {
		op, what, _ := strings.Cut(word, ":")
		object, version, _ := strings.Cut(what, "@")
		name, _, _ := strings.Cut(object, "/")
		if op == "delete" {
			delete(known, object)
			continue
		}
		if version < newest[name] {
			return fmt.Sprintf("%s came after %s: %s", word, newest[name], delivered)
		}
		known[object], newest[name] = version, version
	}
	for object := range known {
		if name, uid, _ := strings.Cut(object, "/"); m.current[name] != uid {
			return fmt.Sprintf("%s is gone, and no delete has come: %s", object, delivered)
		}
	}
	for name, uid := range m.current {
		want := fmt.Sprintf("%q", known[name+"/"+uid])
		if text := m.pods.objects[name]; !strings.Contains(text, `"resourceVersion":`+want) {
			return fmt.Sprintf("%s has come last in version %s, and it is %s: %s", name, want, text,
				delivered)
		}
	}
	return ""
}

// TestReplicasModel: whenever leaders are killed or stopped, even before they have published
// anything, nothing is lost, and no older state comes after a newer one.
func TestReplicasModel(t *testing.T) {
	setChecks(t, 100)
	kills := 0
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(drawReplicaStep), 5, 40).Draw(rt, "steps")
		wrong := ""
		synctest.Test(t, func(t *testing.T) {
			m := &replicasModel{world: newWorld(), t: t, current: map[string]string{}}
			for _, s := range steps {
				m.step(s)
			}
			wrong = m.finish()
			kills += m.kills
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
	if !t.Failed() && !testing.Short() && kills < 3 {
		t.Errorf("only %d leaders were killed", kills)
	}
}
