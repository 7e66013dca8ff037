// Bytes on their way to a socket that takes some of them at a time.
//
// New bytes are appended while others wait. Its memory follows what waits, also if there is always
// something that does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tofu::providers {

class SendBuffer {
 public:
  // Writers append the bytes to send here.
  std::string& end() { return bytes_; }
  std::string_view waiting() const { return std::string_view(bytes_).substr(sent_); }
  std::size_t capacity() const { return bytes_.capacity(); }

  // The first `count` bytes that wait were taken.
  void take(std::size_t count) {
    sent_ += count;
    // Moving the rest to the front has a price, so it is done now and then.
    if (sent_ < bytes_.size() && sent_ < kMaxSent) return;
    bytes_.erase(0, sent_);
    sent_ = 0;
  }

 private:
  static constexpr std::size_t kMaxSent = std::size_t{1} << 20;
  std::string bytes_;
  std::size_t sent_ = 0;  // of them
};

}  // namespace tofu::providers
