package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// overlap is how long after the end of a process something of it may come that was under way.
const overlap = time.Second

// mount puts the state on a file system of its own, so that it can be full or read-only. Without the
// right to mount, the attacks that need this do less.
func (w *together) mount() {
	at := w.path("alone", "state")
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=128m,mode=0700", "none", at).Run() == nil {
		w.mounted = true
		w.Cleanup(func() {
			w.processes["alone"].kill()
			if out, err := exec.Command("umount", at).CombinedOutput(); err != nil {
				w.Errorf("umount: %v: %s", err, out)
			}
		})
	}
}

// attacks are what is done, by name: to the one that is alone, if the name begins so, and else to
// the pair. What they return says what comes of it.
var attacks = map[string]func(w *together) attack{
	"alone: SIGKILL": func(w *together) attack { return w.kill() },
	"alone: SIGTERM": func(w *together) attack {
		w.end("alone", syscall.SIGTERM)
		return attack{}
	},
	"alone: SIGTERM, and it is away": func(w *together) attack {
		w.end("alone", syscall.SIGTERM)
		<-time.After(lateFor + time.Second)
		return attack{}
	},
	"alone: SIGSTOP": func(w *together) attack {
		w.freeze("alone", lateFor+time.Second)
		return attack{}
	},
	"alone: the folder is copied": func(w *together) attack {
		_ = os.RemoveAll(w.path("copy"))
		if out, err := exec.Command("cp", "-r", w.path("alone", "state"), w.path("copy")).CombinedOutput(); err != nil {
			w.Logf("a file went while it was copied: %s", out)
		}
		w.copied = time.Now()
		return attack{}
	},
	"alone: the copy comes back": func(w *together) attack {
		a := w.kill()
		if w.copied.IsZero() {
			return a
		}
		w.empty()
		if out, err := exec.Command("cp", "-r", w.path("copy")+"/.", w.path("alone", "state")).CombinedOutput(); err != nil {
			w.Fatalf("%v: %s", err, out)
		}
		w.damaged = true // it was copied while it was written
		a.again, a.older = a.at.Sub(w.copied)+saved, true
		return a
	},
	"alone: the folder goes": func(w *together) attack {
		begun := time.Now()
		w.empty()
		<-time.After(time.Second) // it may end by itself
		a := w.kill()
		a.at, a.forgot = begun, true
		return a
	},
	"alone: a bit": func(w *together) attack {
		a := w.kill()
		var files []string
		_ = filepath.WalkDir(w.path("alone", "state", "checkpoint"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, path)
			}
			return nil
		})
		path := files[w.random.IntN(len(files))]
		text, err := os.ReadFile(path)
		if err == nil && len(text) > 0 {
			text[w.random.IntN(len(text))] ^= 1 << w.random.IntN(8)
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			w.Fatal(err)
		}
		w.damaged = true
		a.again = 20 * time.Second // damage of the end cannot be told from a torn end
		return a
	},
	"alone: no room": func(w *together) attack {
		begun := time.Now()
		fill := w.path("alone", "state", "fill")
		if !w.mounted || os.WriteFile(fill, bytes.Repeat([]byte("x"), 128<<20), 0o600) == nil {
			return attack{}
		}
		w.await("alone")
		if err := os.Remove(fill); err != nil {
			w.Fatal(err)
		}
		return attack{at: begun, again: saved, killed: true}
	},
	"alone: read only": func(w *together) attack {
		a := w.kill()
		if !w.mounted {
			return a
		}
		w.remount("ro")
		w.start("alone")
		w.await("alone")
		w.remount("rw")
		return a
	},
	"alone: reload": func(w *together) attack { return w.reload("alone") },
	"pair: reload":  func(w *together) attack { return w.reload("a", "b") },
	"pair: SIGKILL": func(w *together) attack {
		leader := w.leader()
		w.end(leader, syscall.SIGKILL)
		return attack{again: published, killed: true}
	},
	"pair: SIGTERM": func(w *together) attack {
		w.end(w.leader(), syscall.SIGTERM)
		return attack{}
	},
	"pair: SIGTERM of the other": func(w *together) attack {
		w.end(map[string]string{"a": "b", "b": "a"}[w.leader()], syscall.SIGTERM)
		return attack{}
	},
	"pair: SIGSTOP": func(w *together) attack {
		w.freeze(w.leader(), 5*time.Second)
		return attack{again: published, killed: true}
	},
	"pair: SIGKILL of both": func(w *together) attack {
		w.end("a", syscall.SIGKILL)
		w.end("b", syscall.SIGKILL)
		return attack{again: published, killed: true}
	},
	"pair: the Lease is deleted":  lease(""),
	"pair: the Lease is nobody's": lease(`{"spec":{"holderIdentity":""}}`),
	"pair: the Lease is another's": lease(`{"spec":{"holderIdentity":"nobody\u001b[31m","leaseDurationSeconds":2147483647,` +
		`"renewTime":"2100-01-01T00:00:00.000000Z"}}`),
	"pair: the Lease is garbled": lease(`{"metadata":{"annotations":{"x":"\u0000"}},"spec":{"renewTime":null,"acquireTime":null,` +
		`"leaseDurationSeconds":1,"leaseTransitions":2147483647}}`),
	"pair: the record is deleted":         progress("", true),
	"pair: the record is empty":           progress(`{"binaryData":null,"data":null}`, true),
	"pair: the record is garbled":         progress(`{"binaryData":{"listener.all-3":"AAAA","all-3":"AAAA"},"data":{"x":"\u0000"}}`, true),
	"pair: the record has no annotations": progress(`{"metadata":{"annotations":null,"labels":null}}`, false),
}

