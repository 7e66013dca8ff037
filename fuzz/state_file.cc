// Bytes as a state file: what can be read is written and read back as the same,
// and every object of it can be taken apart.
#include "state/state_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace state = tofu::state;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tofu::diag::Diagnostics diags;
  const auto read = state::read_state(text, diags);
  TOFU_CHECK(read.has_value() != diags.has_errors(), "there is a state or an error");
  if (!read) return 0;

  for (const state::Resource* resource : read->resources()) {
    resource->for_each([](const state::Instance& instance) {
      if (const state::Object* object = instance.current()) {
        TOFU_CHECK(state::Object(object->fields()) == *object, "an object is what it consists of");
      }
    });
  }
  // Flat attributes that are empty are not written, as in OpenTofu, and read back as
  // no attributes at all. So the second file is the one that stays.
  auto first = state::read_state(state::state_text(*read, state::Layout::Indented), diags);
  TOFU_CHECK(first.has_value(), "what was written can be read");
  const std::string written = state::state_text(*first, state::Layout::Indented);
  const auto again = state::read_state(written, diags);
  TOFU_CHECK(again && state::same_content(*again, *first), "what was written says the same");
  TOFU_CHECK(state::state_text(*again, state::Layout::Indented) == written,
             "it is written the same again");
  return 0;
}
