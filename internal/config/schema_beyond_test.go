package config

import (
	"slices"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
)

// beyondSchema are the mistakes of the tests that a JSON Schema cannot find, by the reason for
// that.
var beyondSchema = map[string][]string{
	"it names what may not exist": {
		"TestListenerMistakes/unknown_informer",
		"TestListenerMistakes/unknown_informer,_nothing_near",
		"TestListenerMistakes/unknown_output",
		"TestGrantMistakes/kv,_nowhere_to_keep_values",
		"TestShardingMistakes/nobody_to_share_with",
		"TestClusterMistakes/replicas_that_share_nothing",
		"TestClusterMistakes/replicas_that_share_nothing_of_a_folder",
		"TestClusterMistakes/an_informer_of_one_cluster",
		"TestClusterMistakes/a_selector_of_one_cluster",
		"TestPolicyMistakes/unknown_informer",
		"TestPolicyMistakes/unknown_informer,_nothing_near",
		"TestPoliciesMistakes/no_match",
		"TestPoliciesMistakes/no_match_anywhere",
	},
	"two values are wrong together, or one of them twice": {
		"TestListenerMistakes/resync_without_period",
		"TestListenerMistakes/resync_with_period_0",
		"TestListenerMistakes/period_without_resync",
		"TestListenerMistakes/drop_and_a_select",
		"TestListenerMistakes/drop_and_rules",
		"TestClusterMistakes/twice",
		"TestClusterMistakes/context_of_nothing",
		"TestClusterMistakes/state_in_common",
		"TestElectionMistakes/drop_and_replicas",
		"TestElectionMistakes/checkpoint_and_replicas",
		"TestElectionMistakes/deadline_as_long_as_the_lease",
		"TestElectionMistakes/lease_as_short_as_the_deadline",
		"TestElectionMistakes/deadline_as_short_as_the_period",
		"TestElectionMistakes/period_as_long_as_the_deadline",
		"TestHTTPMistakes/any_address",
		"TestHTTPMistakes/all_addresses",
		"TestHTTPMistakes/a_name",
		"TestHTTPMistakes/hosts_and_audiences_without_auth",
		"TestListenerMistakes/spill_without_the_policy",
		"TestOutputMistakes/standard_output_as_a_file",
		"TestOutputMistakes/one_file_twice",
		"TestOutputMistakes/two_that_apply",
		"TestOutputMistakes/patch_of_nothing",
		"TestOutputMistakes/pager_of_no_rules",
		"TestReceiverMistakes/batch_without_the_mode",
		"TestReceiverMistakes/certificate_without_a_key",
		"TestReceiverMistakes/tls_without_tls",
		"TestInformerMistakes/secrets",
		"TestInformerMistakes/secrets_by_kind_and_version",
		"TestInformerMistakes/secrets_inline",
		"TestInformerMistakes/index_on_what_is_dropped",
		"TestInformerMistakes/indexes_of_a_shared_cache",
		"TestRuleMistakes/name_twice",
		"TestConfigMistakes/empty_listeners",
		"TestGrantMistakes/emit,_types_of_nothing",
		"TestGrantMistakes/emit,_types_of_data",
		"TestHeaderMistakes/same",
		"TestUnitMistakes/backoffs_crossed",
		"TestUnitMistakes/backoff_over_the_default",
		"TestPolicyMistakes/rules_of_one_name",
		"TestPolicyMistakes/name_of_a_listener",
		"TestPolicyMistakes/indexes_of_a_cache_shared_with_the_configuration",
		"TestPolicyMistakes/indexes_of_a_shared_cache",
		"TestPoliciesMistakes/one_file_twice",
	},
	"a duration, a quantity or a time is out of range": {
		"TestElectionMistakes/lease_too_short",
		"TestElectionMistakes/parts_of_seconds",
		"TestElectionMistakes/deadline_too_short",
		"TestElectionMistakes/period_too_short",
		"TestListenerMistakes/spill_too_small",
		"TestOutputMistakes/giving_up",
		"TestRuleMistakes/for,_too_long",
		"TestRuleMistakes/repeat,_too_short",
		"TestRuleMistakes/repeat,_too_long",
		"TestHTTPMistakes/port_too_large",
		"TestHealthAndShutdownMistakes/drain_too_long",
		"TestHealthAndShutdownMistakes/close_too_short",
		"TestGrantMistakes/kv_for_ages",
		"TestGrantMistakes/long_ago",
		"TestGrantMistakes/the_zero_time",
		"TestGrantMistakes/far_ahead",
		"TestUnitMistakes/too_long_for_a_duration",
		"TestUnitMistakes/too_short",
		"TestUnitMistakes/memory_in_thousandths",
		"TestUnitMistakes/memory_too_large",
		"TestUnitMistakes/deadline",
	},
	"it is about YAML, and no longer there in JSON": {
		"TestListenerMistakes/handler_config",
		"TestSchemaMistakes/repeated_field",
		"TestSchemaMistakes/repeated_listener",
		"TestSchemaMistakes/merge_key",
		"TestSchemaMistakes/key_that_is_not_a_string",
		"TestSchemaMistakes/key_that_is_a_list",
		"TestSchemaMistakes/key_that_was_on",
		"TestSchemaMistakes/tag",
		"TestSchemaMistakes/octal_number",
		"TestSchemaMistakes/date_for_a_text",
		"TestPolicyMistakes/a_key_that_is_none",
		"TestPolicyMistakes/binary",
		"TestPolicyMistakes/alias_in_itself",
		"TestPolicyMistakes/alias_bomb",
		"TestPolicyMistakes/deep",
		"TestPoliciesMistakes/listeners_that_are_none",
	},
	"the form of the text is read by code": {
		"TestPathMistakes/$HOME/x.wasm",
		"TestPathMistakes/${HOME}/x.wasm",
		"TestPathMistakes//opt/$ENV/x.wasm",
		"TestPathMistakes//opt/${env}x.wasm",
		"TestPathMistakes/handlers/$NAME",
		"TestPathMistakes/spill",
		"TestClusterMistakes/from_a_folder_by_variable",
		"TestOutputMistakes/path_with_a_variable",
		"TestOutputMistakes/pager_with_the_path",
		"TestReceiverMistakes/credential_in_a_header",
		"TestReceiverMistakes/own_header",
		"TestReceiverMistakes/secret_of_Slack",
		"TestReceiverMistakes/secret_in_the_query",
		"TestReceiverMistakes/topic_of_dots",
		"TestListenerMistakes/remote_wasm",
		"TestInformerMistakes/label_selector",
		"TestInformerMistakes/field_selector",
		"TestInformerMistakes/drop",
		"TestHTTPMistakes/all_IPv6_addresses",
		"TestHTTPGrantMistakes/hosts_that_look_like_addresses,_and_others",
		"TestHTTPGrantMistakes/paths",
		"TestHeaderMistakes/framing",
		"TestHeaderMistakes/proxy",
		"TestHeaderMistakes/line_break",
		"TestStateMistakes/variable",
		"TestPoliciesMistakes/no_pattern",
		"TestPoliciesMistakes/folders_in_folders",
	},
}

// checkSchemaRejects holds that the JSON Schema finds every mistake but those of beyondSchema.
func checkSchemaRejects(t *testing.T, kind *document.Kind, text string) {
	t.Helper()
	beyond := ""
	for reason, names := range beyondSchema {
		if slices.Contains(names, t.Name()) {
			beyond = reason
		}
	}
	rejected := schemaSays(t, kind, text) != nil
	switch {
	case !rejected && beyond == "":
		t.Errorf("the JSON Schema takes it: say it in a tag, or add %q to beyondSchema", t.Name())
	case rejected && beyond != "":
		t.Errorf("the JSON Schema rejects it: remove %q from beyondSchema, %s", t.Name(), beyond)
	}
}
