package httpsink

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
)

// refusals are texts that Slack sends with status 200 for what a retry does not mend:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
var refusals = []string{
	"action_prohibited", "channel_is_archived", "channel_not_found", "invalid_payload",
	"invalid_token", "no_active_hooks", "no_service", "no_service_id", "no_team", "no_text",
	"posting_to_general_channel_denied", "team_disabled", "too_many_attachments",
	"user_not_found",
}

// troubles are texts that Slack sends with status 200 for what passes.
var troubles = []string{"fatal_error", "internal_error", "rate_limited", "ratelimited",
	"request_timeout", "rollup_error", "service_unavailable"}

// limited finds what receivers say about limits that they have.
var limited = regexp.MustCompile(
	`(?i)rate.?limit|\bfreq|throttl|too (many|fast)|HTTP error (429|5\d\d)\b`)

// limitedItem finds the same where a body has items, as that of Elasticsearch: what else it says may be
// an object's own text.
var limitedItem = regexp.MustCompile(`"status": ?(429|5\d\d)\b`)

// teams begins what Teams' connectors answer with status 200.
const teams = "Webhook message delivery failed"

// judgeBody returns nil unless the body of an answer with status 2xx says that the message was not
// taken. There is no standard for that; these are the ways of known receivers:
//
//	{"ok": false, "error": "…"}           Slack, Telegram
//	{"success": false}                    Discourse and others
//	{"errcode": 310000, "errmsg": "…"}    DingTalk, WeCom
//	{"errors": true}                      Elasticsearch
//	channel_not_found                     Slack
//	Webhook message delivery failed …     Teams
func (a Answer) judgeBody(hidden []string) error {
	text := strings.TrimSpace(string(a.Body))
	var says map[string]any
	switch {
	case slices.Contains(refusals, text), slices.Contains(troubles, text),
		strings.HasPrefix(text, teams):
	case strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &says) == nil && refuses(says):
		for _, name := range []string{"error", "errmsg", "description", "message", "msg"} {
			if why, is := says[name].(string); is && why != "" {
				text = why
				break
			}
		}
	default:
		return nil
	}
	refused := &statusError{a.Status, fmt.Sprintf("the receiver answered %d, and refused: %q",
		a.Status, wording.Cut(redact(text, hidden), maxQuoted))}
	limit := limited
	if strings.HasPrefix(text, "{") {
		limit = limitedItem
	}
	// Telegram says why in words that may be an object's, and what it means by a number.
	code, _ := says["error_code"].(float64)
	if slices.Contains(troubles, text) || (code < 400 || code == 429 || code >= 500) && limit.MatchString(text) {
		return refused
	}
	return sink.Permanent(refused)
}

// refuses reports whether an object of JSON says that a message was not taken.
func refuses(says map[string]any) bool {
	code, _ := says["errcode"].(float64)
	return says["ok"] == false || says["success"] == false || says["errors"] == true || code != 0
}
