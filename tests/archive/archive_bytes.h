// Archives made byte by byte, since no honest program writes what is needed here.
//
// A tar is a row of entries and an end; a zip is collected and then finished. They check nothing.
#pragma once

#include <bzlib.h>
#include <cstdint>
#include <cstdio>
#include <lzma.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

namespace tofu::archive {

struct TarEntry {
  std::string name;
  char type = '0';  // file; 1 hard link, 2 link, 3 and 4 devices, 5 directory, 6 fifo
  std::string target = {};
  std::string content = {};
  unsigned mode = 0644;
  std::int64_t claimed_size = -1;  // instead of the size of the content
};

inline std::string tar_header(const TarEntry& entry) {
  std::string block(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
  };
  const auto octal = [&](std::size_t at, std::size_t width, std::uint64_t number) {
    char text[24];
    std::snprintf(text, sizeof text, "%0*llo", static_cast<int>(width) - 1,
                  static_cast<unsigned long long>(number));
    put(at, text);
  };
  put(0, std::string_view(entry.name).substr(0, 100));
  octal(100, 8, entry.mode);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12,
        entry.claimed_size >= 0 ? static_cast<std::uint64_t>(entry.claimed_size)
                                : entry.content.size());
  octal(136, 12, 0);
  block[156] = entry.type;
  put(157, std::string_view(entry.target).substr(0, 100));
  put(257, std::string_view("ustar\00000", 8));
  put(148, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  octal(148, 7, sum);
  return block;
}

inline std::string tar_entry(const TarEntry& entry) {
  std::string bytes = tar_header(entry) + entry.content;
  bytes.resize((bytes.size() + 511) / 512 * 512);
  return bytes;
}

// Long fields of the entry that follows.
inline std::string pax(const std::vector<std::pair<std::string, std::string>>& records) {
  std::string content;
  for (const auto& [name, value] : records) {
    const std::string rest = " " + name + "=" + value + "\n";
    std::size_t length = rest.size() + 1;
    while (std::to_string(length).size() + rest.size() != length) ++length;
    content += std::to_string(length) + rest;
  }
  return tar_entry({"pax", 'x', {}, content});
}

inline std::string tar(const std::vector<TarEntry>& entries) {
  std::string bytes;
  for (const TarEntry& entry : entries) bytes += tar_entry(entry);
  return bytes + std::string(1024, '\0');
}

inline std::string gzip(std::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string bzip2(std::string bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 700, '\0');
  auto length = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(out.data(), &length, bytes.data(), static_cast<unsigned>(bytes.size()),
                           9, 0, 0);
  out.resize(length);
  return out;
}

inline std::string xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t length = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, nullptr,
                          reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &length, out.size());
  out.resize(length);
  return out;
}

class Zip {
 public:
  // `mode` as of a file on Unix, with its type: 0100644, 0120777 for a link.
  Zip& add(std::string_view name, std::string_view content, unsigned mode = 0100644,
           bool deflated = false) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    const std::string data = deflated ? deflate_raw(content) : std::string(content);
    const auto crc = static_cast<std::uint32_t>(crc32(
        0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    std::string common;
    number(common, 20, 2);
    number(common, 0x800, 2);  // names are UTF-8
    number(common, deflated ? 8 : 0, 2);
    number(common, 0, 4);
    number(common, crc, 4);
    number(common, data.size(), 4);
    number(common, content.size(), 4);
    number(common, name.size(), 2);
    number(common, 0, 2);
    bytes_ += "PK\3\4" + common;
    bytes_ += name;
    bytes_ += data;
    directory_ += "PK\1\2";
    number(directory_, (3 << 8) | 20, 2);  // made on Unix
    directory_ += common;
    number(directory_, 0, 2);
    number(directory_, 0, 2);
    number(directory_, 0, 2);
    number(directory_, static_cast<std::uint64_t>(mode) << 16, 4);
    number(directory_, at, 4);
    directory_ += name;
    ++count_;
    return *this;
  }

  // Bytes that the directory does not mention.
  Zip& hide(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }

  std::string finish() const {
    std::string end = "PK\5\6";
    number(end, 0, 4);
    number(end, count_, 2);
    number(end, count_, 2);
    number(end, directory_.size(), 4);
    number(end, bytes_.size(), 4);
    number(end, 0, 2);
    return bytes_ + directory_ + end;
  }

 private:
  static void number(std::string& out, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
  }
  static std::string deflate_raw(std::string_view content) {
    const std::string whole = gzip(content);
    return whole.substr(10, whole.size() - 18);
  }

  std::string bytes_;
  std::string directory_;
  std::uint64_t count_ = 0;
};

}  // namespace tofu::archive
