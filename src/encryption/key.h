// Secret bytes: keys and passphrases.
//
// They are overwritten when they are destroyed, print as ***, and are revealed by one
// call, bytes(). Nothing here ever becomes text of a message or of a log.
#pragma once

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace tofu::encryption {

class Key {
 public:
  Key() = default;
  explicit Key(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
  static Key zeros(std::size_t length);
  Key(const Key&) = default;
  Key(Key&&) noexcept = default;
  Key& operator=(const Key& other);
  Key& operator=(Key&& other) noexcept;
  ~Key() { wipe(); }

  bool is_empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }
  // For the code that fills it in.
  char* data() { return bytes_.data(); }

 private:
  void wipe();

  std::vector<char> bytes_;  // never grows: its former contents stay where they can be wiped
};

// Overwrites a text that held a key, and empties it.
void wipe(std::string& text);

}  // namespace tofu::encryption

template <>
struct fmt::formatter<tofu::encryption::Key> : fmt::formatter<std::string_view> {
  auto format(const tofu::encryption::Key&, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format("***", context);
  }
};
