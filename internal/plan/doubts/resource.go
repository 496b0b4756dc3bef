package doubts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/internal/resourcename"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Custom are the full names of resources that are not Kubernetes' own and that many clusters have.
var Custom = strings.Fields("certificates.cert-manager.io certificaterequests.cert-manager.io " +
	"issuers.cert-manager.io clusterissuers.cert-manager.io orders.acme.cert-manager.io " +
	"challenges.acme.cert-manager.io ingressroutes.traefik.io middlewares.traefik.io " +
	"rollouts.argoproj.io applications.argoproj.io applicationsets.argoproj.io " +
	"appprojects.argoproj.io workflows.argoproj.io cronworkflows.argoproj.io " +
	"servicemonitors.monitoring.coreos.com podmonitors.monitoring.coreos.com " +
	"prometheusrules.monitoring.coreos.com prometheuses.monitoring.coreos.com " +
	"alertmanagers.monitoring.coreos.com virtualservices.networking.istio.io " +
	"destinationrules.networking.istio.io serviceentries.networking.istio.io " +
	"peerauthentications.security.istio.io authorizationpolicies.security.istio.io " +
	"kustomizations.kustomize.toolkit.fluxcd.io helmreleases.helm.toolkit.fluxcd.io " +
	"gitrepositories.source.toolkit.fluxcd.io helmrepositories.source.toolkit.fluxcd.io " +
	"ocirepositories.source.toolkit.fluxcd.io gateways.gateway.networking.k8s.io " +
	"httproutes.gateway.networking.k8s.io grpcroutes.gateway.networking.k8s.io " +
	"gatewayclasses.gateway.networking.k8s.io volumesnapshots.snapshot.storage.k8s.io " +
	"volumesnapshotclasses.snapshot.storage.k8s.io volumesnapshotcontents.snapshot.storage.k8s.io " +
	"externalsecrets.external-secrets.io secretstores.external-secrets.io " +
	"clustersecretstores.external-secrets.io sealedsecrets.bitnami.com scaledobjects.keda.sh " +
	"scaledjobs.keda.sh nodepools.karpenter.sh nodeclaims.karpenter.sh " +
	"clusterpolicies.kyverno.io policies.kyverno.io constrainttemplates.templates.gatekeeper.sh " +
	"backups.velero.io schedules.velero.io restores.velero.io ciliumnetworkpolicies.cilium.io " +
	"kafkas.kafka.strimzi.io kafkatopics.kafka.strimzi.io clusters.postgresql.cnpg.io " +
	"machines.cluster.x-k8s.io machinedeployments.cluster.x-k8s.io clusters.cluster.x-k8s.io " +
	"compositions.apiextensions.crossplane.io providers.pkg.crossplane.io " +
	"verticalpodautoscalers.autoscaling.k8s.io")

// IsCustom reports whether a name is that of one of [Custom], with or without its group and
// version, or by its singular.
func IsCustom(name string) bool {
	return slices.ContainsFunc(resourcename.Readings(strings.ToLower(name)),
		func(r resourcename.Reading) bool {
			return slices.ContainsFunc(Custom, func(full string) bool {
				plural, group, _ := strings.Cut(full, ".")
				is := r.Resource == plural || r.Resource+"s" == plural ||
					r.Resource+"es" == plural ||
					strings.TrimSuffix(r.Resource, "y")+"ies" == plural
				return is && (r.AnyGroup || r.Group == group)
			})
		})
}

// NearCustom returns the one of [Custom] that a name misspells by one character, "" if there is
// none: clusters have others with similar names.
func NearCustom(name string) string {
	resource, group, dotted := strings.Cut(strings.ToLower(name), ".")
	for _, full := range Custom {
		plural, of, _ := strings.Cut(full, ".")
		away, near := nearest.Distance(resource, plural)
		aside, close := nearest.Distance(group, of)
		switch {
		case !near || away > 1 || len(plural) < 8 && away > 0:
		case !dotted:
			return plural
		case away == 0 && close && aside <= 2, group == of:
			return full
		}
	}
	return ""
}

// undotted are the groups of Kubernetes without a dot. Those of others have one.
var undotted = []string{"apps", "batch", "autoscaling", "policy"}

// aVersion matches the versions of a group.
var aVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// Meant returns the resource that is meant by a name which is none: one with its group before it,
// and one in a group or version of Kubernetes that does not have it, or not any more.
func Meant(set *openapi.Set, name string) string {
	parts := strings.Split(strings.ToLower(name), ".")
	if len(parts) < 2 {
		return ""
	}
	if _, known := set.Find(name); known {
		return ""
	}
	last := len(parts) - 1
	turned := strings.Join(append([]string{parts[last]}, parts[:last]...), ".")
	if slices.Contains(undotted, parts[0]) && last == 2 {
		turned = parts[2] + "." + parts[1] + "." + parts[0]
	}
	if _, known := set.Find(turned); known && slices.Contains(undotted, parts[0]) {
		return turned
	}
	group := strings.Join(slices.DeleteFunc(slices.Clone(parts[1:]), aVersion.MatchString), ".")
	for _, try := range []string{parts[0] + "." + group, parts[0] + "." + strings.Join(parts, ".")} {
		if _, known := set.Find(try); known && group != "" {
			return try
		}
	}
	if group == "extensions" || group == "core" || slices.Contains(undotted, group) ||
		slices.Contains(set.Groups(), group) { // "" is that of pods
		if found, known := set.Find(parts[0]); known {
			return strings.TrimSuffix(found.Resource+"."+found.Group, ".")
		}
	}
	return ""
}
