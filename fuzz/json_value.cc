// JSON text to values and back: whatever is read can be written, and reads the
// same again, with its implied type and with its type written beside it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "value/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tofu::value::Type;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  if (const auto type = tofu::value::parse_json_type(text)) {
    const auto again = tofu::value::parse_json_type(tofu::value::type_to_json(*type));
    TOFU_CHECK(again && *again == *type, "a type reads back as it was");
  }
  if (const auto v = tofu::value::parse_json(text, Type::dynamic())) {
    // An infinity can be read, as 1e1000000000, but not written.
    if (const auto written = tofu::value::to_json(*v, Type::dynamic())) {
      const auto again = tofu::value::parse_json(*written, Type::dynamic());
      TOFU_CHECK(again && raw_equal(*again, *v), "a value with its type reads back as it was");
    }
  }
  const auto v = tofu::value::parse_json(text);
  if (!v) return 0;
  const auto written = tofu::value::to_json(*v);
  if (!written) return 0;
  const auto again = tofu::value::parse_json(*written);
  TOFU_CHECK(again && raw_equal(*again, *v), "a value reads back as it was");
  return 0;
}
