#include "backends/table_store.h"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>
#include <utility>

namespace tofu::backends {

namespace {

namespace proto = google::protobuf;
using net::WebReply;
using proto::internal::WireFormatLite;

constexpr std::string_view kKeyColumn = "LockID";

// Conditions of a change: whether the row has to be there.
enum class Expected : std::uint8_t { Anything = 0, Missing = 2 };

// Of PlainBuffer.
constexpr std::uint32_t kHeader = 0x75;
enum class Tag : std::uint8_t {
  PrimaryKey = 1,
  Data = 2,
  Cell = 3,
  Name = 4,
  Value = 5,
  Operation = 6,
  Time = 7,
  Deleted = 8,
  RowSum = 9,
  CellSum = 10,
};
constexpr char kTextType = 3;

// CRC-8 with the polynomial x^8 + x^2 + x + 1.
std::uint8_t add_to_sum(std::uint8_t sum, std::string_view bytes) {
  for (const char byte : bytes) {
    sum = static_cast<std::uint8_t>(sum ^ static_cast<unsigned char>(byte));
    for (int bit = 0; bit < 8; ++bit) {
      sum = static_cast<std::uint8_t>((sum & 0x80) != 0 ? (sum << 1) ^ 0x07 : sum << 1);
    }
  }
  return sum;
}

std::string little_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>((number >> shift) & 0xff));
  }
  return bytes;
}

char byte_of(Tag tag) { return static_cast<char>(tag); }

// Appends a cell and returns its checksum.
std::uint8_t write_cell(std::string& out, std::string_view name, std::string_view text) {
  const std::string value = std::string(1, kTextType) +
                            little_endian(static_cast<std::uint32_t>(text.size())) +
                            std::string(text);
  out.push_back(byte_of(Tag::Cell));
  out.push_back(byte_of(Tag::Name));
  out += little_endian(static_cast<std::uint32_t>(name.size()));
  out += name;
  out.push_back(byte_of(Tag::Value));
  out += little_endian(static_cast<std::uint32_t>(value.size()));
  out += value;
  const std::uint8_t sum = add_to_sum(add_to_sum(0, name), value);
  out.push_back(byte_of(Tag::CellSum));
  out.push_back(static_cast<char>(sum));
  return sum;
}

// A row with its primary key; `sums` gets the checksums of its cells.
std::string begin_row(std::string_view key, std::string& sums) {
  std::string row = little_endian(kHeader);
  row.push_back(byte_of(Tag::PrimaryKey));
  sums.push_back(static_cast<char>(write_cell(row, kKeyColumn, key)));
  return row;
}

void end_row(std::string& row, std::string& sums, bool is_deleted) {
  sums.push_back(is_deleted ? 1 : 0);
  row.push_back(byte_of(Tag::RowSum));
  row.push_back(static_cast<char>(add_to_sum(0, sums)));
}

