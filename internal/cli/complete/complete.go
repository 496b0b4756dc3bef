// Package complete has what shells complete of a command line.
//
//   - Names of listeners and outputs are those of the configuration on the line. One that cannot be
//     read completes nothing; one with mistakes completes what could be read of it.
//   - Nothing is run, and no server is asked. Dead letters are those of a running informerd, which
//     answers on its socket.
//   - Flags that take one of several words complete these; flags for files complete files of the
//     right sort.
package complete

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Words are what a flag or an argument may be.
type Words []string

// Sources are what the package does not know itself.
type Sources struct {
	// Words of flags, by the flag's name, or by the command's path and the flag's name, as in
	// "rbac --output". Those that take several, with commas between them, are in Lists.
	Flags map[string]Words
	Lists map[string]Words
	// Resources are names of resources.
	Resources Words
	// Letters returns the IDs of dead letters, each with a description after a tab.
	Letters func(config string) []string
}

var (
	configurations = []string{"yaml", "yml", "json"}
	objects        = []string{"yaml", "yml", "json", "jsonl"}
	modules        = []string{"wasm"}
)

// fileFlags are the extensions of the files that flags take; nil is any file.
var fileFlags = map[string][]string{"config": configurations, "kubeconfig": nil,
	"rules": configurations, "object": objects, "old": objects, "event": objects, "cache": nil,
	"with": modules, "wasm": modules, "migrate --output": configurations}

// folderFlags take folders.
var folderFlags = []string{"dir", "state-dir"}

// Add has the commands below root complete their flags and arguments.
func Add(root *cobra.Command, s Sources) {
	// What nobody has thought of is not a file.
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for _, cmd := range root.Commands() {
		s.add(cmd)
	}
}

func (s *Sources) add(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		s.add(below)
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if complete := s.flag(path, f.Name); complete != nil {
			// It fails for a flag that is not there, or has a function already.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
		}
	})
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = s.arguments(path, cmd.Use)
	}
}

// flag returns what completes a flag, nil if nothing does.
func (s *Sources) flag(path, name string) cobra.CompletionFunc {
	for _, key := range []string{path + " --" + name, name} {
		if words, ok := s.Flags[key]; ok {
			return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
		}
		if words, ok := s.Lists[key]; ok {
			return listed(words)
		}
		if extensions, ok := fileFlags[key]; ok {
			return files(extensions)
		}
	}
	switch {
	case slices.Contains(folderFlags, name):
		return folders
	case name == "listener":
		return ofConfiguration(func(n *Names) []string { return n.Listeners })
	case name == "to":
		return ofConfiguration(func(n *Names) []string { return n.Outputs })
	}
	return nil
}

// arguments returns what completes the arguments of a command, by how its usage describes them.
func (s *Sources) arguments(path, use string) cobra.CompletionFunc {
	_, takes, _ := strings.Cut(use, " ")
	takes, _, _ = strings.Cut(takes, "--")
	switch {
	case path == "migrate": // scripts, too
		return files(nil)
	case strings.Contains(takes, "LISTENER"):
		return behindFile(ofConfiguration(func(n *Names) []string { return n.Listeners }), false)
	case strings.Contains(takes, "ID"):
		return behindFile(s.letters, true)
	case strings.Contains(takes, ".wasm"):
		return files(modules)
	case strings.Contains(takes, "FOLDER"), strings.Contains(takes, "DIR"):
		return folders
	case strings.Contains(takes, "RESOURCE"):
		return listed(s.Resources)
	case strings.Contains(takes, "FILE…"), strings.Contains(takes, "FILE..."):
		return files(configurations)
	case strings.Contains(takes, "FILE"):
		return first(files(configurations))
	}
	return cobra.NoFileCompletions
}

// letters completes dead letters that are not on the line yet.
func (s *Sources) letters(cmd *cobra.Command, args []string, _ string) (ids []string,
	_ cobra.ShellCompDirective) {
	var files []string
	if len(args) > 0 && isFile(args[0]) {
		files = args[:1]
	}
	for _, path := range paths(cmd, files) {
		for _, letter := range s.Letters(path) {
			id, _, _ := strings.Cut(letter, "\t")
			if !slices.Contains(args, id) {
				ids = append(ids, letter)
			}
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// isFile reports whether an argument is a file and not a name, as commands that take both read it.
func isFile(arg string) bool { return strings.ContainsAny(arg, "./") }

// behindFile completes the argument, or several, behind a configuration that may be the first one,
// and the configuration if the line has none.
func behindFile(complete cobra.CompletionFunc, several bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string,
		cobra.ShellCompDirective) {
		given := len(paths(cmd, nil)) > 0
		switch {
		case !given && len(args) == 0:
			return files(configurations)(cmd, args, word)
		case several, len(args) == 0, len(args) == 1 && isFile(args[0]):
			return complete(cmd, args, word)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// first completes the first argument alone.
func first(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string,
		cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, word)
	}
}

// files completes files with one of the extensions, or all of them, and folders on the way to them.
func files(extensions []string) cobra.CompletionFunc {
	if extensions == nil {
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// listed completes the last of several words with commas between them. A word that takes a value
// or another word does not end what is completed.
func listed(words Words) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) (all []string,
		_ cobra.ShellCompDirective) {
		before := word[:strings.LastIndexByte(word, ',')+1]
		there := strings.Split(before, ",")
		for _, w := range words {
			if !slices.Contains(there, w) {
				all = append(all, before+w)
			}
		}
		return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// ofConfiguration completes names of the configurations on the line.
func ofConfiguration(pick func(*Names) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (all []string,
		_ cobra.ShellCompDirective) {
		if names := Read(paths(cmd, args)...); names != nil {
			all = pick(names)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// paths returns what may be the configurations on the line: those of --config, and arguments.
func paths(cmd *cobra.Command, args []string) (all []string) {
	if f := cmd.Flags().Lookup("config"); f != nil {
		if several, ok := f.Value.(pflag.SliceValue); ok {
			all = several.GetSlice()
		} else if f.Value.String() != "" {
			all = []string{f.Value.String()}
		}
	}
	// cobra parses a line twice, and a flag that may be given several times keeps both.
	return slices.Compact(slices.Sorted(slices.Values(append(all, args...))))
}
