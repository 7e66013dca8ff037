#include "install/base64.h"

#include <climits>
#include <openssl/evp.h>

namespace tofu::install {

namespace {

const unsigned char* as_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* as_bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kLargest = INT_MAX / 2;  // OpenSSL counts in int

}  // namespace

std::string base64_encode(std::string_view bytes) {
  if (bytes.size() > kLargest) return {};
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a NUL
  const int size =
      ::EVP_EncodeBlock(as_bytes(out), as_bytes(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > kLargest) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  // OpenSSL passes over blanks at both ends; a secret has none.
  const std::string_view digits = text.substr(0, text.size() - padding);
  if (digits.find_first_not_of(kAlphabet) != std::string_view::npos) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const int size = ::EVP_DecodeBlock(as_bytes(out), as_bytes(text), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

}  // namespace tofu::install
