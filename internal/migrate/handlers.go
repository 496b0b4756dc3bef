package migrate

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// What kubewatch knows of an event, as expressions.
const (
	kwReason = `op == "add" ? "Created" : op == "update" ? "Updated" : "Deleted"`
	kwStatus = `op == "add" ? %s : op == "update" ? %s : %s`
)

// kind returns the expression of the kind in messages: for custom resources it is their plural.
func (k *kubewatch) kind() string {
	var custom []string
	for _, n := range k.root.List("customresources") {
		name := n.String("resource")
		if group := n.String("group"); group != "" {
			name += "." + group
		}
		custom = append(custom, name)
	}
	switch {
	case custom == nil:
		return "object.kind"
	case len(k.listeners) == len(custom):
		return "resource"
	}
	return fmt.Sprintf("(resource in %s ? resource : object.kind)", quotedList(custom))
}

// message is the text that kubewatch makes of an event.
func (k *kubewatch) message() string {
	return "\"A `\" + " + k.kind() + " + \"` in namespace `\" + namespace + \"` has been `\" + (" +
		kwReason + ") + \"`:\\n`\" + name + \"`\""
}

func colors(normal, warning, danger string) string {
	return fmt.Sprintf(kwStatus, quoted(normal), quoted(warning), quoted(danger))
}

// handle converts the handler.
func (k *kubewatch) handle(handler string, out *part) fields {
	root, field := k.root.Get("handler"), "handler."+handler
	if k.values {
		root, field = k.root, handler
	}
	n := root.Get(handler)
	if handler == "" {
		if root == nil {
			root = k.root
		}
		k.find(Differs, root, "handler", "kubewatch has no handler, and only logs; each message is a line on stdout here")
		return fields{{"data", bracketed("{", []string{`"text": ` + k.message()}, "}")},
			{"stdout", struct{}{}}}
	}
	switch handler {
	case "hipchat", "smtp":
		k.find(Lost, n, field, "informerd has no %s; a webhook that sends the message may do", handler)
		p := k.instead(out.name, "", "choose an output in place of %s; it writes to stdout until then", handler)
		out.comment = "It was " + handler + ", which informerd does not have: choose an output."
		return append(fields{{"data", bracketed("{", []string{`"text": ` + k.message()}, "}")}},
			p.value.(fields)...)
	case "slack":
		return k.slackAPI(n, field, out)
	}
	urlName := map[string]string{"slackwebhook": "slackwebhookurl", "msteams": "webhookurl",
		"lark": "webhookurl"}[handler]
	if urlName == "" {
		urlName = "url"
	}
	url := k.handlerURL(n, field, urlName, out)
	if handler == "cloudevent" {
		return k.cloudEvent(n, field, url)
	}
	var tls fields
	if handler == "webhook" {
		if cert := n.String("cert"); cert != "" {
			tls = fields{{"caFile", cert}}
		}
		if skip := n.Get("tlsskip"); skip.IsTrue() {
			k.find(Lost, skip, field+".tlsskip", "informerd always checks certificates: give it the CA as tls.caFile")
			tls = nil
		}
		k.find(Differs, n, field, "the body has no time; the header Ce-Time has it")
	}
	return post(url, k.body(handler, n), nil, tls)
}

func (k *kubewatch) handlerURL(n *document.Node, field, name string, out *part) any {
	at := n.Get(name)
	if at == nil || !at.IsText() {
		at = &document.Node{Place: n.Place}
	}
	return k.url(at, field+"."+name, out.name)
}

// body is what a handler posts.
func (k *kubewatch) body(handler string, n *document.Node) string {
	message := k.message()
	text := func(name string) string { return quoted(n.String(name)) }
	switch handler {
	case "slackwebhook":
		parts := []string{`"text": ` + message}
		for _, m := range [][2]string{{"channel", "channel"}, {"username", "username"},
			{"emoji", "icon_emoji"}} {
			if n.String(m[0]) != "" {
				parts = append(parts, quoted(m[1])+": "+text(m[0]))
			}
		}
		return bracketed("{", parts, "}")
	case "mattermost":
		return bracketed("{", []string{`"channel": ` + text("channel"),
			`"username": ` + text("username"),
			`"icon_url": "https://raw.githubusercontent.com/kubernetes/kubernetes/master/logo/logo_with_border.png"`,
			`"attachments": [` + bracketed("{", []string{`"title": ` + message,
				`"color": ` + colors("#00FF00", "#FFFF00", "#FF0000")}, "}") + "]"}, "}")
	case "flock":
		return bracketed("{", []string{`"notification": "Kubewatch Alert"`,
			`"text": "Kubewatch Alert"`,
			`"attachments": [` + bracketed("{", []string{`"title": ` + message,
				`"color": ` + colors("#00FF00", "#FFFF00", "#FF0000")}, "}") + "]"}, "}")
	case "msteams":
		return bracketed("{", []string{`"@type": "MessageCard"`,
			`"@context": "http://schema.org/extensions"`,
			`"themeColor": ` + colors("2DC72D", "DEFF22", "8C1A1A"),
			`"summary": "kubewatch notification received"`, `"title": "kubewatch"`,
			`"sections": [` + bracketed("{", []string{`"activityTitle": ` + message,
				`"markdown": true`}, "}") + "]"}, "}")
	case "lark":
		return bracketed("{", []string{`"msg_type": "text"`,
			`"content": {"text": ` + message + "}"}, "}")
	}
	return bracketed("{", []string{`"eventmeta": ` + bracketed("{", []string{
		`"kind": ` + k.kind(), `"name": name`, `"namespace": namespace`,
		`"reason": ` + kwReason}, "}"), `"text": ` + message}, "}")
}

// slackAPI posts as a client of Slack's API does.
func (k *kubewatch) slackAPI(n *document.Node, field string, out *part) fields {
	title := n.String("title")
	if title == "" {
		title = "kubewatch"
	}
	data := bracketed("{", []string{`"channel": ` + quoted(n.String("channel")), `"as_user": true`,
		`"attachments": [` + bracketed("{", []string{
			`"color": ` + colors("good", "warning", "danger"), `"mrkdwn_in": ["fields"]`,
			`"fields": [` + bracketed("{", []string{`"title": ` + quoted(title),
				`"value": ` + k.message()}, "}") + "]"}, "}") + "]"}, "}")
	k.find(Differs, n, field, "Slack answers with 200 to messages that it does not take, such as those for unknown channels: nobody sees that")
	return post("https://slack.com/api/chat.postMessage", data, fields{{"Authorization",
		k.variable(out.name+"_authorization", "Bearer, a space and the token of Slack")}}, nil)
}

// cloudEvent posts CloudEvents, which have the attributes of informerd.
func (k *kubewatch) cloudEvent(n *document.Node, field string, url any) fields {
	k.find(Differs, n, field, "id, type and source of the CloudEvents are those of informerd, and clusterUid is the name of the cluster")
	reason := strings.NewReplacer("Created", "create", "Updated", "update", "Deleted", "delete").
		Replace(kwReason)
	data := bracketed("{", []string{`"operation": ` + reason, `"kind": ` + k.kind(),
		`"clusterUid": cluster`, `"description": ` + k.message(),
		`"apiVersion": object.apiVersion`, `"obj": object`, `"oldObj": old`}, "}")
	return fields{{"data", data}, {"webhook", fields{{"url", url}}}}
}
