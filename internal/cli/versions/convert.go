package versions

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
)

// NewConvert returns the command convert. Usage marks an error as a mistake on the command line.
func NewConvert(stdin io.Reader, stdout io.Writer, usage func(error) error) *cobra.Command {
	var to string
	var write bool
	cmd := &cobra.Command{
		Use:   "convert FILE...",
		Short: "Write a configuration or a policy file in another apiVersion",
		Long: "Write a configuration or a policy file in another apiVersion. Only the names and values that differ\n" +
			"change: comments, order and layout stay, and the result means the same. It goes to stdout, or with\n" +
			"--write into the files themselves. Policy files that a configuration names have an apiVersion of their\n" +
			"own, so they are converted only if they are named here.",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage(fmt.Errorf("%s needs a file; - is standard input", cmd.CommandPath()))
			case len(args) > 1 && !write:
				return usage(fmt.Errorf("%s takes several files only with --write",
					cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			version, err := apiVersion(to)
			if err != nil {
				return usage(err)
			}
			if write && slices.Contains(args, "-") {
				return usage(errors.New("--write needs a file, and not standard input"))
			}
			return convert(args, version, write, stdin, stdout)
		},
	}
	var known []string
	for _, version := range config.APIVersions {
		known = append(known, shortVersion(version))
	}
	cmd.Flags().StringVar(&to, "to", shortVersion(config.Newest),
		"the apiVersion: "+strings.Join(known, " or "))
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the result into the file")
	return cmd
}

// shortVersion returns an apiVersion without its group.
func shortVersion(apiVersion string) string {
	return apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
}

// apiVersion returns the apiVersion that is meant, with or without its group.
func apiVersion(to string) (string, error) {
	var known []string
	for _, version := range config.APIVersions {
		if to == version || to == shortVersion(version) {
			return version, nil
		}
		known = append(known, shortVersion(version))
	}
	return "", fmt.Errorf("--to %q: it is %s", to, strings.Join(known, " or "))
}

// convert converts all files before it writes any, so that a mistake in one changes nothing.
func convert(paths []string, to string, write bool, stdin io.Reader, stdout io.Writer) error {
	var all config.Errors
	converted := make([][]byte, len(paths))
	changed := make([]bool, len(paths))
	for i, path := range paths {
		file, data, err := config.Loading{Stdin: stdin, Regular: write}.Text(path)
		if err == nil {
			converted[i], err = config.Convert(file, data, to)
			changed[i] = string(converted[i]) != string(data)
		}
		var mistakes config.Errors
		if errors.As(err, &mistakes) {
			all = append(all, mistakes...)
		} else if err != nil {
			return err
		}
	}
	if len(all) > 0 {
		return all
	}
	if !write {
		_, err := stdout.Write(converted[0])
		return err
	}
	for i, path := range paths {
		said := "was " + to + " already"
		if changed[i] {
			said = "is " + to + " now"
			if err := replace(path, converted[i]); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintln(stdout, path, said); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces the content of a file completely or not at all. A link stays one.
func replace(path string, data []byte) (err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
