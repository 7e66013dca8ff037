// UUIDs as OpenTofu makes them: 16 random bytes in hexadecimal digits with dashes.
//
// All bits are random, also those that RFC 4122 reserves for the version. OpenTofu does the same.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>

#include "base/result.h"

namespace tofu::base {

using UuidBytes = std::array<unsigned char, 16>;

// 8-4-4-4-12 digits in small letters.
std::string uuid_text(const UuidBytes& bytes);

// An error if the system gives no random numbers.
Result<std::string> random_uuid();

// The same for many: the system is asked once for several. Threads: any.
class UuidSource {
 public:
  Result<std::string> next();

 private:
  std::mutex mutex_;
  std::array<UuidBytes, 16> bytes_ = {};  // as many as the system gives at a time
  std::size_t used_ = bytes_.size();
};

}  // namespace tofu::base
