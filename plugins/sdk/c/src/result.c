#include "host.h"

enum { kind_event = 1, kind_data = 2 };

informerd_verdict informerd_retry(informerd_text reason) {
  informerd_host_result_error(reason.data, reason.length);
  return INFORMERD_RETRY;
}

informerd_verdict informerd_fail(informerd_text reason) {
  informerd_host_result_error(reason.data, reason.length);
  return INFORMERD_FAIL;
}

informerd_text informerd_status_text(informerd_status status) {
  switch (status) {
  case INFORMERD_OK: return T("");
  case INFORMERD_NOT_FOUND: return T("not found");
  case INFORMERD_BAD_ARGUMENT: return T("bad argument");
  case INFORMERD_DENIED: return T("denied");
  case INFORMERD_QUOTA: return T("quota");
  case INFORMERD_UNAVAILABLE: return T("unavailable");
  case INFORMERD_WRONG_PHASE: return T("wrong phase");
  }
  return T("unknown status");
}

informerd_text informerd_reason(informerd_status status) {
  switch (status) {
  case INFORMERD_OK: return T("");
  case INFORMERD_BAD_ARGUMENT:
    return T("invalid event type: it must be 1 to 256 printable ASCII characters");
  case INFORMERD_DENIED: return T("this event type is reserved for informerd itself, or the grant emit does not allow what was emitted");
  case INFORMERD_QUOTA: return T("too much was emitted for this event");
  default: return T("events can be emitted in on_event only");
  }
}

informerd_status informerd_emit(informerd_text type, const informerd_writer *data) {
  informerd_text written = informerd_written(data);
  informerd_writer w = {0};
  informerd_open(&w, '{');
  informerd_put_string(informerd_name(&w, T("type")), type);
  if (written.length) informerd_put_json(informerd_name(&w, T("data")), written);
  informerd_close(&w, '}');
  return (informerd_status)informerd_host_result_emit(kind_event, w.data, w.length);
}

informerd_status informerd_set_data(const informerd_writer *data) {
  return (informerd_status)informerd_host_result_emit(kind_data, data->data, data->length);
}
