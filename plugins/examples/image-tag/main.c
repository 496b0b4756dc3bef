// Image-tag is a handler that reports containers whose image is not pinned. See README.md.
#include "informerd.h"

// A list of containers is in a pod, in a workload's template, or in a CronJob's template of a
// template.
enum { lists = 9, max_words = 32 };

static informerd_path kind, namespace, name, containers[lists];

// words is a list of texts from the configuration.
typedef struct {
  informerd_text word[max_words];
  uint32_t count;
} words;

static words forbidden, ignored;

static bool read_words(informerd_text field, words *to) {
  informerd_value v = informerd_member(informerd_config(), field);
  if (!informerd_exists(v)) return true;
  if (v.kind != INFORMERD_ARRAY) return informerd_refuse(informerd_join(field, T(" must be a list")));
  to->count = 0;
  informerd_items i = informerd_items_of(v);
  while (informerd_next(&i)) {
    if (i.value.kind != INFORMERD_STRING || !i.value.text.length) {
      return informerd_refuse(informerd_join(field, T("["), informerd_decimal(i.index), T("] must be a string that is not empty")));
    }
    if (to->count == max_words) {
      return informerd_refuse(informerd_join(field, T(" has more than "), informerd_decimal(max_words), T(" entries")));
    }
    to->word[to->count++] = i.value.text;
  }
  return true;
}

static bool configure(void) {
  informerd_compile(&kind, T("kind"));
  informerd_compile(&namespace, T("metadata.namespace"));
  informerd_compile(&name, T("metadata.name"));
  const informerd_text specs[] = {T("spec"), T("spec.template.spec"), T("spec.jobTemplate.spec.template.spec")};
  const informerd_text fields[] = {T(".initContainers"), T(".containers"), T(".ephemeralContainers")};
  for (uint32_t i = 0; i < lists; i++) {
    informerd_compile(&containers[i], informerd_join(specs[i / 3], fields[i % 3]));
  }
  informerd_prefetch(); // most events change no image, and no field of them is read
  forbidden = (words){{T("latest")}, 1};
  ignored = (words){.count = 0};
  return informerd_config_only(T("forbidden"), T("ignore")) && read_words(T("forbidden"), &forbidden) &&
         read_words(T("ignore"), &ignored);
}

// tag_of returns the tag of an image that has no digest, as in registry:5000/team/app:tag; false if
// it has none.
static bool tag_of(informerd_text image, informerd_text *tag) {
  informerd_text last = informerd_slice(image, (uint32_t)(informerd_find_last(image, '/') + 1), image.length);
  int32_t colon = informerd_find(last, ':');
  if (colon < 0) return false;
  *tag = informerd_slice(last, (uint32_t)colon + 1, last.length);
  return tag->length > 0;
}

// fault returns what is wrong with an image, "" if nothing is.
static informerd_text fault(informerd_text image) {
  informerd_text tag;
  if (!image.length || informerd_find(image, '@') >= 0) return T("");
  for (uint32_t i = 0; i < ignored.count; i++) {
    if (informerd_begins(image, ignored.word[i])) return T("");
  }
  if (!tag_of(image, &tag)) return T("no tag");
  for (uint32_t i = 0; i < forbidden.count; i++) {
    if (informerd_equal(tag, forbidden.word[i])) return T("forbidden tag");
  }
  return T("");
}

// was_there reports whether a list has a container with that name and image.
static bool was_there(informerd_value list, informerd_text container, informerd_text image) {
  informerd_items i = informerd_items_of(list);
  while (informerd_next(&i)) {
    if (informerd_equal(informerd_string(informerd_member(i.value, T("name"))), container)) {
      return informerd_equal(informerd_string(informerd_member(i.value, T("image"))), image);
    }
  }
  return false;
}

static informerd_status report(const informerd_event *e, informerd_text container, informerd_text image, informerd_text reason) {
  informerd_writer w = {0};
  informerd_open(&w, '{');
  informerd_put_string(informerd_name(&w, T("kind")), informerd_get_string(e->object, &kind));
  informerd_put_string(informerd_name(&w, T("namespace")), informerd_get_string(e->object, &namespace));
  informerd_put_string(informerd_name(&w, T("name")), informerd_get_string(e->object, &name));
  informerd_put_string(informerd_name(&w, T("container")), container);
  informerd_put_string(informerd_name(&w, T("image")), image);
  informerd_put_string(informerd_name(&w, T("reason")), reason);
  informerd_close(&w, '}');
  return informerd_emit(T("dev.informerd.examples.image-tag"), &w);
}

static informerd_verdict on_event(const informerd_event *e) {
  if (e->op == INFORMERD_DELETE || e->op == INFORMERD_RESYNC) return INFORMERD_DROP;
  informerd_verdict verdict = INFORMERD_DROP;
  for (uint32_t n = 0; n < lists; n++) {
    if (!informerd_changed(e, &containers[n])) continue;
    informerd_value old = informerd_get(e->old, &containers[n]);
    informerd_items i = informerd_items_of(informerd_get(e->object, &containers[n]));
    while (informerd_next(&i)) {
      informerd_text container = informerd_string(informerd_member(i.value, T("name")));
      informerd_text image = informerd_string(informerd_member(i.value, T("image")));
      informerd_text reason = fault(image);
      if (!reason.length || was_there(old, container, image)) continue;
      informerd_status s = report(e, container, image, reason);
      if (s != INFORMERD_OK) return informerd_fail(informerd_reason(s));
      verdict = INFORMERD_DONE;
    }
  }
  return verdict;
}

const informerd_registration informerd_handler = {configure, on_event};
