#include "check.h"

#define POD(containers) "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"shop\",\"name\":\"web\"},\"spec\":{\"containers\":[" containers "]}}"
#define C(name, image) "{\"name\":\"" name "\",\"image\":\"" image "\"}"

// found checks the reported containers; "" is none.
#define found(r, want) found_at(__LINE__, (r), (want))
static void found_at(int line, fake_result r, const char *want) {
  informerd_text got = T("");
  for (uint32_t i = 0; i < r.count; i++) {
    check_text_at(__FILE__, line, r.emitted[i].type, "dev.informerd.examples.image-tag");
    informerd_value data = {INFORMERD_MAP, r.emitted[i].data};
    got = informerd_join(got, i ? T(", ") : T(""), informerd_string(informerd_member(data, T("container"))), T(": "),
                         informerd_string(informerd_member(data, T("reason"))));
  }
  check_text_at(__FILE__, line, got, want);
  check(r.verdict == (r.count ? INFORMERD_DONE : INFORMERD_DROP));
}

static void test_images(void) {
  check(fake_load(""));
  found(fake_add(POD(C("a", "nginx"))), "a: no tag");
  found(fake_add(POD(C("a", "nginx:latest"))), "a: forbidden tag");
  found(fake_add(POD(C("a", "nginx:1.27"))), "");
  found(fake_add(POD(C("a", "localhost:5000/nginx"))), "a: no tag");
  found(fake_add(POD(C("a", "localhost:5000/team/nginx:1"))), "");
  found(fake_add(POD(C("a", "nginx:latest@sha256:0c1e"))), "");
  found(fake_add(POD(C("a", "nginx:"))), "a: no tag");
  found(fake_add(POD("{\"name\":\"a\"}")), "");
  found(fake_add(POD(C("a", "nginx") "," C("b", "x:1") "," C("c", "y:latest"))), "a: no tag, c: forbidden tag");
  found(fake_add("{\"spec\":{\"template\":{\"spec\":{\"initContainers\":[" C("i", "x") "],\"containers\":[" C("a", "y") "]}}}}"),
        "i: no tag, a: no tag");
  found(fake_add("{\"spec\":{\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":{\"containers\":[" C("a", "y") "]}}}}}}"), "a: no tag");
  found(fake_add("{\"spec\":{\"containers\":{}}}"), "");
}

static void test_changes(void) {
  check(fake_load(""));
  const char *one = POD(C("a", "x")), *two = POD(C("b", "y") "," C("a", "x")), *other = POD(C("a", "z"));
  found(fake_update(one, one), "");
  found(fake_update(one, two), "b: no tag");
  found(fake_update(one, other), "a: no tag");
  found(fake_delete(one), "");
  found(fake_resync(one), "");
}

static void test_data(void) {
  check(fake_load(""));
  fake_result r = fake_add(POD(C("a", "x")));
  check_text(r.emitted[0].data, "{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"web\",\"container\":\"a\",\"image\":\"x\",\"reason\":\"no tag\"}");
}

static void test_configuration(void) {
  check(fake_load("{\"forbidden\":[\"dev\",\"edge\"],\"ignore\":[\"local/\"]}"));
  found(fake_add(POD(C("a", "x:edge") "," C("b", "x:latest") "," C("c", "local/x") "," C("d", "other/x"))),
        "a: forbidden tag, d: no tag");
  struct {
    const char *config, *want;
  } tests[] = {
      {"{\"forbiden\":[]}", "config: unknown field \"forbiden\""},
      {"{\"forbidden\":\"latest\"}", "forbidden must be a list"},
      {"{\"ignore\":[\"a\",\"\"]}", "ignore[1] must be a string that is not empty"},
      {"{\"ignore\":[1]}", "ignore[0] must be a string that is not empty"},
      {"{\"ignore\":[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\","
       "\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]}",
       "ignore has more than 32 entries"},
  };
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    check(!fake_load(tests[i].config));
    check_text(fake_message(), tests[i].want);
  }
}

int main(void) {
  test_images();
  test_changes();
  test_data();
  test_configuration();
  return failed;
}
