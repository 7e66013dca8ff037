// Bytes as a dependency lock file: what can be read is written and read back as
// the same, and what is wrong is reported at places that can be shown.
#include "install/lock_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fuzz/walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto locks = tofu::install::LockFile::parse("fuzz", std::string(text), sources, diags);
  tofu::fuzz::check_reports(diags, sources);
  TOFU_CHECK(locks.has_value() != diags.has_errors(), "there are locks or errors");
  if (!locks) return 0;

  const std::string written = locks->text();
  const auto again = tofu::install::LockFile::parse("written", written, sources, diags);
  TOFU_CHECK(again && again->same_as(*locks), "what was written says the same");
  TOFU_CHECK(again->text() == written, "it is written the same again");
  return 0;
}
