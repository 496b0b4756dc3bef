// The handler's configuration.
#ifndef INFORMERD_CONFIG_H
#define INFORMERD_CONFIG_H

#include "value.h"

// informerd_config returns the handler's configuration, always a map.
informerd_value informerd_config(void);

// informerd_config_only rejects a configuration with a field that is not among the names:
//
//	if (!informerd_config_only(T("threshold"), T("maxPods"))) return false;
#define informerd_config_only(...)                           \
  informerd_config_only_names((informerd_text[]){__VA_ARGS__}, \
                              sizeof((informerd_text[]){__VA_ARGS__}) / sizeof(informerd_text))
bool informerd_config_only_names(const informerd_text *names, uint32_t count);

#endif
