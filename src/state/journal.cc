#include "state/journal.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <zlib.h>

namespace tofu::state {

namespace {

constexpr std::string_view kHead = "tofu journal 2\n";
constexpr std::string_view kHeadOfVersion1 = "tofu journal 1\n";
constexpr std::string_view kHeadOfAny = "tofu journal ";
// Four bytes of the payload's length, four of its checksum, eight that name the frame before,
// and the checksum of all these. Version 1 had no names.
constexpr std::size_t kLink = 8;
constexpr std::size_t kFrame = 20;
constexpr std::size_t kFrameOfVersion1 = kFrame - kLink;

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

std::uint64_t long_number_at(std::string_view bytes, std::size_t at) {
  return number_at(bytes, at) | static_cast<std::uint64_t>(number_at(bytes, at + 4)) << 32;
}

// After a power failure a file may have its new length, but zeros for content.
bool ends_in_a_hole(std::string_view rest) { return rest.ends_with('\0'); }

// A frame whose head fits its checksum.
struct Frame {
  std::size_t size = 0;  // with its head
  std::string_view payload = {};
  bool is_torn = false;    // the file ends inside of it
  bool is_intact = false;  // the payload fits its checksum
  std::uint64_t name = 0;
  std::uint64_t previous = 0;  // the name of the frame before
};

class Reader {
 public:
  Reader(std::string_view bytes, bool has_links, const Encryption& encryption)
      : bytes_(bytes), encryption_(encryption), has_links_(has_links), at_(kHead.size()) {}

  Journal read() {
    while (at_ < bytes_.size()) {
      const auto frame = frame_at(at_);
      if (frame && frame->is_torn) {
        journal_.torn = true;
        break;
      }
      if (frame && frame->is_intact) {
        if (!take(*frame)) break;
        last_ = frame->name;
        after_gap_ = false;
        at_ += frame->size;
      } else if (!skip_damaged(frame)) {
        break;
      }
    }
    keep_records();
    check_beginning();
    return std::move(journal_);
  }

 private:
  // Records that were in one frame.
  struct Taken {
    std::uint64_t name;
    std::uint64_t previous;
    std::vector<JournalRecord> records;
  };

  std::optional<Frame> frame_at(std::size_t at) const {
    const std::size_t head = has_links_ ? kFrame : kFrameOfVersion1;
    const std::string_view rest = bytes_.substr(at);
    if (rest.size() < head) return Frame{.size = rest.size(), .is_torn = true};
    const std::uint32_t sum = number_at(rest, head - 4);
    if (checksum(rest.substr(0, head - 4)) != sum) return std::nullopt;
    const std::uint32_t length = number_at(rest, 0);
    const std::uint32_t payload_sum = number_at(rest, 4);
    Frame frame{.size = head + length,
                .is_torn = length > rest.size() - head,
                .name = payload_sum | static_cast<std::uint64_t>(sum) << 32,
                .previous = has_links_ ? long_number_at(rest, 8) : last_};
    if (frame.is_torn) return frame;
    frame.payload = rest.substr(head, length);
    frame.is_intact = checksum(frame.payload) == payload_sum;
    return frame;
  }

  void damaged(std::string what) {
    if (!journal_.damage) journal_.damage = JournalDamage{at_, std::move(what)};
  }

  // Goes on with the next intact frame. False if there is none, which is no damage at the end.
  bool skip_damaged(const std::optional<Frame>& frame) {
    const std::size_t after = at_ + (frame ? frame->size : 1);
    std::size_t next = after;
    while (next < bytes_.size()) {
      const auto found = frame_at(next);
      if (found && found->is_intact) break;
      ++next;
    }
    if (next >= bytes_.size() && ends_in_a_hole(bytes_)) {
      journal_.torn = true;
      return false;
    }
    damaged(frame ? "a record does not match its checksum"
                  : "the head of a record does not match its checksum");
    if (frame) last_ = frame->name;
    after_gap_ = !frame || next != after;
    at_ = next;
    return true;
  }

  // False if nothing after it can be used either.
  bool take(const Frame& frame) {
    if (!after_gap_ && frame.previous != last_) {
      damaged("a record is missing, repeated or out of place");
      is_out_of_order_ = true;
    }
    const auto text = encryption_.decrypt_record(frame.payload);
    if (!text) {
      journal_.undecrypted = text.error().what;
      return false;
    }
    Taken taken{frame.name, frame.previous, {}};
    for (std::string_view rest = *text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      auto decoded = decode_record(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!decoded) {
        damaged(decoded.error().what);
        return true;
      }
      if (!decoded->record) {
        journal_.unsupported =
            fmt::format("it has a record of the unknown kind \"{}\"", decoded->unknown_kind);
        return false;
      }
      taken.records.push_back(std::move(*decoded->record));
    }
    taken_.push_back(std::move(taken));
    return true;
  }

