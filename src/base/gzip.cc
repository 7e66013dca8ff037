#include "base/gzip.h"

#include <array>
#include <limits>
#include <zlib.h>

namespace tofu::base {

namespace {

constexpr int kGzipFormat = MAX_WBITS + 16;

// zlib's interface is older than const.
Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

}  // namespace

Result<std::string> gzip(std::string_view text) {
  if (text.size() > std::numeric_limits<uInt>::max() / 2) return Error{"the text is too long"};
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error{"out of memory"};
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = input_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return Error{"the text is too long"};
  return out;
}

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
  const Error too_long{"the text is too long"};
  if (bytes.size() > limit || bytes.size() > std::numeric_limits<uInt>::max()) return too_long;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) return Error{"out of memory"};
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, 64 * 1024> piece;
  int status = Z_OK;
  while (out.size() <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0) break;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      break;
    }
  }
  inflateEnd(&stream);
  if (out.size() > limit) return too_long;
  if (status == Z_BUF_ERROR) return Error{"the data ends too early"};
  if (status != Z_STREAM_END) return Error{"the data is not in gzip format"};
  return out;
}

}  // namespace tofu::base
