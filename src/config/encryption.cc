#include "config/encryption.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "syntax/constants.h"

namespace tofu::config {

namespace {

using syntax::BodySchema;

constexpr int kMaxFallbacks = 100;  // more than anybody rotates keys, few enough for the stack

class EncryptionReader {
 public:
  explicit EncryptionReader(diag::Diagnostics& diags) : diags_(diags) {}

  std::optional<Encryption> read(const syntax::Body& body, diag::SourceRange range);

 private:
  // The only block of a type; reports a second one and gives none then.
  const syntax::Block* only(const syntax::Content& content, std::string_view type);
  EncryptionPart read_part(const syntax::Block& block, bool is_key_provider);
  EncryptionTarget read_target(const syntax::Block& block, bool can_be_enforced, int depth);
  RemoteEncryption read_remote(const syntax::Block& block);
  void check_parts(const std::vector<EncryptionPart>& parts, std::string_view noun,
                   diag::SourceRange range);
  void check_targets(const std::vector<EncryptionTarget>& targets, diag::SourceRange range);

  diag::Diagnostics& diags_;
};

const syntax::Block* EncryptionReader::only(const syntax::Content& content, std::string_view type) {
  const syntax::Block* found = nullptr;
  for (const syntax::Block& block : content.blocks) {
    if (block.type != type) continue;
    if (found != nullptr) {
      diags_.error(fmt::format("Duplicate \"{}\" block", type))
          .detail(fmt::format("Only one \"{}\" block is allowed here.", type))
          .at(block.range);
      return nullptr;
    }
    found = &block;
  }
  return found;
}

EncryptionPart EncryptionReader::read_part(const syntax::Block& block, bool is_key_provider) {
  static const BodySchema kKeyProvider{{{"encrypted_metadata_alias", false}}, {}};
  static const BodySchema kMethod;
  auto read = block.body.partial_content(is_key_provider ? kKeyProvider : kMethod, diags_);
  EncryptionPart part;
  part.type = block.labels[0].text;
  part.name = block.labels[1].text;
  part.range = block.range;
  part.config = std::move(read.remaining);
  if (const auto* attribute = read.content.attribute("encrypted_metadata_alias")) {
    part.encrypted_metadata_alias = syntax::constant_string(*attribute->expr, diags_).value_or("");
  }
  return part;
}

EncryptionTarget EncryptionReader::read_target(const syntax::Block& block, bool can_be_enforced,
                                               int depth) {
  static const BodySchema kTarget{{{"method", false}}, {{"fallback", {}}}};
  static const BodySchema kEnforceable{{{"method", false}, {"enforced", false}},
                                       {{"fallback", {}}}};
  const auto content = block.body.content(can_be_enforced ? kEnforceable : kTarget, diags_);
  EncryptionTarget target;
  target.range = block.range;
  if (!block.labels.empty()) target.name = block.labels[0].text;
  if (const auto* attribute = content.attribute("method")) target.method = attribute->expr;
  if (const auto* attribute = content.attribute("enforced")) {
    target.enforced = syntax::constant_bool(*attribute->expr, diags_).value_or(false);
  }
  const syntax::Block* fallback = only(content, "fallback");
  if (fallback == nullptr) return target;
  if (depth == kMaxFallbacks) {
    diags_.error("Too many fallbacks")
        .detail(fmt::format("Fallbacks can be nested at most {} levels deep.", kMaxFallbacks))
        .at(fallback->range);
    return target;
  }
  target.fallback = std::make_shared<EncryptionTarget>(read_target(*fallback, false, depth + 1));
  return target;
}

RemoteEncryption EncryptionReader::read_remote(const syntax::Block& block) {
  static const BodySchema kSchema{{}, {{"default", {}}, {"remote_state_data_source", {"name"}}}};
  const auto content = block.body.content(kSchema, diags_);
  RemoteEncryption remote;
  if (const auto* inner = only(content, "default")) remote.fallback = read_target(*inner, false, 0);
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "default") continue;
    remote.targets.push_back(read_target(inner, false, 0));
  }
  return remote;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '_' || c == '-';
  });
}

void EncryptionReader::check_parts(const std::vector<EncryptionPart>& parts, std::string_view noun,
                                   diag::SourceRange range) {
  std::map<std::pair<std::string_view, std::string_view>, int> seen;
  for (const EncryptionPart& part : parts) ++seen[{part.type, part.name}];
  for (const EncryptionPart& part : parts) {
    if (seen[{part.type, part.name}] > 1) {
      diags_.error(fmt::format("Duplicate {}", noun))
          .detail(fmt::format("Another one is already named {}.{}.", part.type, part.name))
          .at(range);
    }
    for (const std::string& word : {part.type, part.name}) {
      if (is_plain_name(word)) continue;
      // Without a place, as OpenTofu has it.
      diags_.error(fmt::format("Invalid {} name", noun))
          .detail(
              fmt::format("{:?} can contain only letters, digits, underscores and dashes.", word));
    }
  }
}

