/* Every function of the interface, from C: right results, every error, futures, threads. Ends with 0 if all is as expected. */
#include "check.h"

int main(void) {
  test_h2k(); /* first: it forks, which is for a program with one thread */
  test_operations();
  test_bn254();
  test_matrices();
  test_programs();
  test_curves();
  test_groth16();
  test_devices();
  test_arguments();
  test_futures();
  test_threads();
  puts("all as expected");
  return 0;
}
