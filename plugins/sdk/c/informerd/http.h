// HTTP requests. A guest that calls any of this needs the grant "http", which lists the allowed
// URLs.
#ifndef INFORMERD_HTTP_H
#define INFORMERD_HTTP_H

#include "status.h"

// informerd_header is a header of a request.
typedef struct {
  informerd_text name, value;
} informerd_header;

// informerd_request is an HTTP request to send:
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

// informerd_response is the outcome of a request.
typedef struct {
  informerd_status status; // INFORMERD_OK if there is a response
  int32_t code;            // the HTTP status code, such as 200
} informerd_response;

// informerd_http sends a request and waits for the response. Only on_event, or on_batch with a
// current event, may call it. Without a response, INFORMERD_BAD_ARGUMENT, _DENIED and usually
// _QUOTA mean that nothing was sent; the request may have been sent if the status is
// INFORMERD_UNAVAILABLE, or INFORMERD_QUOTA because of a large response.
informerd_response informerd_http(const informerd_request *r);

// informerd_http_header returns a header of the last response, "" if it has none; the name's case
// does not matter.
informerd_text informerd_http_header(informerd_text name);

// informerd_http_body returns the body of the last response, "" if there is none.
informerd_text informerd_http_body(void);

#endif