void EncryptionReader::check_targets(const std::vector<EncryptionTarget>& targets,
                                     diag::SourceRange range) {
  std::map<std::string_view, int> seen;
  for (const EncryptionTarget& target : targets) ++seen[target.name];
  for (const EncryptionTarget& target : targets) {
    if (seen[target.name] < 2) continue;
    diags_.error("Duplicate remote_state_data_source")
        .detail(fmt::format("Another remote_state_data_source is already named {}.", target.name))
        .at(range);
  }
}

std::optional<Encryption> EncryptionReader::read(const syntax::Body& body,
                                                 diag::SourceRange range) {
  static const BodySchema kSchema{{},
                                  {{"key_provider", {"type", "name"}},
                                   {"method", {"type", "name"}},
                                   {"state", {}},
                                   {"plan", {}},
                                   {"remote_state_data_sources", {}}}};
  const std::size_t errors_before = diags_.error_count();
  const auto content = body.content(kSchema, diags_);
  Encryption encryption;
  encryption.range = range;
  for (const syntax::Block& block : content.blocks) {
    if (block.type == "key_provider") encryption.key_providers.push_back(read_part(block, true));
    if (block.type == "method") encryption.methods.push_back(read_part(block, false));
  }
  if (const auto* block = only(content, "state")) encryption.state = read_target(*block, true, 0);
  if (const auto* block = only(content, "plan")) encryption.plan = read_target(*block, true, 0);
  if (const auto* block = only(content, "remote_state_data_sources")) {
    encryption.remote = read_remote(*block);
  }
  if (diags_.error_count() != errors_before) return std::nullopt;
  check_parts(encryption.key_providers, "Key provider", range);
  check_parts(encryption.methods, "Method", range);
  if (encryption.remote) check_targets(encryption.remote->targets, range);
  if (diags_.error_count() != errors_before) return std::nullopt;
  return encryption;
}

void merge_target(std::optional<EncryptionTarget>& base, std::optional<EncryptionTarget> override) {
  if (!override) return;
  if (!base) {
    base = std::move(override);
    return;
  }
  base->enforced = base->enforced || override->enforced;
  if (override->method != nullptr) base->method = override->method;
  if (override->fallback) base->fallback = std::move(override->fallback);
}

void merge_parts(std::vector<EncryptionPart>& base, std::vector<EncryptionPart> override) {
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < base.size(); ++i) {
    places.emplace(std::pair(base[i].type, base[i].name), i);
  }
  for (EncryptionPart& part : override) {
    const auto [place, is_new] = places.emplace(std::pair(part.type, part.name), base.size());
    if (is_new) {
      base.push_back(std::move(part));
    } else {
      EncryptionPart& same = base[place->second];
      same.config = syntax::Body::overridden(std::move(same.config), std::move(part.config));
    }
  }
}

void merge_remote(std::optional<RemoteEncryption>& base, std::optional<RemoteEncryption> override) {
  if (!override) return;
  if (!base) {
    base = std::move(override);
    return;
  }
  merge_target(base->fallback, std::move(override->fallback));
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < base->targets.size(); ++i) places.emplace(base->targets[i].name, i);
  for (EncryptionTarget& target : override->targets) {
    const auto [place, is_new] = places.emplace(target.name, base->targets.size());
    if (is_new) {
      base->targets.push_back(std::move(target));
      continue;
    }
    EncryptionTarget& same = base->targets[place->second];
    std::optional<EncryptionTarget> merged = std::move(same);
    merge_target(merged, std::move(target));
    same = std::move(*merged);
  }
}

}  // namespace

diag::Checked<Encryption> read_encryption(const syntax::Body& body, diag::SourceRange range,
                                          diag::Diagnostics& diags) {
  return EncryptionReader(diags).read(body, range);
}

Encryption merge_encryption(Encryption base, Encryption override) {
  merge_parts(base.key_providers, std::move(override.key_providers));
  merge_parts(base.methods, std::move(override.methods));
  merge_target(base.state, std::move(override.state));
  merge_target(base.plan, std::move(override.plan));
  merge_remote(base.remote, std::move(override.remote));
  return base;
}

}  // namespace tofu::config
