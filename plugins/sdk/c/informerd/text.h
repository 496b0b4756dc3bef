// Texts, and the memory that holds them.
#ifndef INFORMERD_TEXT_H
#define INFORMERD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// informerd_text is UTF-8 text with a length; it need not end with a zero byte.
typedef struct {
  const char *data;
  uint32_t length;
} informerd_text;

// INFORMERD_TEXT makes a text of a string literal, also where a constant is required.
#define INFORMERD_TEXT(literal) {"" literal, sizeof(literal) - 1}
// T is INFORMERD_TEXT as an expression.
#ifndef INFORMERD_NO_T
#define T(literal) ((informerd_text)INFORMERD_TEXT(literal))
#endif

// informerd_text_of makes a text of a zero-terminated string, without copying it.
informerd_text informerd_text_of(const char *s);

bool informerd_equal(informerd_text a, informerd_text b);
bool informerd_begins(informerd_text t, informerd_text with);

// informerd_find returns the first position of a byte in a text, informerd_find_last the last; -1
// if it is missing.
int32_t informerd_find(informerd_text t, char c);
int32_t informerd_find_last(informerd_text t, char c);

// informerd_slice returns the bytes from `from` up to, but not including, up_to. Positions outside
// of the text are ignored.
informerd_text informerd_slice(informerd_text t, uint32_t from, uint32_t up_to);

// informerd_join concatenates texts: informerd_join(T("limit is "), informerd_decimal(n)).
#define informerd_join(...)                        \
  informerd_join_texts((informerd_text[]){__VA_ARGS__}, \
                       sizeof((informerd_text[]){__VA_ARGS__}) / sizeof(informerd_text))
informerd_text informerd_join_texts(const informerd_text *texts, uint32_t count);

informerd_text informerd_decimal(int64_t n);

// informerd_quote returns a text as a JSON string, for output and for messages.
informerd_text informerd_quote(informerd_text t);

// informerd_alloc returns memory, aligned to 8 bytes and not cleared. Memory allocated in configure
// is kept; memory allocated during an event, including the SDK's texts and values, is freed when
// on_event returns, and in a batch by informerd_next. The guest traps if the handler's memory limit
// is reached.
void *informerd_alloc(uint32_t size);

#endif
