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
		Use:       "schema [config|policy]",
		Short:     "Print the JSON Schema of configurations and policy files",
		Example:   "  informerd schema > informerd.schema.json",
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

// schemaOf returns the schema of one kind of files, which is a branch of the whole.
func schemaOf(branch string) ([]byte, error) {
	var whole, kind map[string]json.RawMessage
	if err := json.Unmarshal(docs.ConfigSchema, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole[branch], &kind); err != nil {
		return nil, err
	}
	whole["$ref"] = kind["$ref"]
	for _, condition := range []string{"if", "then", "else"} {
		delete(whole, condition)
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	return append(text, '\n'), err
}
