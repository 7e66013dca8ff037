// Size limits for one package. They are the same for every way to fetch it.
//
// Servers and archives claim sizes, and claims are not trusted. Code that reads bytes counts them
// against these limits and stops when one is exceeded.
#pragma once

#include <cstdint>

namespace tofu::archive {

struct FetchLimits {
  std::uint64_t download_bytes = std::uint64_t{8} << 30;
  std::uint64_t unpacked_bytes = std::uint64_t{16} << 30;
  std::uint64_t files = 500'000;
  unsigned ratio = 1000;  // unpacked bytes for each byte of an archive, beyond a small start
};

}  // namespace tofu::archive
