package defaults

import "math"

func fillDeployment(o place) {
	spec := o.at("spec")
	fillTemplate(spec.at("template"))
	spec.set("replicas", 1)
	spec.set("revisionHistoryLimit", 10)
	spec.set("progressDeadlineSeconds", 600)
	rolling := fillStrategy(spec.made("strategy"))
	rolling.set("maxUnavailable", "25%")
	rolling.set("maxSurge", "25%")
}

// fillStrategy returns what is said of rolling updates, if the strategy is that.
func fillStrategy(strategy place) (rolling place) {
	strategy.fix("type", "RollingUpdate")
	if strategy.text("type") == "RollingUpdate" {
		return strategy.made("rollingUpdate")
	}
	return place{}
}

func fillDaemonSet(o place) {
	spec := o.at("spec")
	fillTemplate(spec.at("template"))
	spec.set("revisionHistoryLimit", 10)
	rolling := fillStrategy(spec.made("updateStrategy"))
	rolling.set("maxUnavailable", 1)
	rolling.set("maxSurge", 0)
}

func fillReplicaSet(o place) {
	fillTemplate(o.at("spec").at("template"))
	o.at("spec").set("replicas", 1)
}

func fillReplicationController(o place) {
	spec := o.at("spec")
	fillTemplate(spec.at("template"))
	spec.set("replicas", 1)
	if labels := spec.at("template").at("metadata").at("labels"); len(labels.fields) > 0 {
		if spec.empty("selector") {
			labels.copyTo(spec.made("selector"))
		}
		labels.toObject(o)
	}
}

// toObject copies labels to the object itself, if it has none.
func (p place) toObject(o place) {
	if metadata := o.at("metadata"); len(p.fields) > 0 && metadata.empty("labels") {
		p.copyTo(metadata.made("labels"))
	}
}

func fillStatefulSet(o place) {
	spec := o.at("spec")
	fillTemplate(spec.at("template"))
	spec.set("replicas", 1)
	spec.set("revisionHistoryLimit", 10)
	spec.fix("podManagementPolicy", "OrderedReady")
	spec.set("serviceName", "")
	strategy := spec.made("updateStrategy")
	if strategy.empty("type") { // if it is written, rollingUpdate may be missing
		strategy.fix("type", "RollingUpdate")
		strategy.made("rollingUpdate")
	}
	if strategy.text("type") == "RollingUpdate" {
		strategy.at("rollingUpdate").set("partition", 0)
	}
	retention := spec.made("persistentVolumeClaimRetentionPolicy")
	retention.fix("whenDeleted", "Retain")
	retention.fix("whenScaled", "Retain")
	spec.each("volumeClaimTemplates", func(claim place) {
		claim.fix("apiVersion", "v1")
		claim.fix("kind", "PersistentVolumeClaim")
		fillClaim(claim)
	})
}

func fillJob(o place) {
	spec := o.at("spec")
	fillJobSpec(spec)
	if !spec.has("parallelism") {
		spec.set("completions", 1)
	}
	spec.set("parallelism", 1)
	retries := 6
	if spec.has("backoffLimitPerIndex") {
		retries = math.MaxInt32
	}
	spec.set("backoffLimit", retries)
	spec.set("completionMode", "NonIndexed")
	spec.set("suspend", false)
	spec.set("manualSelector", false)
	replaced := "TerminatingOrFailed"
	if spec.has("podFailurePolicy") {
		replaced = "Failed"
	}
	spec.set("podReplacementPolicy", replaced)
	spec.at("template").at("metadata").at("labels").toObject(o)
}

// fillJobSpec fills in what the template of a CronJob has as well.
func fillJobSpec(spec place) {
	fillTemplate(spec.at("template"))
	spec.at("podFailurePolicy").each("rules", func(rule place) {
		rule.each("onPodConditions", func(c place) { c.fix("status", "True") })
	})
}

func fillCronJob(o place) {
	spec := o.at("spec")
	spec.fix("concurrencyPolicy", "Allow")
	spec.set("suspend", false)
	spec.set("successfulJobsHistoryLimit", 3)
	spec.set("failedJobsHistoryLimit", 1)
	if job := spec.at("jobTemplate"); job.fields != nil {
		job.made("metadata")
		fillJobSpec(job.at("spec"))
	}
}
