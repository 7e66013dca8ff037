// expect: ignoring return
// A file that could not be written is an error of the caller.
#include <string>

#include "base/file.h"

bool save(const std::string& path, const std::string& text) {
#ifdef MISUSE
  tofu::base::write_file(path, text);
  return true;
#else
  return tofu::base::write_file(path, text).ok();
#endif
}
