#include "state/journal.h"

#include <algorithm>
#include <array>
#include <utility>
#include <zlib.h>

namespace tofu::state {

namespace {

constexpr std::string_view kHead = "tofu journal 1\n";
constexpr std::size_t kFrame = 12;  // length, checksum of the payload, checksum of these two

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(
      ::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void append_number(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(number >> shift & 0xFF);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// After a power failure a file may have its new length, but zeros for content.
bool ends_in_a_hole(std::string_view rest) { return rest.ends_with('\0'); }

// Takes one record off `rest`. Nothing at the end, or after setting torn or damage.
std::optional<std::string_view> next_payload(std::string_view& rest, std::uint64_t offset,
                                             Journal& journal) {
  const auto damaged = [&](const char* what) {
    if (ends_in_a_hole(rest)) {
      journal.torn = true;
    } else {
      journal.damage = JournalDamage{offset, what};
    }
    return std::nullopt;
  };
  if (rest.empty()) return std::nullopt;
  if (rest.size() < kFrame) {
    journal.torn = true;
    return std::nullopt;
  }
  if (checksum(rest.substr(0, 8)) != number_at(rest, 8)) {
    return damaged("the head of a record does not fit its checksum");
  }
  const std::size_t length = number_at(rest, 0);
  if (length > rest.size() - kFrame) {
    journal.torn = true;
    return std::nullopt;
  }
  const std::string_view payload = rest.substr(kFrame, length);
  if (checksum(payload) != number_at(rest, 4)) {
    return damaged("a record does not fit its checksum");
  }
  rest.remove_prefix(kFrame + length);
  return payload;
}

}  // namespace

const JournalBegin* Journal::begin() const {
  return records.empty() ? nullptr : std::get_if<JournalBegin>(&records.front());
}

bool Journal::has_ended() const {
  return !records.empty() && std::holds_alternative<JournalEnd>(records.back());
}

std::string_view journal_head() { return kHead; }

base::Result<std::string> frame_record(const JournalRecord& record, const Encryption& encryption) {
  const auto payload = encryption.encrypt_record(encode_record(record));
  if (!payload) return payload.error();
  if (payload->size() > 0xFFFF'FFFF) return base::Error{"a record is larger than 4 GB"};
  std::string framed;
  framed.reserve(kFrame + payload->size());  // of which there may be megabytes
  append_number(framed, static_cast<std::uint32_t>(payload->size()));
  append_number(framed, checksum(*payload));
  append_number(framed, checksum(framed));
  framed += *payload;
  return framed;
}

Journal read_journal(std::string_view bytes, const Encryption& encryption) {
  Journal journal;
  if (!bytes.starts_with(kHead)) {
    journal.torn = kHead.starts_with(bytes) || ends_in_a_hole(bytes);
    if (!journal.torn) journal.damage = JournalDamage{0, "this is not a journal"};
    return journal;
  }
  std::string_view rest = bytes.substr(kHead.size());
  while (true) {
    const std::uint64_t offset = bytes.size() - rest.size();
    const auto payload = next_payload(rest, offset, journal);
    if (!payload) return journal;
    const auto text = encryption.decrypt_record(*payload);
    if (!text) {
      journal.undecrypted = text.error().what;
      return journal;
    }
    auto record = decode_record(*text);
    if (!record) {
      journal.damage = JournalDamage{offset, record.error().what};
      return journal;
    }
    if (journal.records.empty() && !std::holds_alternative<JournalBegin>(*record)) {
      journal.damage = JournalDamage{offset, "the first record is not that of a beginning"};
      return journal;
    }
    journal.records.push_back(std::move(*record));
  }
}

}  // namespace tofu::state
