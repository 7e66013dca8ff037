#include "archive/zip_parts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <zlib.h>

#include "archive/zip_numbers.h"

namespace tofu::archive {

namespace {

constexpr std::uint16_t kVersion = 20;           // 2.0: with deflate
constexpr std::uint16_t kMadeBy = 3 << 8 | 20;   // on Unix, so that a file has a mode
constexpr std::uint32_t kMode = 0100600U << 16;  // a regular file of its owner
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kDate = 1 << 5 | 1;  // the first day of 1980, in every file
// Smaller parts are stored as they are: packing them takes longer than writing them.
constexpr std::uint64_t kWorthPacking = 256 * 1024;
constexpr std::uint64_t kMaxExpansion = 1032;  // by deflate: 258 bytes for two bits
constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

base::Error not_a_zip() { return {"it is not a zip file that can be read"}; }
base::Error too_large() { return {"it is too large"}; }

void put2(std::string& to, std::uint16_t number) {
  to.push_back(static_cast<char>(number & 0xff));
  to.push_back(static_cast<char>(number >> 8));
}

void put4(std::string& to, std::uint64_t number) {
  put2(to, static_cast<std::uint16_t>(number & 0xffff));
  put2(to, static_cast<std::uint16_t>(number >> 16 & 0xffff));
}

// zlib's interface is older than const.
Bytef* input_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

// That of `bytes` after others with the checksum `before`.
std::uint32_t checksum(std::string_view bytes, std::uint32_t before = 0) {
  return static_cast<std::uint32_t>(crc32_z(before, input_of(bytes), bytes.size()));
}

struct Part {
  std::string name;
  std::uint16_t method = kStored;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0;  // bytes in the file
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of its header
};

// The fields that both headers of a part have.
void put_header_fields(std::string& to, const Part& part) {
  put2(to, kVersion);
  put2(to, 0);  // flags
  put2(to, part.method);
  put2(to, 0);  // the time of day
  put2(to, kDate);
  put4(to, part.checksum);
  put4(to, part.packed);
  put4(to, part.size);
  put2(to, static_cast<std::uint16_t>(part.name.size()));
  put2(to, 0);  // extra fields
}

base::Result<std::string> inflated(std::string_view bytes, std::uint64_t size) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return base::Error{"out of memory"};
  stream.next_in = input_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string content;
  // The size is only believed as far as so many bytes can become so much.
  content.reserve(static_cast<std::size_t>(std::min(size, bytes.size() * kMaxExpansion)));
  std::array<char, 64 * 1024> piece;
  int status = Z_OK;
  while (status == Z_OK && content.size() <= size) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    status = inflate(&stream, Z_NO_FLUSH);
    content.append(piece.data(), piece.size() - stream.avail_out);
  }
  const bool whole = stream.avail_in == 0;
  inflateEnd(&stream);
  if (status != Z_STREAM_END || !whole || content.size() != size) return not_a_zip();
  return content;
}

// The content of a part whose place in the file is not trusted.
base::Result<std::string> content_of(std::string_view bytes, const Part& part) {
  if (part.offset > bytes.size() || bytes.size() - part.offset < kZipLocalSize) return not_a_zip();
  std::string_view rest = bytes.substr(static_cast<std::size_t>(part.offset));
  if (zip_get4(rest, 0) != kZipLocalHeader) return not_a_zip();
  const std::size_t before = kZipLocalSize + zip_get2(rest, 26) + zip_get2(rest, 28);
  if (rest.size() < before || rest.size() - before < part.packed) return not_a_zip();
  rest = rest.substr(before, static_cast<std::size_t>(part.packed));
  if (part.method != kDeflated && (part.method != kStored || part.packed != part.size)) {
    return not_a_zip();
  }
  auto content =
      part.method == kDeflated ? inflated(rest, part.size) : base::Result(std::string(rest));
  if (content && checksum(*content) != part.checksum) return base::Error{"it is damaged"};
  return content;
}

// Where the directory stands and how many parts it has. The end may have a comment after it.
struct Directory {
  std::string_view bytes;
  std::size_t parts = 0;
};
base::Result<Directory> find_directory(std::string_view bytes) {
  constexpr std::size_t kMaxComment = std::numeric_limits<std::uint16_t>::max();
  for (std::size_t comment = 0; comment <= kMaxComment; ++comment) {
    if (bytes.size() < kZipEndSize + comment) return not_a_zip();
    const std::size_t end = bytes.size() - kZipEndSize - comment;
    if (zip_get4(bytes, end) != kZipDirectoryEnd || zip_get2(bytes, end + 20) != comment) continue;
    const std::size_t size = zip_get4(bytes, end + 12);
    const std::size_t offset = zip_get4(bytes, end + 16);
    if (offset > end || size != end - offset) return not_a_zip();
    return Directory{bytes.substr(offset, size), zip_get2(bytes, end + 10)};
  }
  return not_a_zip();
}

// Takes the first part off the directory.
base::Result<Part> take_part(std::string_view& directory) {
  if (directory.size() < kZipDirectorySize || zip_get4(directory, 0) != kZipDirectoryHeader)
    return not_a_zip();
  const std::size_t name = zip_get2(directory, 28);
  const std::size_t size =
      kZipDirectorySize + name + zip_get2(directory, 30) + zip_get2(directory, 32);
  if (directory.size() < size) return not_a_zip();
  Part part;
  part.name = directory.substr(kZipDirectorySize, name);
  part.method = zip_get2(directory, 10);
  part.checksum = zip_get4(directory, 16);
  part.packed = zip_get4(directory, 20);
  part.size = zip_get4(directory, 24);
  part.offset = zip_get4(directory, 42);
  directory.remove_prefix(size);
  return part;
}

}  // namespace

