// Command is a WASI command without any SDK: it reads events from stdin, and does with each what
// its configuration says. It does without encoding/json and fmt, which would double the time that
// its tests take.
package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

var seen int // by this run

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		seen++
		handle(in.Text())
	}
}

func handle(line string) {
	switch after(line, `"do":"`) {
	case "panic":
		panic("at the disco")
	case "exit":
		os.Stdout.WriteString(`{"verdict":"done"}` + "\n")
		os.Exit(0)
	case "loop":
		for {
		}
	case "fill the memory":
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	}
	n := strconv.Itoa(seen)
	os.Stderr.WriteString("seen " + n + "\n")
	os.Stdout.WriteString(`{"verdict":"done","emit":[{"type":"seen","data":"` + n + " " +
		after(line, `"op":"`) + " " +
		after(line, `"name":"`) + `"}]}` + "\n")
}

// after returns the text of the string that begins with a mark.
func after(line, mark string) string {
	_, rest, _ := strings.Cut(line, mark)
	text, _, _ := strings.Cut(rest, `"`)
	return text
}
