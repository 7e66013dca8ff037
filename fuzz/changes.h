// Changes to bytes that are good, where a checksum or a length would stop whatever is random.
//
// What the fuzzer gives is a list of changes. It finds bytes that matter to the reader by
// what the changed ones reach.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fuzz {

// Each change takes four bytes: where (two), how many bytes are removed there, and how many
// of those that follow come in their place.
inline std::string changed(std::string bytes, std::string_view changes) {
  while (changes.size() >= 4) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(changes[i]); };
    const std::size_t at = (byte(0) * 256u + byte(1)) % (bytes.size() + 1);
    const std::size_t removed = byte(2) % 16;
    const std::string_view added = changes.substr(4, byte(3) % 16);
    changes.remove_prefix(4 + added.size());
    bytes.replace(at, removed, added);
  }
  return bytes;
}

}  // namespace fuzz
