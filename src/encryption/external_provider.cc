#include "encryption/external_provider.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/json_layout.h"
#include "encryption/external_program.h"
#include "state/json_fields.h"

namespace tofu::encryption {

namespace {

constexpr std::uint64_t kMaxAnswerSize = std::uint64_t{1} << 20;

struct Answer {
  Key encryption = {};
  Key decryption = {};
  std::string external_data = "null";  // JSON
};

void read_key(state::JsonFields& fields, std::string_view name, Key& into) {
  std::string text;
  fields.text(name, text);
  auto bytes = base::base64_decode(text);
  wipe(text);
  if (!bytes) return fields.fail(name, "a key in base64");
  into = Key(*bytes);
  wipe(*bytes);
}

void refuse_member(state::JsonFields& fields, std::string_view name) {
  fields.skip();
  fields.fail(name, "left out: the protocol does not have it");
}

void read_keys(state::JsonFields& fields, Answer& answer) {
  fields.members("keys", [&](std::string_view name) {
    if (state::is_field(name, "encryption_key")) {
      read_key(fields, "encryption_key", answer.encryption);
    } else if (state::is_field(name, "decryption_key")) {
      read_key(fields, "decryption_key", answer.decryption);
    } else {
      refuse_member(fields, name);
    }
  });
}

void read_meta(state::JsonFields& fields, Answer& answer) {
  fields.members("meta", [&](std::string_view name) {
    if (!state::is_field(name, "external_data")) return refuse_member(fields, name);
    const char first = fields.peek();
    answer.external_data = fields.raw();
    if (first != '{' && first != 'n') fields.fail("external_data", "an object");
  });
}

base::Result<Answer> read_answer(std::string_view bytes) {
  std::string text;
  if (!base::append_compact_json(text, bytes)) {
    wipe(text);
    return base::Error{"its answer is not valid JSON"};
  }
  Answer answer;
  state::JsonFields fields(text);
  fields.members("answer", [&](std::string_view name) {
    if (state::is_field(name, "keys")) {
      read_keys(fields, answer);
    } else if (state::is_field(name, "meta")) {
      read_meta(fields, answer);
    } else {
      refuse_member(fields, name);
    }
  });
  const std::string fault = fields.fault();
  wipe(text);
  if (!fault.empty()) return base::Error{"in its answer, " + fault};
  return answer;
}

class External final : public KeyProvider {
 public:
  External(std::string storage_name, std::vector<std::string> command, const std::stop_token& stop)
      : KeyProvider(std::move(storage_name)), command_(std::move(command)), stop_(stop) {}

 protected:
  base::Result<NewKey> make_key() const override {
    auto answer = ask("null");
    if (!answer) return answer.error();
    NewKey made{std::move(answer->encryption), {}};
    made.metadata.emplace(storage_name(),
                          fmt::format("{{\"external_data\":{}}}", answer->external_data));
    return made;
  }

  base::Result<Key> find_key(const Metadata& metadata) const override {
    std::string input = "null";
    if (const auto found = metadata.find(storage_name()); found != metadata.end()) {
      auto own = read_own(found->second);
      if (!own) {
        return base::Error{
            fmt::format("the metadata {:?} cannot be used: {}", storage_name(), own.error().what)};
      }
      input = std::move(*own);
    }
    auto answer = ask(std::move(input));
    if (!answer) return answer.error();
    return std::move(answer->decryption);
  }

 private:
  // The metadata for the program; null if it kept nothing.
  static base::Result<std::string> read_own(std::string_view bytes) {
    std::string text;
    if (!base::append_compact_json(text, bytes)) return base::Error{"it is not valid JSON"};
    std::string data = "null";
    state::JsonFields fields(text);
    fields.members("metadata", [&](std::string_view name) {
      if (!state::is_field(name, "external_data")) return fields.skip();
      const char first = fields.peek();
      data = fields.raw();
      if (first != '{' && first != 'n') fields.fail("external_data", "an object");
    });
    if (!fields.fault().empty()) return base::Error{fields.fault()};
    if (data == "null") return data;
    return fmt::format("{{\"external_data\":{}}}", data);
  }

  base::Result<Answer> ask(std::string input) const {
    auto text = run_external({.command = command_,
                              .magic = "OpenTofu-External-Key-Provider",
                              .output_limit = kMaxAnswerSize,
                              .stop = stop_},
                             std::move(input));
    if (!text) return text.error();
    auto answer = read_answer(*text);
    wipe(*text);
    if (answer) return answer;
    return base::Error{
        fmt::format("the program {:?} failed: {}", command_[0], answer.error().what)};
  }

  const std::vector<std::string> command_;
  std::stop_token stop_;
};

}  // namespace

std::shared_ptr<const KeyProvider> external_provider(std::string storage_name,
                                                     std::vector<std::string> command,
                                                     const std::stop_token& stop) {
  return std::make_shared<External>(std::move(storage_name), std::move(command), stop);
}

}  // namespace tofu::encryption