// Reads a row piece by piece; after an error everything is empty.
class RowReader {
 public:
  explicit RowReader(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  std::string_view take(std::size_t size) {
    if (failed_ || rest_.size() < size) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::uint32_t number() {
    const std::string_view bytes = take(4);
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return number;
  }
  // Whether the next tag is this one, which is taken then.
  bool next_is(Tag tag) {
    if (failed_ || rest_.empty() || rest_.front() != byte_of(tag)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(bool fits) { failed_ = failed_ || !fits; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

struct Cell {
  std::string_view name;
  std::optional<std::string_view> text;  // nothing if it is not text
  std::uint8_t sum = 0;
};

// The tag of the cell was taken.
Cell read_cell(RowReader& reader) {
  Cell cell;
  reader.need(reader.next_is(Tag::Name));
  cell.name = reader.take(reader.number());
  cell.sum = add_to_sum(0, cell.name);
  if (reader.next_is(Tag::Value)) {
    const std::string_view value = reader.take(reader.number());
    cell.sum = add_to_sum(cell.sum, value);
    if (value.starts_with(kTextType)) {
      RowReader inside(value.substr(1));
      const std::string_view text = inside.take(inside.number());
      reader.need(!inside.failed());
      cell.text = text;
    }
  }
  const std::string_view operation = reader.next_is(Tag::Operation) ? reader.take(1) : "";
  if (reader.next_is(Tag::Time)) cell.sum = add_to_sum(cell.sum, reader.take(8));
  cell.sum = add_to_sum(cell.sum, operation);
  reader.need(reader.next_is(Tag::CellSum));
  const std::string_view sum = reader.take(1);
  reader.need(!sum.empty() && static_cast<std::uint8_t>(sum[0]) == cell.sum);
  return cell;
}

void write_bytes(proto::io::CodedOutputStream& out, int field, std::string_view bytes) {
  out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED));
  out.WriteVarint32(static_cast<std::uint32_t>(bytes.size()));
  out.WriteRaw(bytes.data(), static_cast<int>(bytes.size()));
}

void write_number(proto::io::CodedOutputStream& out, int field, std::uint32_t number) {
  out.WriteTag(WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_VARINT));
  out.WriteVarint32(number);
}

template <class Fill>
std::string message(const Fill& fill) {
  std::string bytes;
  {
    proto::io::StringOutputStream stream(&bytes);
    proto::io::CodedOutputStream out(&stream);
    fill(out);
  }
  return bytes;
}

// PutRow and DeleteRow have the same fields.
std::string change(const std::string& table, const std::string& row, Expected expected) {
  return message([&](proto::io::CodedOutputStream& out) {
    write_bytes(out, 1, table);
    write_bytes(out, 2, row);
    write_bytes(out, 3, message([&](proto::io::CodedOutputStream& condition) {
                  write_number(condition, 1, static_cast<std::uint32_t>(expected));
                }));
  });
}

// A field of bytes in a message; nothing if it is not there or this is no message.
std::optional<std::string> bytes_at(const std::string& bytes, int field) {
  proto::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                 static_cast<int>(bytes.size()));
  while (const std::uint32_t tag = in.ReadTag()) {
    const bool is_wanted =
        tag == WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
    std::string found;
    std::uint32_t size = 0;
    if (!is_wanted) {
      if (!WireFormatLite::SkipField(&in, tag)) return std::nullopt;
    } else if (in.ReadVarint32(&size) && size <= bytes.size() &&
               in.ReadString(&found, static_cast<int>(size))) {
      return found;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// The code of an error, such as "OTSConditionCheckFail".
std::string error_code(const WebReply& reply) { return bytes_at(reply.body, 1).value_or(""); }

}  // namespace

std::string plain_row(
    std::string_view key,
    std::initializer_list<std::pair<std::string_view, std::string_view>> columns) {
  std::string sums;
  std::string row = begin_row(key, sums);
  if (columns.size() > 0) row.push_back(byte_of(Tag::Data));
  for (const auto& [name, text] : columns) {
    sums.push_back(static_cast<char>(write_cell(row, name, text)));
  }
  end_row(row, sums, false);
  return row;
}

std::string plain_deletion(std::string_view key) {
  std::string sums;
  std::string row = begin_row(key, sums);
  row.push_back(byte_of(Tag::Deleted));
  end_row(row, sums, true);
  return row;
}

base::Result<std::optional<std::string>> plain_text(std::string_view row, std::string_view column) {
  RowReader reader(row);
  reader.need(reader.number() == kHeader);
  std::optional<std::string> found;
  std::string sums;
  for (const Tag part : {Tag::PrimaryKey, Tag::Data}) {
    if (!reader.next_is(part)) continue;
    while (reader.next_is(Tag::Cell)) {
      const Cell cell = read_cell(reader);
      sums.push_back(static_cast<char>(cell.sum));
      if (part == Tag::Data && cell.name == column && cell.text) found = std::string(*cell.text);
    }
  }
  sums.push_back(reader.next_is(Tag::Deleted) ? 1 : 0);
  reader.need(reader.next_is(Tag::RowSum));
  const std::string_view sum = reader.take(1);
  reader.need(!sum.empty() && static_cast<std::uint8_t>(sum[0]) == add_to_sum(0, sums));
  if (reader.failed()) return base::Error{"the answer of TableStore is not a row of its table"};
  return found;
}

base::Error TableStore::refusal(const WebReply& reply) const {
  const std::string code = error_code(reply);
  if (code == "OTSObjectNotExist") {
    return {fmt::format("TableStore has no table {:?}", name())};
  }
  return {fmt::format("TableStore responded with status {}{}{}", reply.status,
                      code.empty() ? "" : ": ", code)};
}

base::Result<std::string> TableStore::get(const std::string& key, PlainColumns columns) {
  const std::string body = message([&](proto::io::CodedOutputStream& out) {
    write_bytes(out, 1, name());
    write_bytes(out, 2, plain_row(key, {}));
    write_bytes(out, 3, kKeyColumn);
    for (const std::string_view column : columns) write_bytes(out, 3, column);
    write_number(out, 5, 1);  // the newest version
  });
  const auto reply = access_.ask_table(endpoint_, instance_, "GetRow", body);
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  auto row = bytes_at(reply->body, 2);
  if (!row) return base::Error{"the answer of TableStore is not one to GetRow"};
  return std::move(*row);
}

base::Result<std::optional<std::string>> TableStore::lock_record(const std::string& key) {
  const auto row = get(key, {"Info"});
  if (!row) return row.error();
  if (row->empty()) return std::optional<std::string>();
  return plain_text(*row, "Info");
}

base::Result<bool> TableStore::add_lock(const std::string& key, const std::string& record) {
  const auto reply =
      access_.ask_table(endpoint_, instance_, "PutRow",
                        change(name(), plain_row(key, {{"Info", record}}), Expected::Missing));
  if (!reply) return reply.error();
  if (reply->status == 200) return true;
  if (error_code(*reply) == "OTSConditionCheckFail") return false;
  return refusal(*reply);
}

base::Result<void> TableStore::remove_lock(const std::string& key, const std::string&) {
  const auto reply = access_.ask_table(endpoint_, instance_, "DeleteRow",
                                       change(name(), plain_deletion(key), Expected::Anything));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

base::Result<Digests> TableStore::digests(const std::string& key) {
  const auto row = get(key + "-md5", {"Digest", "Noted"});
  if (!row) return row.error();
  if (row->empty()) return Digests{};
  auto stored = plain_text(*row, "Digest");
  if (!stored) return std::move(stored).error();
  auto noted = plain_text(*row, "Noted");
  if (!noted) return std::move(noted).error();
  return Digests{stored->value_or(""), noted->value_or("")};
}

base::Result<void> TableStore::put_digests(const std::string& key, const Digests& digests) {
  const std::string row =
      digests.noted.empty()
          ? plain_row(key + "-md5", {{"Digest", digests.stored}})
          : plain_row(key + "-md5", {{"Digest", digests.stored}, {"Noted", digests.noted}});
  const auto reply =
      access_.ask_table(endpoint_, instance_, "PutRow", change(name(), row, Expected::Anything));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

base::Result<void> TableStore::remove_digest(const std::string& key) {
  const auto reply =
      access_.ask_table(endpoint_, instance_, "DeleteRow",
                        change(name(), plain_deletion(key + "-md5"), Expected::Anything));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

}  // namespace tofu::backends
