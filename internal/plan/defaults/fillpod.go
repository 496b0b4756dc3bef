package defaults

import "github.com/distribution/reference"

func fillPod(o place) {
	spec := o.at("spec")
	if spec.text("serviceAccount") == "" {
		// By admission, but of every cluster: without it Pods would not get a token.
		spec.fix("serviceAccountName", "default")
	}
	fillPodSpec(spec)
	spec.set("enableServiceLinks", true)
	for _, list := range []string{"containers", "initContainers"} {
		spec.each(list, func(c place) {
			// A template has no requests by its limits; its Pods have.
			c.at("resources").at("limits").into(c.at("resources"), "requests")
			if spec.fields["hostNetwork"] == true {
				c.each("ports", func(p place) { p.fix("hostPort", p.number("containerPort")) })
			}
		})
	}
}

// fillTemplate fills in the template of a pod.
func fillTemplate(template place) {
	if template.at("spec").fields == nil {
		return
	}
	template.made("metadata")
	fillPodSpec(template.at("spec"))
}

func fillPodSpec(spec place) {
	spec.fix("restartPolicy", "Always")
	spec.fix("dnsPolicy", "ClusterFirst")
	spec.set("terminationGracePeriodSeconds", 30)
	spec.fix("schedulerName", "default-scheduler")
	spec.made("securityContext")
	// Two names of one field, of which the first counts.
	if name := spec.text("serviceAccount"); name != "" {
		spec.fix("serviceAccountName", name)
	}
	if name := spec.text("serviceAccountName"); name != "" {
		spec.fix("serviceAccount", name)
	}
	spec.each("containers", fillContainer)
	spec.each("initContainers", fillContainer)
	spec.each("volumes", fillVolume)
}

func fillContainer(c place) {
	if image := c.text("image"); image != "" {
		c.fix("imagePullPolicy", pullPolicy(image))
	}
	c.fix("terminationMessagePath", "/dev/termination-log")
	c.fix("terminationMessagePolicy", "File")
	c.made("resources")
	c.each("ports", fillProtocol)
	c.each("env", func(env place) {
		fillRefs(env.at("valueFrom"))
		env.at("valueFrom").at("fileKeyRef").set("optional", false)
	})
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe := c.at(name)
		probe.fix("timeoutSeconds", 1)
		probe.fix("periodSeconds", 10)
		probe.fix("successThreshold", 1)
		probe.fix("failureThreshold", 3)
		probe.at("grpc").set("service", "")
		fillHTTPGet(probe)
	}
	fillHTTPGet(c.at("lifecycle").at("postStart"))
	fillHTTPGet(c.at("lifecycle").at("preStop"))
}

// pullPolicy is the policy for an image. Of a name that cannot be read, no tag is known.
func pullPolicy(image string) string {
	if named, err := reference.ParseNormalizedNamed(image); err == nil {
		tagged, ok := named.(reference.Tagged)
		if reference.IsNameOnly(named) || ok && tagged.Tag() == "latest" {
			return "Always"
		}
	}
	return "IfNotPresent"
}

func fillProtocol(port place) { port.fix("protocol", "TCP") }

func fillHTTPGet(p place) {
	p.at("httpGet").fix("path", "/")
	p.at("httpGet").fix("scheme", "HTTP")
}

func fillRefs(p place) {
	p.at("fieldRef").fix("apiVersion", "v1")
	p.at("resourceFieldRef").fix("divisor", "0")
}

const mode = 0o644

func fillVolume(v place) {
	if onlyNamed(v) {
		v.made("emptyDir")
	}
	v.at("configMap").set("defaultMode", mode)
	v.at("secret").set("defaultMode", mode)
	v.at("downwardAPI").set("defaultMode", mode)
	v.at("downwardAPI").each("items", fillRefs)
	v.at("projected").set("defaultMode", mode)
	v.at("projected").each("sources", func(s place) {
		s.at("serviceAccountToken").set("expirationSeconds", 3600)
		s.at("downwardAPI").each("items", fillRefs)
	})
	if claim := v.at("ephemeral").at("volumeClaimTemplate"); claim.fields != nil {
		claim.made("metadata")
		fillClaim(claim)
	}
	if image := v.at("image"); image.text("reference") != "" {
		image.fix("pullPolicy", pullPolicy(image.text("reference")))
	}
	fillStorage(v)
}

// onlyNamed reports whether a volume does not say what it is.
func onlyNamed(v place) bool {
	for key, value := range v.fields {
		if key != "name" && value != nil {
			return false
		}
	}
	return v.has("name")
}

// fillStorage fills in what volumes of Pods and PersistentVolumes have in common.
func fillStorage(v place) {
	v.at("hostPath").set("type", "")
	v.at("iscsi").fix("iscsiInterface", "default")
	v.at("iscsi").set("lun", 0)
	v.at("rbd").fix("pool", "rbd")
	v.at("rbd").fix("user", "admin")
	v.at("rbd").fix("keyring", "/etc/ceph/keyring")
	v.at("azureDisk").set("cachingMode", "ReadWrite")
	v.at("azureDisk").set("fsType", "ext4")
	v.at("azureDisk").set("readOnly", false)
	v.at("azureDisk").set("kind", "Shared")
	v.at("scaleIO").fix("storageMode", "ThinProvisioned")
	v.at("scaleIO").fix("fsType", "xfs")
}

// fillClaim fills in a PersistentVolumeClaim, or what one is made of.
func fillClaim(o place) {
	spec := o.at("spec")
	spec.made("resources")
	spec.set("volumeMode", "Filesystem")
	// Two fields for one thing, but that the second may be of another namespace and any kind.
	source, ref := spec.at("dataSource"), spec.at("dataSourceRef")
	switch kind := source.text("kind"); {
	case kind == "PersistentVolumeClaim" || kind == "VolumeSnapshot":
		if !spec.has("dataSourceRef") {
			source.into(spec, "dataSourceRef")
		}
	case !spec.has("dataSource") && ref.empty("namespace"):
		ref.into(spec, "dataSource")
	}
}
