/* Several devices, policies, memory, and the account of what each device did. */
#include "check.h"

enum { LOG_N = 3, N = 1 << LOG_N, COLS = 4 };

static zka_engine *engine_on(const char *device) {
  zka_options *options = NULL;
  zka_engine *engine = NULL;
  OK(zka_options_new(&options));
  OK(zka_options_set_device(options, device));
  OK(zka_options_set_threads(options, 2));
  OK(zka_options_set_device_memory(options, 1 << 20));
  OK(zka_options_set_device_memory(options, 0));
  OK(zka_engine_new(&engine, ZKA_ABI_VERSION, options));
  OK(zka_options_free(options));
  return engine;
}

static void lists_and_policies(void) {
  static const struct {
    const char *device;
    int32_t policy;
    zka_status status;
    const char *text;
  } cases[] = {
      {"cpu", ZKA_POLICY_ANY, ZKA_OK, ""},
      {"cpu", ZKA_POLICY_REQUIRE_CPU, ZKA_OK, ""},
      {"cpu", ZKA_POLICY_PREFER_CPU, ZKA_OK, ""},
      {"auto", ZKA_POLICY_REQUIRE_CPU, ZKA_OK, ""},
      {"auto", ZKA_POLICY_PREFER_CPU, ZKA_OK, ""},
      {"auto", ZKA_POLICY_PREFER_GPU, ZKA_OK, ""},
      {"opencl:99", ZKA_POLICY_PREFER_GPU, ZKA_OK, ""},
      {"opencl:99", ZKA_POLICY_REQUIRE_GPU, ZKA_NO_DEVICE, "opencl:99 is missing"},
      {"opencl:99", ZKA_POLICY_ANY, ZKA_NO_DEVICE, "opencl:99 is missing"},
      {"cpu", ZKA_POLICY_REQUIRE_GPU, ZKA_BAD_ARGUMENT, "the policy require-gpu contradicts the device cpu"},
      {"cpu", ZKA_POLICY_PREFER_GPU, ZKA_BAD_ARGUMENT, "the policy prefer-gpu contradicts the device cpu"},
      {"cpu,cpu", ZKA_POLICY_ANY, ZKA_BAD_ARGUMENT, "cpu is listed twice"},
      {"cpu,auto", ZKA_POLICY_ANY, ZKA_BAD_ARGUMENT, "auto chooses by itself"},
      {"cpu,opencl:99", ZKA_POLICY_ANY, ZKA_NO_DEVICE, "opencl:99 is missing"},
      {"cpu,reference", ZKA_POLICY_REQUIRE_CPU, ZKA_OK, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    zka_options *options = NULL;
    zka_engine *engine = NULL;
    OK(zka_options_new(&options));
    OK(zka_options_set_device(options, cases[i].device));
    OK(zka_options_set_policy(options, cases[i].policy));
    EXPECT(cases[i].status, zka_engine_new(&engine, ZKA_ABI_VERSION, options));
    if (cases[i].status == ZKA_OK)
      OK(zka_engine_shutdown(engine));
    else
      EXPECT_TEXT(cases[i].text);
    OK(zka_options_free(options));
  }
  zka_options *options = NULL;
  OK(zka_options_new(&options));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_policy(options, 5));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_policy(options, -1));
  EXPECT(ZKA_BAD_ARGUMENT, zka_options_set_device(options, "cpu,,reference"));
  EXPECT(ZKA_NULL_POINTER, zka_options_set_device_memory(NULL, 1));
  OK(zka_options_free(options));
}

static void memory(void) {
  size_t count = 0;
  uint64_t free_bytes = 0;
  zka_device device;
  OK(zka_device_count(&count));
  OK(zka_device_info(&device, 0));
  OK(zka_device_free_memory(&free_bytes, 0));
  CHECK(free_bytes <= device.memory);
  EXPECT(ZKA_NULL_POINTER, zka_device_free_memory(NULL, 0));
  EXPECT(ZKA_BAD_ARGUMENT, zka_device_free_memory(&free_bytes, count));
}

/* The line of a device and an operation; there is one. */
static zka_work line_of(const zka_work *lines, size_t len, const char *device, const char *operation) {
  for (size_t i = 0; i < len; i++)
    if (strcmp(lines[i].device, device) == 0 && strcmp(lines[i].operation, operation) == 0) return lines[i];
  fprintf(stderr, "%s did no %s\n", device, operation);
  exit(1);
}

static void accounts(void) {
  zka_engine *engine = engine_on("cpu");
  zka_work lines[8];
  zka_choice choices[2];
  uint64_t data[N * COLS];
  size_t found = 99;
  OK(zka_engine_work(engine, lines, &found, 8));
  CHECK(found == 1 && strcmp(lines[0].device, "cpu") == 0 && lines[0].operation[0] == 0 && lines[0].calls == 0);
  fill(data, N * COLS, 3);
  for (int i = 0; i < 3; i++) OK(zka_goldilocks_ntt(engine, data, LOG_N, COLS, root_of_unity(LOG_N), 1, 0));
  OK(zka_engine_work(engine, lines, &found, 8));
  zka_work line = line_of(lines, found, "cpu", "ntt");
  CHECK(found == 1 && line.calls == 3 && line.failures == 0 && line.items == 3 * N * COLS);
  CHECK(line.bytes_in == 8 * line.items && line.bytes_out == 8 * line.items && line.nanoseconds > 0);
  CHECK(strcmp(line.unit, "words") == 0 && line.under_way == 0 && line.reserved[0] == 0);
  /* There was no choice. No room is no error. */
  OK(zka_engine_choices(engine, choices, &found, 2));
  CHECK(found == 0);
  OK(zka_engine_work(engine, NULL, &found, 0));
  CHECK(found == 1);
  EXPECT(ZKA_NULL_POINTER, zka_engine_work(engine, NULL, &found, 1));
  EXPECT(ZKA_NULL_POINTER, zka_engine_work(engine, lines, NULL, 1));
  EXPECT(ZKA_NULL_POINTER, zka_engine_work(NULL, lines, &found, 1));
  EXPECT(ZKA_BAD_LENGTH, zka_engine_work(engine, lines, &found, SIZE_MAX));
  EXPECT(ZKA_ALIASED, zka_engine_work(engine, lines, (size_t *)(void *)lines, 1));
  EXPECT(ZKA_NULL_POINTER, zka_engine_choices(engine, choices, NULL, 1));
  OK(zka_engine_shutdown(engine));
  EXPECT(ZKA_SHUTTING_DOWN, zka_engine_work(engine, lines, &found, 8));

  /* Two devices: all that was done is somebody's, once. */
  engine = engine_on("cpu,reference");
  OK(zka_goldilocks_ntt(engine, data, LOG_N, COLS, root_of_unity(LOG_N), 1, 0));
  OK(zka_engine_work(engine, lines, &found, 8));
  CHECK(found == 2 && strcmp(lines[0].device, "cpu") == 0 && strcmp(lines[1].device, "reference") == 0);
  CHECK(lines[0].items + lines[1].items == N * COLS);
  OK(zka_engine_shutdown(engine));
}

void test_devices(void) {
  lists_and_policies();
  memory();
  accounts();
}
