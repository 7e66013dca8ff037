// MessagePack to values and back: whatever is read can be written, and reads
// the same again. The input brings its own type, as a value of any type does.
#include "value/msgpack.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tofu::value::Type;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);

  const auto implied = tofu::value::implied_msgpack_type(bytes);
  for (const Type type : {Type::dynamic(), implied ? *implied : Type::dynamic()}) {
    const auto v = tofu::value::parse_msgpack(bytes, type);
    if (!v) continue;
    const auto written = tofu::value::to_msgpack(*v, type);
    TOFU_CHECK(written.ok(), "what was read can be written");
    const auto again = tofu::value::parse_msgpack(*written, type);
    TOFU_CHECK(again.ok(), "what was written can be read");
    // Writing may lose a little, once: the sign of zero, what lies beyond 53 bits
    // of a huge double, the end of an unknown string's long prefix.
    const auto once_more = tofu::value::to_msgpack(*again, type);
    TOFU_CHECK(once_more.ok(), "what was read can be written");
    const auto last = tofu::value::parse_msgpack(*once_more, type);
    TOFU_CHECK(last && raw_equal(*last, *again), "a value reads back as it was");
  }
  return 0;
}
