// The host's statuses.
#ifndef INFORMERD_STATUS_H
#define INFORMERD_STATUS_H

#include "text.h"

// informerd_status is the outcome of a host call. The zero value means success.
typedef enum {
  INFORMERD_OK = 0,
  INFORMERD_NOT_FOUND = -1,
  INFORMERD_BAD_ARGUMENT = -2,
  INFORMERD_DENIED = -3,
  INFORMERD_QUOTA = -4,
  INFORMERD_UNAVAILABLE = -5,
  INFORMERD_WRONG_PHASE = -6,
} informerd_status;

// informerd_status_text returns a status as text, such as "not found"; "" for INFORMERD_OK.
informerd_text informerd_status_text(informerd_status status);

#endif
