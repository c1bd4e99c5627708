/* The proposal's names: results, a handler of one's own, and the default, which prints and aborts. */
#include "check.h"
#include "constants.h"
#include "h2k.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct heard {
  int calls;
  int32_t status;
  char text[128];
};

static void hear(void *context, int32_t status, const char *text) {
  struct heard *heard = (struct heard *)context;
  heard->calls++;
  heard->status = status;
  snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void default_handler_aborts(void) {
  int output[2], status = 0;
  char text[256] = "";
  CHECK(pipe(output) == 0);
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(output[1], STDERR_FILENO);
    engine_shutdown(NULL);
    _exit(0);
  }
  close(output[1]);
  size_t len = 0;
  ssize_t got;
  while (len + 1 < sizeof text && (got = read(output[0], text + len, sizeof text - 1 - len)) > 0) len += (size_t)got;
  close(output[0]);
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  CHECK(strstr(text, "zkaccel: the zka_engine is NULL") != NULL);
}

void test_h2k(void) {
  default_handler_aborts();

  zka_bn254_fr coefs[2] = {ONE, ONE};
  zka_bn254_g1_aff points[2] = {G, G}, affine;
  zka_bn254_g1_prj r, again;
  engine_t *engine = engine_init_with("cpu", 2);
  h2k_bn254_multi_scalar_mul(engine, &r, coefs, points, 2);
  OK(zka_bn254_g1_to_aff(&affine, &r));
  CHECK(memcmp(&affine, &TWO_G, sizeof affine) == 0);
  engine_future_t future = h2k_bn254_multi_scalar_mul_async(engine, &again, coefs, points, 2);
  engine_wait(engine, future);
  OK(zka_bn254_g1_to_aff(&affine, &again));
  CHECK(memcmp(&affine, &TWO_G, sizeof affine) == 0);

  struct heard heard;
  memset(&heard, 0, sizeof heard);
  h2k_set_error_handler(hear, &heard);
  engine_wait(engine, future);
  CHECK(heard.calls == 1 && heard.status == ZKA_FUTURE_CONSUMED);
  CHECK(strstr(heard.text, "was waited for or detached before") != NULL);
  future = h2k_bn254_multi_scalar_mul_async(engine, NULL, coefs, points, 2);
  CHECK(heard.calls == 2 && heard.status == ZKA_NULL_POINTER && future.id == 0);
  h2k_bn254_multi_scalar_mul(engine, &r, coefs, points, SIZE_MAX);
  CHECK(heard.calls == 3 && heard.status == ZKA_BAD_LENGTH);
  CHECK(engine_init_with("toaster", 1) == NULL);
  CHECK(heard.calls == 4 && heard.status == ZKA_BAD_ARGUMENT);
  CHECK(engine_init_with(NULL, 1) == NULL);
  CHECK(heard.calls == 5 && heard.status == ZKA_NULL_POINTER);
  engine_shutdown(engine);
  CHECK(heard.calls == 5);
  engine_shutdown(engine);
  CHECK(heard.calls == 6 && heard.status == ZKA_SHUTTING_DOWN);
  h2k_set_error_handler(NULL, NULL);

  engine = engine_init();
  engine_shutdown(engine);
}
