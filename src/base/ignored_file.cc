#include "base/ignored_file.h"

namespace tofu::base {

bool is_ignored_file(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#'));
}

}  // namespace tofu::base
