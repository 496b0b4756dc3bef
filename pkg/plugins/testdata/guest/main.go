// Guest uses all of the Go SDK, and does what its configuration says.
package main

import (
	"fmt"
	"os"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

var (
	name = informerd.Path("metadata.name")
	task struct{ Do string }
	kept [][]byte
)

func init() {
	informerd.Register(informerd.Handler{
		Configure: func() error { return informerd.Config(&task) },
		OnEvent:   onEvent,
	})
}

func main() {}

func onEvent(e *informerd.Event) informerd.Verdict {
	switch task.Do {
	case "panic":
		panic("at the disco")
	case "panic three calls deep":
		return informerd.Verdict(outermost([]int{1, 2, 3}, 5))
	case "exit":
		os.Exit(3)
	case "sleep":
		begun := time.Now()
		time.Sleep(time.Hour)
		if time.Since(begun) < time.Hour {
			return e.Fail("slept too little")
		}
	case "wait for a goroutine":
		done := make(chan string)
		go func() {
			<-time.After(time.Minute)
			done <- e.Object.String(name)
		}()
		informerd.Log(informerd.LevelInfo, <-done)
	case "fill the memory":
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "files":
		_, err := os.ReadFile("/etc/passwd")
		return e.Fail(fmt.Sprint(err, ", ", len(os.Args), " arguments, ", len(os.Environ()),
			" variables"))
	case "print":
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
	case "emit":
		if err := informerd.SetData(map[string]any{"name": e.Object.String(name),
			"size": len(e.Object.JSON())}); err != nil {
			return e.Fail(err.Error())
		}
		fmt.Println(informerd.SetData(1), "|", informerd.Emit("a b", 1), "|",
			informerd.Emit("dev.informerd.rule.violated", 1))
	}
	return informerd.Done
}