struct ZipWriter::Work {
  ~Work() {
    if (is_open) deflateEnd(&stream);
  }
  void begin_packing();
  void deflate_piece(std::string_view piece, int flush);
  void end_part();

  z_stream stream{};
  bool is_open = false;  // the stream: it takes memory that small files do not need
  bool failed = false;   // there is no memory left
  std::string bytes;
  std::string directory;
  std::size_t parts = 0;
  std::uint64_t size = 0;
  std::optional<Part> part;   // that was begun
  std::size_t begin = 0;      // of its content
  bool is_too_large = false;  // a part
};

// Packs what was stored of the part so far, and all that follows.
void ZipWriter::Work::begin_packing() {
  part->method = kDeflated;
  if (is_open) {
    deflateReset(&stream);
  } else {
    // Values of a plan repeat each other: little effort finds most of that.
    failed =
        deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK;
    is_open = !failed;
  }
  if (failed) return;
  const std::string stored = bytes.substr(begin);
  bytes.resize(begin);
  deflate_piece(stored, Z_NO_FLUSH);
}

void ZipWriter::Work::deflate_piece(std::string_view piece, int flush) {
  std::array<char, 64 * 1024> packed;
  do {
    // zlib counts what it is given in 32 bits.
    const std::string_view next = piece.substr(0, std::size_t{1} << 30);
    piece.remove_prefix(next.size());
    stream.next_in = input_of(next);
    stream.avail_in = static_cast<uInt>(next.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = packed.size();
      // Z_BUF_ERROR only says that there was nothing more to do.
      failed = deflate(&stream, piece.empty() ? flush : Z_NO_FLUSH) == Z_STREAM_ERROR || failed;
      bytes.append(packed.data(), packed.size() - stream.avail_out);
    } while (stream.avail_out == 0 && !failed);
  } while (!piece.empty() && !failed);
}

void ZipWriter::Work::end_part() {
  if (!part || failed) return;
  if (part->method == kDeflated) deflate_piece({}, Z_FINISH);
  part->packed = bytes.size() - begin;
  if (part->size >= kMost || bytes.size() >= kMost) is_too_large = true;
  std::string header;
  put4(header, kZipLocalHeader);
  put_header_fields(header, *part);
  bytes.replace(static_cast<std::size_t>(part->offset), kZipLocalSize, header);
  put4(directory, kZipDirectoryHeader);
  put2(directory, kMadeBy);
  put_header_fields(directory, *part);
  put2(directory, 0);  // comment
  put2(directory, 0);  // disk
  put2(directory, 0);  // kind of content
  put4(directory, kMode);
  put4(directory, part->offset);
  directory += part->name;
  size += part->size;
  ++parts;
  part.reset();
}

ZipWriter::ZipWriter() : work_(std::make_unique<Work>()) {
  // A small file does not move while it grows. Unwritten parts take no memory.
  work_->bytes.reserve(2 * kWorthPacking);
}
ZipWriter::~ZipWriter() = default;

void ZipWriter::part(std::string_view name) {
  Work& work = *work_;
  work.end_part();
  work.part = Part{.name = std::string(name), .offset = work.bytes.size()};
  work.bytes.append(kZipLocalSize, '\0');
  work.bytes += name;
  work.begin = work.bytes.size();
}

void ZipWriter::append(std::string_view piece) {
  Work& work = *work_;
  if (piece.empty() || work.failed) return;
  work.part->checksum = checksum(piece, work.part->checksum);
  work.part->size += piece.size();
  if (work.part->size < kWorthPacking) {
    work.bytes += piece;
    return;
  }
  if (work.part->method == kStored) work.begin_packing();
  if (!work.failed) work.deflate_piece(piece, Z_NO_FLUSH);
}

std::uint64_t ZipWriter::size() const {
  return work_->size + (work_->part ? work_->part->size : 0);
}

base::Result<std::string> ZipWriter::finish() {
  Work& work = *work_;
  work.end_part();
  std::string bytes = std::exchange(work.bytes, {});
  if (work.failed) return base::Error{"out of memory"};
  if (work.is_too_large || bytes.size() + work.directory.size() >= kMost) return too_large();
  const std::size_t offset = bytes.size();
  bytes += work.directory;
  put4(bytes, kZipDirectoryEnd);
  put4(bytes, 0);  // disks
  put2(bytes, static_cast<std::uint16_t>(work.parts));
  put2(bytes, static_cast<std::uint16_t>(work.parts));
  put4(bytes, work.directory.size());
  put4(bytes, offset);
  put2(bytes, 0);  // comment
  return bytes;
}

base::Result<std::string> write_zip(const ZipParts& parts) {
  ZipWriter writer;
  for (const auto& [name, content] : parts) {
    writer.part(name);
    writer.append(content);
  }
  return writer.finish();
}

base::Result<ZipParts> read_zip(std::string_view bytes, std::size_t most_parts,
                                std::uint64_t most_bytes) {
  if (bytes.size() > kMost) return too_large();
  auto directory = find_directory(bytes);
  if (!directory) return directory.error();
  if (directory->parts > most_parts) return base::Error{"it has too many parts"};
  ZipParts parts;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < directory->parts; ++i) {
    const auto part = take_part(directory->bytes);
    if (!part) return part.error();
    total += part->size;
    if (total > most_bytes) return too_large();
    auto content = content_of(bytes, *part);
    if (!content) return content.error();
    if (!parts.emplace(part->name, std::move(*content)).second) {
      return base::Error{"it has a part twice"};
    }
  }
  return directory->bytes.empty() ? base::Result<ZipParts>(std::move(parts)) : not_a_zip();
}

}  // namespace tofu::archive
