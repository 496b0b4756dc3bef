// HTTP requests. A guest that calls any of this needs the grant "http", which says where requests may go.
#ifndef INFORMERD_HTTP_H
#define INFORMERD_HTTP_H

#include "status.h"

// informerd_header is a header of a request.
typedef struct {
  informerd_text name, value;
} informerd_header;

// informerd_request is what is asked:
//
//	informerd_response r = informerd_http(&(informerd_request){.url = T("https://cmdb.example.com/owners/web")});
//	if (r.status != INFORMERD_OK) return informerd_retry(informerd_status_text(r.status));
//	if (r.code == 200) … informerd_http_body() …
typedef struct {
  informerd_text method; // GET if empty
  informerd_text url;
  informerd_text body;
  const informerd_header *headers;
  uint32_t header_count;
} informerd_request;

// informerd_response says what came of a request.
typedef struct {
  informerd_status status; // INFORMERD_OK if there is an answer
  int32_t code;            // the answer's, such as 200
} informerd_response;

// informerd_http makes a request and waits for the answer. Only on_event, or on_batch with an event at hand, may call it. If
// there is no answer, INFORMERD_BAD_ARGUMENT, _DENIED and most of _QUOTA say that nothing was sent; the request may have
// been made if it is INFORMERD_UNAVAILABLE, or INFORMERD_QUOTA because of a large answer.
informerd_response informerd_http(const informerd_request *r);

// informerd_http_header gives a header of the last answer, "" if it has none; its name may be in any case.
informerd_text informerd_http_header(informerd_text name);

// informerd_http_body gives the body of the last answer, "" if there is none.
informerd_text informerd_http_body(void);

#endif
