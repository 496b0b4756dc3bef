// Lines for informerd's log. A guest that calls any of this needs the grant "log".
#ifndef INFORMERD_LOG_H
#define INFORMERD_LOG_H

#include "text.h"

// informerd_level is the severity of a log line.
typedef enum {
  INFORMERD_DEBUG = 0,
  INFORMERD_INFO = 1,
  INFORMERD_WARN = 2,
  INFORMERD_ERROR = 3,
} informerd_level;

// informerd_log writes a line.
void informerd_log(informerd_level level, informerd_text line);

// informerd_log_enabled reports whether a line of that level would be written.
bool informerd_log_enabled(informerd_level level);

#endif