  // Each after the one that it names, once. Those before which one is lost stay where they are.
  std::vector<std::size_t> linked_order() const {
    std::unordered_map<std::uint64_t, std::size_t> after;  // by the name of the one before
    std::unordered_set<std::uint64_t> names;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      names.insert(taken_[i].name);
      after.emplace(taken_[i].previous, i);
    }
    std::vector<std::size_t> order;
    std::unordered_set<std::uint64_t> done;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (names.contains(taken_[i].previous)) continue;
      for (std::size_t next = i; done.insert(taken_[next].name).second;) {
        order.push_back(next);
        const auto found = after.find(taken_[next].name);
        if (found == after.end()) break;
        next = found->second;
      }
    }
    return order;
  }

  void keep_records() {
    std::vector<std::size_t> order(taken_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (is_out_of_order_) order = linked_order();
    for (const std::size_t i : order) {
      for (JournalRecord& record : taken_[i].records) {
        journal_.records.push_back(std::move(record));
      }
    }
  }

  // Whose the records are is not known without the first.
  void check_beginning() {
    if (journal_.records.empty() || journal_.begin() != nullptr) return;
    if (journal_.damage) {
      journal_.records.insert(journal_.records.begin(), JournalBegin{});
    } else {
      journal_.records.clear();
      journal_.damage = JournalDamage{kHead.size(), "the first record is not that of a beginning"};
    }
  }

  const std::string_view bytes_;
  const Encryption& encryption_;
  const bool has_links_;
  std::size_t at_;
  std::uint64_t last_ = 0;  // the name of the frame before
  bool after_gap_ = false;
  bool is_out_of_order_ = false;
  std::vector<Taken> taken_;
  Journal journal_;
};

}  // namespace

const JournalBegin* Journal::begin() const {
  return records.empty() ? nullptr : std::get_if<JournalBegin>(&records.front());
}

bool Journal::has_ended() const {
  return !records.empty() && std::holds_alternative<JournalEnd>(records.back());
}

std::string_view journal_head() { return kHead; }

base::Result<std::string> frame_records(std::span<const JournalRecord> records,
                                        const Encryption& encryption) {
  std::string text;
  for (const JournalRecord& record : records) {
    if (!text.empty()) text += '\n';
    text += encode_record(record);
  }
  const auto payload = encryption.encrypt_record(text);
  if (!payload) return payload.error();
  if (payload->size() > 0xFFFF'FFFF) return base::Error{"a record is larger than 4 GB"};
  std::string frame;
  frame.reserve(kFrame + payload->size());  // of which there may be megabytes
  append_number(frame, static_cast<std::uint32_t>(payload->size()));
  append_number(frame, checksum(*payload));
  frame.append(kFrame - frame.size(), '\0');
  frame += *payload;
  return frame;
}

void JournalChain::link(std::string& frame) {
  std::string link;
  append_number(link, static_cast<std::uint32_t>(last_));
  append_number(link, static_cast<std::uint32_t>(last_ >> 32));
  frame.replace(kFrameOfVersion1 - 4, kLink, link);
  const std::uint32_t sum = checksum(std::string_view(frame).substr(0, kFrame - 4));
  std::string text;
  append_number(text, sum);
  frame.replace(kFrame - 4, 4, text);
  last_ = number_at(frame, 4) | static_cast<std::uint64_t>(sum) << 32;
}

Journal read_journal(std::string_view bytes, const Encryption& encryption) {
  const bool has_links = bytes.starts_with(kHead);
  if (has_links || bytes.starts_with(kHeadOfVersion1)) {
    return Reader(bytes, has_links, encryption).read();
  }
  Journal journal;
  if (kHead.starts_with(bytes) || kHeadOfVersion1.starts_with(bytes) || ends_in_a_hole(bytes)) {
    journal.torn = true;
  } else if (bytes.starts_with(kHeadOfAny)) {
    journal.unsupported = "its format is not known";
  } else {
    journal.damage = JournalDamage{0, "this is not a journal"};
  }
  return journal;
}

}  // namespace tofu::state
