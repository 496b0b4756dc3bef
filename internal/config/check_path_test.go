package config

import "testing"

// What a shell would replace is a mistake with a hint; whatever else a file can be called is not.
func TestPathMistakes(t *testing.T) {
	for _, path := range []string{"$HOME/x.wasm", "${HOME}/x.wasm", "/opt/$ENV/x.wasm",
		"/opt/${env}x.wasm", "handlers/$NAME"} {
		testMistakes(t, []mistake{
			{path, listenerLine, listenerWith("handler: {wasm: " + `"` + path + `"}`),
				"10:21: listeners.a.handler.wasm must not have a variable in it, which is not expanded, is \"" + path + `"`}})
	}
	testMistakes(t, []mistake{
		{"home", listenerLine, listenerWith("handler: {wasm: ~/x.wasm}"),
			`10:21: listeners.a.handler.wasm must not begin with ~, which is not expanded, is "~/x.wasm"`},
		{"spill", listenerLine, listenerWith("buffer: {overflow: spill, spill: {dir: $TMPDIR}}"),
			`10:44: listeners.a.buffer.spill.dir must not have a variable in it, which is not expanded, is "$TMPDIR"`},
	})
	for _, path := range []string{"x.wasm", "a~/x.wasm", "./~/x.wasm", "~user/x.wasm", "$x.wasm",
		"a$B/x.wasm", "/opt/..data/x.wasm", "${}/x", "$/x"} {
		if problem := checkPath(path, "a file"); problem != "" {
			t.Errorf("%s:%s", path, problem)
		}
	}
}
