#include "base/uuid.h"

#include <unistd.h>

namespace tofu::base {

std::string uuid_text(const UuidBytes& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

Result<std::string> random_uuid() {
  UuidBytes bytes;
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    return Error{"the system gives no random numbers"};
  }
  return uuid_text(bytes);
}

}  // namespace tofu::base
