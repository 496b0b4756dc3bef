// What the host answers.
#ifndef INFORMERD_STATUS_H
#define INFORMERD_STATUS_H

#include "text.h"

// informerd_status is what the host says. The zero value is that all is well.
typedef enum {
  INFORMERD_OK = 0,
  INFORMERD_NOT_FOUND = -1,
  INFORMERD_BAD_ARGUMENT = -2,
  INFORMERD_DENIED = -3,
  INFORMERD_QUOTA = -4,
  INFORMERD_UNAVAILABLE = -5,
  INFORMERD_WRONG_PHASE = -6,
} informerd_status;

// informerd_status_text names a status, as in "not found"; "" for INFORMERD_OK.
informerd_text informerd_status_text(informerd_status status);

#endif
