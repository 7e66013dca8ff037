// expect of clang: ignoring return value
// Waiting for a record without looking at whether it was written would go on without it.
#include "tasks/async.h"

tofu::tasks::Async<bool> write_record();

tofu::tasks::Async<bool> write_both() {
#ifdef MISUSE
  co_await write_record();
#else
  const bool is_written = co_await write_record();
  if (!is_written) co_return false;
#endif
  co_return co_await write_record();
}
