#include "host.h"

void informerd_log(informerd_level level, informerd_text line) {
  informerd_host_log_log((int32_t)level, line.data, line.length);
}

bool informerd_log_enabled(informerd_level level) { return informerd_host_log_enabled((int32_t)level) == 1; }