// lease changes the Lease, and progress what the leader has written down: the leader goes on, or
// another one takes over, which may know nothing of what was before.
func lease(patch string) func(w *together) attack {
	return func(w *together) attack {
		w.patch("lease.coordination.k8s.io", "together", patch)
		<-time.After(5 * time.Second) // for longer than the Lease
		return attack{again: published, killed: true}
	}
}

func progress(patch string, forgot bool) func(w *together) attack {
	return func(w *together) attack {
		w.patch("configmap", "together-progress", patch)
		if w.random.IntN(2) == 0 {
			w.end(w.leader(), syscall.SIGKILL)
			return attack{again: published, killed: true, forgot: forgot}
		}
		<-time.After(3 * time.Second) // it is written every two
		return attack{}
	}
}

// attack does one, and waits until all goes on.
func (w *together) attack(name string) {
	begun := time.Now()
	w.damaged = false
	a := attacks[name](w)
	a.how = name
	if a.at.IsZero() {
		a.at = begun
	}
	a.until = time.Now().Add(overlap)
	if w.settle(name) {
		a.forgot, a.how = true, name+", and forgotten"
	}
	if a.settled = time.Now(); a.forgot {
		a.until = a.settled
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of, _, _ := strings.Cut(name, ":")
	w.attacks[of] = append(w.attacks[of], a)
}

func (w *together) kill() attack {
	a := attack{at: time.Now(), again: saved, killed: true}
	w.end("alone", syscall.SIGKILL)
	return a
}

// freeze stops a process for a time.
func (w *together) freeze(name string, lasts time.Duration) {
	p := w.processes[name].cmd.Process
	_ = p.Signal(syscall.SIGSTOP)
	<-time.After(lasts) // that is what is tested
	_ = p.Signal(syscall.SIGCONT)
}

// empty removes what is in the folder of the one that is alone.
func (w *together) empty() {
	all, err := os.ReadDir(w.path("alone", "state"))
	for _, f := range all {
		if err == nil {
			err = os.RemoveAll(w.path("alone", "state", f.Name()))
		}
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *together) remount(how string) {
	if out, err := exec.Command("mount", "-o", "remount,"+how, w.path("alone", "state")).CombinedOutput(); err != nil {
		w.Fatalf("%v: %s", err, out)
	}
}

// reload has processes read a broken configuration, and then another one.
func (w *together) reload(names ...string) attack {
	of := who(names[0])
	w.variants[of] = (w.variants[of] + 1) % len(selects)
	for _, broken := range []bool{true, false} {
		for _, name := range names {
			w.configure(name, broken)
			_ = w.processes[name].cmd.Process.Signal(syscall.SIGHUP)
		}
		<-time.After(500 * time.Millisecond) // it need not have come to it
	}
	return attack{again: time.Hour, reload: true}
}
