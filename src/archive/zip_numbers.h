// Numbers and headers of zip files.
//
// A number has two, four or eight bytes, the lowest first (APPNOTE.TXT). Headers begin with a
// number that says which they are. The callers have checked that the bytes which are read are
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tofu::archive {

inline constexpr std::uint32_t kZipLocalHeader = 0x04034b50;
inline constexpr std::uint32_t kZipDirectoryHeader = 0x02014b50;
inline constexpr std::uint32_t kZipDirectoryEnd = 0x06054b50;
// Without what is of any length behind them: names, extra fields, a comment.
inline constexpr std::size_t kZipLocalSize = 30;
inline constexpr std::size_t kZipDirectorySize = 46;
inline constexpr std::size_t kZipEndSize = 22;

inline std::uint16_t zip_get2(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) |
                                    static_cast<unsigned char>(bytes[at + 1]) << 8);
}

inline std::uint32_t zip_get4(std::string_view bytes, std::size_t at) {
  return zip_get2(bytes, at) | static_cast<std::uint32_t>(zip_get2(bytes, at + 2)) << 16;
}

inline std::uint64_t zip_get8(std::string_view bytes, std::size_t at) {
  return zip_get4(bytes, at) | static_cast<std::uint64_t>(zip_get4(bytes, at + 4)) << 32;
}

}  // namespace tofu::archive
