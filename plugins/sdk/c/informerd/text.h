// Texts, and the memory they live in.
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

// INFORMERD_TEXT makes a text of a string literal, also where a constant is needed.
#define INFORMERD_TEXT(literal) {"" literal, sizeof(literal) - 1}
// T is the same as a value.
#ifndef INFORMERD_NO_T
#define T(literal) ((informerd_text)INFORMERD_TEXT(literal))
#endif

// informerd_text_of makes a text of a string that ends with a zero byte. It does not copy it.
informerd_text informerd_text_of(const char *s);

bool informerd_equal(informerd_text a, informerd_text b);
bool informerd_begins(informerd_text t, informerd_text with);

// informerd_find gives where a byte is first, or last, in a text; -1 if it is not there.
int32_t informerd_find(informerd_text t, char c);
int32_t informerd_find_last(informerd_text t, char c);

// informerd_slice gives the bytes from and up to, without the one at up_to. What lies outside of the text is left out.
informerd_text informerd_slice(informerd_text t, uint32_t from, uint32_t up_to);

// informerd_join puts texts together: informerd_join(T("limit is "), informerd_decimal(n)).
#define informerd_join(...)                        \
  informerd_join_texts((informerd_text[]){__VA_ARGS__}, \
                       sizeof((informerd_text[]){__VA_ARGS__}) / sizeof(informerd_text))
informerd_text informerd_join_texts(const informerd_text *texts, uint32_t count);

informerd_text informerd_decimal(int64_t n);

// informerd_quote gives a text as a JSON string, for output and for messages.
informerd_text informerd_quote(informerd_text t);

// informerd_alloc gives room, aligned to 8 bytes and not cleared. What is taken while the handler configures itself is
// kept for good; what is taken for an event, texts and values of this SDK included, is gone when on_event returns, and in
// a batch with informerd_next. If
// the handler's memory limit is reached, the guest traps.
void *informerd_alloc(uint32_t size);

#endif
