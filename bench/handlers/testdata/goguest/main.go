// Guest reads two fields, like guest.c.
package main

import informerd "github.com/informerd/informerd/plugins/sdk/go"

var (
	phase = informerd.Path("status.phase")
	image = informerd.Path("spec.containers[0].image")
)

func init() { informerd.Register(informerd.Handler{OnEvent: onEvent}) }

func main() {}

func onEvent(e *informerd.Event) informerd.Verdict {
	p, i := e.Object.String(phase), e.Object.String(image)
	return informerd.Verdict((len(p) + int(p[0]) + len(i) + int(i[len(i)-1])) & 3)
}
