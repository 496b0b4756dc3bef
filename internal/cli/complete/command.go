package complete

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/starter"
	"github.com/informerd/informerd/internal/verdict"
)

// shells are those that completion writes a script for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// NewCommand returns the command that prints the scripts. A wrong command line is made of its error
// by usage.
func NewCommand(stdout io.Writer, usage func(error) error) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that has a shell complete commands, flags, listeners, outputs and dead letters",
		Long: "Print a script that has a shell complete commands, flags, files, and names of the configuration on the line.\n\n" +
			"bash, with the package bash-completion; for all users, or for this shell alone:\n" +
			"  informerd completion bash > /etc/bash_completion.d/informerd\n" +
			"  source <(informerd completion bash)\n\n" +
			"zsh, with compinit in ~/.zshrc; for new shells:\n" +
			"  informerd completion zsh > \"${fpath[1]}/_informerd\"\n\n" +
			"fish, for new shells:\n" +
			"  informerd completion fish > ~/.config/fish/completions/informerd.fish\n\n" +
			"PowerShell, for this shell, or for new ones by adding the line to $PROFILE:\n" +
			"  informerd completion powershell | Out-String | Invoke-Expression",
		Example:   "  source <(informerd completion bash)",
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return usage(fmt.Errorf("%s takes a shell: bash, zsh, fish or powershell",
					cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(stdout, true)
			case "zsh":
				return root.GenZshCompletion(stdout)
			case "fish":
				return root.GenFishCompletion(stdout, true)
			}
			return root.GenPowerShellCompletionWithDesc(stdout)
		},
	}
}

// Known are the words that are known here. Those of commands come from where they are defined.
func Known(orders []string) Sources {
	textOrJSON := Words{"text", "json"}
	return Sources{
		Flags: map[string]Words{
			"output": textOrJSON, "validate --output": verdict.Formats, "rbac --output": {"yaml", "json"},
			"watch --output": {"short", "json", "yaml"}, "log-format": textOrJSON,
			"log-level": {"debug", "info", "warn", "error"}, "schema": {"builtin", "off"},
			"sort": orders, "reason": deadletter.Reasons(), "lang": {"go", "rust", "as", "c"},
			"migrate --from": {"event-exporter", "kubewatch", "shell-operator"}, "report": textOrJSON,
			"op": {"add", "update", "delete", "resync"},
		},
		Lists: map[string]Words{"from": starter.Resources(), "policy": starter.Policies(),
			"about": starter.Subjects, "alert": starter.Kinds()},
		Resources: starter.Resources(),
		Letters:   lettersFor,
	}
}

// Completion must not be slow, and nobody reads long lists.
const (
	completionPatience = time.Second
	completedLetters   = 100
)

// lettersFor returns the first dead letters of the informerd that runs with a configuration, with
// their descriptions. There are none if none runs: opening the store would lock it.
func lettersFor(path string) (all []string) {
	ctx, cancel := context.WithTimeout(context.Background(), completionPatience)
	defer cancel()
	dir, err := config.Loading{Regular: true}.StateDir(path)
	if err != nil || dir == "" {
		return nil
	}
	client, err := admin.Dial(ctx, dir)
	if err != nil {
		return nil
	}
	defer client.Close()
	some := admin.Selection{Limit: completedLetters, Heads: true}
	for l, err := range client.List(ctx, some) {
		if err != nil {
			break
		}
		if name.MatchString(l.Listener) {
			all = append(all, l.ID+"\t"+l.Listener+": "+l.Reason)
		}
	}
	return all
}
