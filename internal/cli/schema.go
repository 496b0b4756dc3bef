package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/docs"
)

func newSchema(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [config|policy]",
		Short: "Print the JSON Schema of configurations and policy files",
		Long: "Print the JSON Schema of configurations and policy files, for editors and other tools, or of one of them. It does\n" +
			"not cover everything that informerd validate finds.",
		Example: "  informerd schema > informerd.schema.json\n" +
			"  informerd schema policy > policy.schema.json",
		ValidArgs: []string{"config", "policy"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
			}
			text := docs.ConfigSchema
			if len(args) == 1 {
				branch, known := map[string]string{"config": "else", "policy": "then"}[args[0]]
				if !known {
					return usage(fmt.Errorf("there is no schema %q: it is config or policy",
						args[0]))
				}
				var err error
				if text, err = schemaOf(branch); err != nil {
					return err
				}
			}
			_, err := stdout.Write(text)
			return err
		},
	}
}

// schemaOf returns the schema of one kind of files: of each version, the branch for that.
func schemaOf(branch string) ([]byte, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(docs.ConfigSchema, &whole); err != nil {
		return nil, err
	}
	for _, version := range []string{"then", "else"} {
		var kinds map[string]json.RawMessage
		if err := json.Unmarshal(whole[version], &kinds); err != nil {
			return nil, err
		}
		whole[version] = kinds[branch]
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	return append(text, '\n'), err
}
