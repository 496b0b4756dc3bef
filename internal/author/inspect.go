package author

import (
	"fmt"
	"io"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// rights describe what each grant allows.
var rights = map[string]string{
	"log":    "write log lines",
	"kv":     "keep values",
	"clock":  "know the time",
	"random": "have random numbers",
	"http":   "make HTTP requests",
	"cache":  "read the caches of informers",
}

// always describes the modules that need no grant.
var always = map[string]string{
	abi.ModuleEvent:  "read its events",
	abi.ModuleResult: "emit, and state reasons",
	abi.ModuleConfig: "read its configuration",
	abi.ModuleWASI:   "what language runtimes import",
}

// Inspect writes what a module contains. It is an error if the module is not a handler.
func Inspect(path string, w io.Writer) error {
	wasm, err := readModule(path)
	if err != nil {
		return err
	}
	in, err := plugins.Inspect(wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err = showInspection(path, in, w); err == nil && in.Kind == plugins.ModuleOther {
		return fmt.Errorf("%s is not a handler", path)
	}
	return err
}

func showInspection(path string, in *plugins.Inspection, w io.Writer) error {
	p := &page{w: w}
	p.line("%s", wording.Printable(path))
	switch in.Kind {
	case plugins.ModuleHandler:
		p.row("abi", "informerd/v1")
	case plugins.ModuleCommand:
		p.row("abi", "a WASI command: events as lines of JSON, started again for each event or batch")
	default:
		p.row("abi", "not a handler: "+wording.Printable(in.Refusal))
	}
	p.row("sha256", in.Digest)
	p.row("size", size(int64(in.Size)))
	p.row("memory", memoryOf(in)...)
	if in.Kind != plugins.ModuleOther {
		p.row("metered", "yes: fuel and deadlines can be enforced")
	}
	p.row("stack", map[bool]string{true: "a crash shows the names of functions",
		false: "a crash shows no names of functions, since the module has none (section name)"}[in.Named])
	p.row("made by", producers(in)...)
	p.row("exports", exports(in)...)
	p.row("asks for", asksFor(in)...)
	if grants := in.Grants(); len(grants) > 0 {
		p.row("grants", "in the handler's part of the configuration:")
		p.line("")
		p.line("grants:")
		for _, grant := range grants {
			p.line("  %s", config.GrantUsage(grant))
		}
	} else if in.Kind != plugins.ModuleOther {
		p.row("grants", "none needed")
	}
	return p.err
}

func maximum(bounded bool, text string) string {
	if !bounded {
		return "no maximum"
	}
	return "at most " + text
}

func memoryOf(in *plugins.Inspection) []string {
	if in.Memory == nil {
		return []string{"none"}
	}
	lines := []string{size(in.Memory.Min) + " at first, " + maximum(in.Memory.Bounded,
		size(in.Memory.Max))}
	if in.Memory.Min > plugins.DefaultMemory() {
		lines = append(lines, fmt.Sprintf("more than the default limit: limits: {memory: %s}",
			quantity(in.Memory.Min)))
	}
	return lines
}

func producers(in *plugins.Inspection) (lines []string) {
	for _, p := range in.Producers {
		lines = append(lines, wording.Printable(strings.TrimSpace(p.Name+" "+p.Version))+" ("+
			wording.Printable(p.Field)+")")
	}
	return lines
}

// maxShown is how many exports and names of imports are shown of each kind.
const maxShown = 40

func exports(in *plugins.Inspection) (lines []string) {
	for i, e := range in.Exports {
		if i == maxShown {
			return append(lines,
				fmt.Sprintf("and %s more", number(int64(len(in.Exports)-maxShown))))
		}
		if e.Type != "" {
			lines = append(lines, wording.Printable(e.Name)+" "+e.Type)
		} else {
			lines = append(lines, wording.Printable(e.Name)+", a "+e.Kind)
		}
	}
	return lines
}

func asksFor(in *plugins.Inspection) (lines []string) {
	for _, i := range in.Imports {
		about := always[i.Module]
		switch {
		case i.Unknown:
			about = "there is no such module"
		case i.Grant != "":
			about = fmt.Sprintf("%s: needs the grant %s", rights[i.Grant], i.Grant)
		}
		shown := i.Names[:min(len(i.Names), maxShown)]
		lines = append(lines, fmt.Sprintf("%s (%s): %s", wording.Printable(i.Module), about,
			wording.Printable(strings.Join(shown, ", "))))
	}
	return lines
}
