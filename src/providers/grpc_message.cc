#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/unicode.h"
#include "base/url.h"
#include "providers/grpc_connection.h"

namespace tofu::providers {

namespace {

constexpr std::size_t kFirstMemory = std::size_t{4} << 20;

}  // namespace

std::array<char, kGrpcPrefix> grpc_prefix(std::size_t size) {
  std::array<char, kGrpcPrefix> prefix{};
  for (std::size_t i = 1; i < kGrpcPrefix; ++i) {
    prefix[i] = static_cast<char>(size >> 8 * (kGrpcPrefix - 1 - i) & 0xFF);
  }
  return prefix;
}

std::string GrpcUnframer::receive(std::string_view piece,
                                  const std::function<void(std::string message)>& on_message) {
  while (!piece.empty()) {
    if (!has_header_) {
      const std::size_t count = std::min(kGrpcPrefix - header_.size(), piece.size());
      header_ += piece.substr(0, count);
      piece.remove_prefix(count);
      if (header_.size() < kGrpcPrefix) return {};
      if (header_[0] != 0) return "a message is compressed, which was not asked for";
      for (std::size_t i = 1; i < kGrpcPrefix; ++i) {
        left_ = left_ << 8 | static_cast<unsigned char>(header_[i]);
      }
      header_.clear();
      has_header_ = true;
      if (left_ > limit_) {
        return fmt::format("a message has {} bytes; at most {} are accepted", left_, limit_);
      }
      // Memory follows the bytes that come; the number that announces them is believed for the
      // first of it.
      message_.reserve(std::min(left_, kFirstMemory));
    }
    const std::size_t count = std::min(left_, piece.size());
    message_ += piece.substr(0, count);
    piece.remove_prefix(count);
    left_ -= count;
    if (left_ != 0) return {};
    has_header_ = false;
    on_message(std::exchange(message_, {}));
  }
  return {};
}

std::string grpc_message_text(std::string_view header) {
  auto text = base::unescape_url(header, false);
  return base::to_valid_utf8(text ? *text : header);
}

}  // namespace tofu::providers
