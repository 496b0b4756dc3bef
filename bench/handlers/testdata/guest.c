// A guest that reads two fields, with the C SDK.
#include "informerd.h"

static informerd_path phase, image;

static bool configure(void) { return informerd_compile(&phase, T("status.phase")) && informerd_compile(&image, T("spec.containers[0].image")); }

static informerd_verdict on_event(const informerd_event *e) {
  informerd_text p = informerd_get_string(e->object, &phase), i = informerd_get_string(e->object, &image);
  return (informerd_verdict)((p.length + (uint8_t)p.data[0] + i.length + (uint8_t)i.data[i.length - 1]) & 3);
}

const informerd_registration informerd_handler = {configure, on_event};
