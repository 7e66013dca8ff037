// Bytes as a zip file of parts: refused, or parts that can be written and read again.
//
// The first byte decides whether the others are the file, or changes to a valid one.
#include "archive/zip_parts.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "fuzz/changes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxParts = 16;
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;
  static const std::string good =
      *tofu::archive::write_zip({{"empty", ""}, {"many", std::string(300, 'a')}, {"one", "1"}});
  if (size == 0) return 0;
  const std::string_view given(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto parts = tofu::archive::read_zip(
      data[0] % 2 == 0 ? std::string(given) : fuzz::changed(good, given), kMaxParts, kMaxBytes);
  if (!parts) return 0;
  TOFU_CHECK(parts->size() <= kMaxParts, "no more parts than allowed");
  const auto again = tofu::archive::write_zip(*parts);
  TOFU_CHECK(static_cast<bool>(again), "what was read can be written");
  const auto same = tofu::archive::read_zip(*again, kMaxParts, kMaxBytes);
  TOFU_CHECK(same && *same == *parts, "what was written can be read");
  return 0;
}
