#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "encryption/ciphers.h"
#include "encryption/encryptions.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"

namespace tofu::encryption {

namespace {

using config::EncryptionPart;
using config::EncryptionTarget;
using value::Value;
using Address = std::pair<std::string, std::string>;  // type and name

constexpr std::string_view kKeyProvider = "key_provider";

// More than anybody chains, few enough for the stack.
constexpr std::size_t kMaxChained = 100;

std::string address_of(std::string_view noun, const EncryptionPart& part) {
  return fmt::format("{}.{}.{}", noun, part.type, part.name);
}

const EncryptionPart* find_part(const std::vector<EncryptionPart>& parts, const Address& address) {
  const auto found = std::ranges::find_if(parts, [&](const EncryptionPart& part) {
    return part.type == address.first && part.name == address.second;
  });
  return found == parts.end() ? nullptr : &*found;
}

// TYPE and NAME of a traversal ROOT.TYPE.NAME; nothing if it is another.
std::optional<Address> two_names(const syntax::Traversal& traversal) {
  if (traversal.steps.size() != 2) return std::nullopt;
  for (const syntax::TraversalStep& step : traversal.steps) {
    if (step.kind != syntax::StepKind::Attribute) return std::nullopt;
  }
  return Address(traversal.steps[0].name, traversal.steps[1].name);
}

// The same of text, as JSON may have it.
std::optional<Address> two_names(std::string_view text) {
  const std::size_t first = text.find('.');
  const std::size_t second = text.find('.', first + 1);
  if (first == text.npos || second == text.npos || text.find('.', second + 1) != text.npos) {
    return std::nullopt;
  }
  return Address(text.substr(first + 1, second - first - 1), text.substr(second + 1));
}

std::string words_of(const diag::Diagnostics& diags) {
  std::string text;
  for (const diag::Diagnostic& each : diags.items()) {
    if (each.severity != diag::Severity::Error) continue;
    if (!text.empty()) text += "; ";
    text += each.summary + ": " + each.detail;
  }
  while (text.ends_with('.')) text.pop_back();
  return text;
}

// A method whose key providers, one chained to the other, keep their metadata apart.
base::Result<std::shared_ptr<const Method>> with_distinct_metadata(
    std::shared_ptr<const Method> method) {
  std::set<std::string_view> names;
  for (const KeyProvider* keys = method->keys(); keys != nullptr; keys = keys->chained()) {
    if (keys->storage_name().empty() || names.insert(keys->storage_name()).second) continue;
    return base::Error{
        fmt::format("two of its key providers keep their metadata as {:?}. Give "
                    "each an encrypted_metadata_alias of its own",
                    keys->storage_name())};
  }
  return method;
}

// The names of one expression, each with its value already. Key providers are no values
// that functions could do anything with, so there are none.
class MixedNames final : public syntax::Scope {
 public:
  void set(const syntax::Traversal& name, Value v) {
    values_.insert_or_assign(&name, std::move(v));
  }

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override {
    const auto found = values_.find(&traversal);
    if (found != values_.end()) return Resolved{found->second, traversal.steps.size()};
    diags.error("Invalid reference").detail("This name has no meaning here.").at(traversal.range);
    return std::nullopt;
  }
  const syntax::Function* function(std::string_view) const override { return nullptr; }

 private:
  std::map<const syntax::Traversal*, Value> values_;
};

class Builder {
 public:
  Builder(const config::Encryption& block, config::StaticEvaluator& statics,
          const KeyProviderContext& context)
      : block_(block), statics_(statics), context_(context) {}

  diag::Checked<std::unique_ptr<const Target>> target(const EncryptionTarget& config,
                                                      Content content, bool is_written,
                                                      diag::Diagnostics& diags);

 private:
  const EncryptionPart* method_part(const EncryptionTarget& target, diag::Diagnostics& diags);
  std::shared_ptr<const Method> method(const EncryptionPart& part, diag::Diagnostics& diags);
  bool prepare(const Method& method, const std::string& address, diag::Diagnostics& diags);
  std::shared_ptr<const KeyProvider> key_provider(const Address& address,
                                                  std::optional<diag::SourceRange> place,
                                                  diag::Diagnostics& diags);
  std::shared_ptr<const KeyProvider> make_key_provider(const EncryptionPart& part,
                                                       diag::Diagnostics& diags);
  std::optional<Settings> settings(const EncryptionPart& part, std::string_view noun,
                                   std::span<const Argument> arguments, diag::Diagnostics& diags);
  std::optional<Value> evaluate(const syntax::Expr& expr, const std::string& asking,
                                diag::Diagnostics& diags);
  // Of an expression with these names, some of which are key providers.
  std::optional<Value> evaluate_mixed(const syntax::Expr& expr,
                                      const std::vector<const syntax::Traversal*>& names,
                                      const std::string& asking, diag::Diagnostics& diags);
  std::optional<Value> key_provider_named(const syntax::Traversal& name, diag::Diagnostics& diags);
  std::optional<Value> early_value(const syntax::Traversal& name, const std::string& asking,
                                   diag::Diagnostics& diags);

  const config::Encryption& block_;
  config::StaticEvaluator& statics_;
  const KeyProviderContext& context_;
  std::map<Address, std::shared_ptr<const KeyProvider>> made_;
  std::vector<Address> stack_;  // being made, each for the one before it
};

diag::Checked<std::unique_ptr<const Target>> Builder::target(const EncryptionTarget& config,
                                                             Content content, bool is_written,
                                                             diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  std::vector<const EncryptionPart*> parts;
  for (const auto* each = &config; each != nullptr; each = each->fallback.get()) {
    if (const auto* part = method_part(*each, diags)) parts.push_back(part);
  }
  const bool has_unencrypted =
      std::ranges::any_of(parts, [](const auto* part) { return part->type == kUnencrypted; });
  if (config.enforced && has_unencrypted) {
    diags.error("The method unencrypted is forbidden")
        .detail(
            "It is used although \"enforced\" is set, which says that nothing is stored "
            "without encryption.")
        .at(block_.range);
  }
  if (diags.error_count() != errors) return nullptr;

  std::vector<NamedMethod> methods;
  for (const EncryptionPart* part : parts) {
    const std::string address = address_of("method", *part);
    if (methods.empty()) {
      auto first = method(*part, diags);
      if (!first || (is_written && !prepare(*first, address, diags))) return nullptr;
      methods.push_back({address, std::move(first)});
      continue;
    }
    diag::Diagnostics found;
    auto fallback = method(*part, found);
    if (fallback) {
      methods.push_back({address, std::move(fallback)});
    } else {
      methods.push_back({address, base::Error{words_of(found)}});
    }
  }
  return std::make_unique<const Target>(content, std::move(methods));
}

const EncryptionPart* Builder::method_part(const EncryptionTarget& target,
                                           diag::Diagnostics& diags) {
  if (target.method == nullptr) {
    diags.error("Method is missing")
        .detail("Encryption requires a method, such as method.aes_gcm.NAME.")
        .at(target.range);
    return nullptr;
  }
  const auto traversal = syntax::as_traversal(*target.method, diags);
  if (!traversal) return nullptr;
  const auto address = two_names(*traversal);
  if (traversal->root != "method" || !address) {
    diags.error("Invalid reference to a method")
        .detail("A method is named by its type and name: method.TYPE.NAME.")
        .at(target.method->range);
    return nullptr;
  }
  const EncryptionPart* part = find_part(block_.methods, *address);
  if (part == nullptr) {
    diags.error("Method is not declared")
        .detail(fmt::format("The encryption block has no method {:?} {:?}.", address->first,
                            address->second))
        .at(target.method->range);
  }
  return part;
}

std::shared_ptr<const Method> Builder::method(const EncryptionPart& part,
                                              diag::Diagnostics& diags) {
  const MethodKind* kind = find_method_kind(part.type);
  if (kind == nullptr) {
    diags.error("Unknown type of method")
        .detail(fmt::format("The encryption method type {:?} does not exist.", part.type));
    return nullptr;
  }
  // OpenTofu ignores the contents of an `unencrypted` block, too.
  auto own =
      part.type == kUnencrypted ? Settings() : settings(part, "method", kind->arguments, diags);
  if (!own) return nullptr;
  auto made = kind->make(*own, context_);
  if (made) made = with_distinct_metadata(std::move(*made));
  if (made) return std::move(*made);
  diags.error("Invalid encryption method")
      .detail(fmt::format("{}: {}.", address_of("method", part), made.error().what));
  return nullptr;
}

bool Builder::prepare(const Method& method, const std::string& address, diag::Diagnostics& diags) {
  if (method.keys() == nullptr) return true;
  const auto prepared = method.keys()->prepare();
  if (prepared) return true;
  diags.error("Cannot get the encryption key")
      .detail(fmt::format("{}, which {} uses, has no key: {}.", method.keys()->storage_name(),
                          address, prepared.error().what));
  return false;
}

std::shared_ptr<const KeyProvider> Builder::key_provider(const Address& address,
                                                         std::optional<diag::SourceRange> place,
                                                         diag::Diagnostics& diags) {
  const EncryptionPart* part = find_part(block_.key_providers, address);
  if (part == nullptr) {
    diags.error("Key provider is not declared")
        .detail(fmt::format("The encryption block has no key_provider {:?} {:?}.", address.first,
                            address.second))
        .at(place);
    return nullptr;
  }
  if (const auto known = made_.find(address); known != made_.end()) return known->second;
  if (std::ranges::find(stack_, address) != stack_.end()) {
    diags.error("Circular reference")
        .detail(fmt::format("{} needs its own key.", address_of("key_provider", *part)))
        .at(place);
    return nullptr;
  }
  if (stack_.size() == kMaxChained) {
    diags.error("Too many key providers in a chain")
        .detail(fmt::format("At most {} can be chained.", kMaxChained))
        .at(place);
    return nullptr;
  }
  stack_.push_back(address);
  auto provider = make_key_provider(*part, diags);
  stack_.pop_back();
  if (provider) made_.emplace(address, provider);
  return provider;
}

std::shared_ptr<const KeyProvider> Builder::make_key_provider(const EncryptionPart& part,
                                                              diag::Diagnostics& diags) {
  const KeyProviderKind* kind = find_key_provider_kind(part.type);
  if (kind == nullptr) {
    diags.error("Unknown type of key provider")
        .detail(fmt::format("The key provider type {:?} does not exist.", part.type));
    return nullptr;
  }
  const auto own = settings(part, "key_provider", kind->arguments, diags);
  if (!own) return nullptr;
  const std::string address = address_of("key_provider", part);
  const std::string& alias = part.encrypted_metadata_alias;
  auto made = kind->make(*own, alias.empty() ? address : alias, context_);
  if (made) return std::move(*made);
  diags.error("Invalid key provider").detail(fmt::format("{}: {}.", address, made.error().what));
  return nullptr;
}

std::optional<Settings> Builder::settings(const EncryptionPart& part, std::string_view noun,
                                          std::span<const Argument> arguments,
                                          diag::Diagnostics& diags) {
  const std::string asking = "encryption." + address_of(noun, part);
  const Settings::Source source{
      .evaluate = [&](const syntax::Attribute& attribute, diag::Diagnostics& found)
          -> std::optional<Value> { return evaluate(*attribute.expr, asking, found); },
      .find_keys = [&](std::string_view text, diag::SourceRange place,
                       diag::Diagnostics& found) -> std::shared_ptr<const KeyProvider> {
        if (const auto address = two_names(text)) return key_provider(*address, place, found);
        found.error("Invalid reference to a key provider")
            .detail("A key provider is named by its type and name: key_provider.TYPE.NAME.")
            .at(place);
        return nullptr;
      }};
  const std::size_t before = diags.size();
  auto read = Settings::read(part.config, arguments, source, diags);
  // All of this block is taken for secret.
  for (diag::Diagnostic& each : diags.items_from(before)) each.values.clear();
  return read;
}

std::optional<Value> Builder::evaluate(const syntax::Expr& expr, const std::string& asking,
                                       diag::Diagnostics& diags) {
  const auto names = syntax::variables(expr);
  const bool is_mixed = std::ranges::any_of(
      names, [](const syntax::Traversal* name) { return name->root == kKeyProvider; });
  const auto v = is_mixed ? evaluate_mixed(expr, names, asking, diags)
                          : statics_.evaluate(expr, asking, block_.range, diags);
  if (!v) return std::nullopt;
  Value plain = v->deep_unmarked();
  if (plain.wholly_known()) return plain;
  diags.error("Unknown value not allowed")
      .detail(fmt::format("{} must be known before planning.", asking))
      .at(expr.range);
  return std::nullopt;
}

std::optional<Value> Builder::evaluate_mixed(const syntax::Expr& expr,
                                             const std::vector<const syntax::Traversal*>& names,
                                             const std::string& asking, diag::Diagnostics& diags) {
  MixedNames values;
  for (const syntax::Traversal* name : names) {
    auto v = name->root == kKeyProvider ? key_provider_named(*name, diags)
                                        : early_value(*name, asking, diags);
    if (!v) return std::nullopt;
    values.set(*name, std::move(*v));
  }
  return syntax::evaluate(expr, &values, diags);
}

std::optional<Value> Builder::key_provider_named(const syntax::Traversal& name,
                                                 diag::Diagnostics& diags) {
  const auto address = two_names(name);
  if (!address) {
    diags.error("Invalid reference to a key provider")
        .detail("A key provider is named by its type and name: key_provider.TYPE.NAME.")
        .at(name.range);
    return std::nullopt;
  }
  auto provider = key_provider(*address, name.range, diags);
  if (!provider) return std::nullopt;
  return key_provider_value(std::move(provider));
}

std::optional<Value> Builder::early_value(const syntax::Traversal& name, const std::string& asking,
                                          diag::Diagnostics& diags) {
  syntax::VariableExpr alone;
  alone.kind = syntax::VariableExpr::kKind;
  alone.in_json = false;
  alone.range = name.range;
  alone.traversal = name;
  return statics_.evaluate(alone, asking, block_.range, diags);
}

}  // namespace

const state::Encryption& Encryptions::or_none(const Target* target) {
  return target == nullptr ? state::no_encryption() : *target;
}

const state::Encryption& Encryptions::remote_state(std::string_view name) const {
  const auto found = remotes_.find(name);
  return or_none(found == remotes_.end() ? remote_default_.get() : found->second.get());
}

diag::Checked<std::unique_ptr<const Encryptions>> Encryptions::set_up(
    const config::Encryption& block, config::StaticEvaluator& statics,
    const KeyProviderContext& context, diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  for (const EncryptionPart& part : block.methods) {
    if (part.type != kUnencrypted) continue;
    diags.warning("The method unencrypted is configured")
        .detail(
            "It is meant for a migration, while files are being encrypted or decrypted. Remove it "
            "afterwards.")
        .at(block.range);
  }
  Builder builder(block, statics, context);
  auto made = std::make_unique<Encryptions>();
  if (block.state) made->state_ = builder.target(*block.state, Content::State, true, diags);
  if (block.plan) made->plan_ = builder.target(*block.plan, Content::Plan, true, diags);
  if (block.remote && block.remote->fallback) {
    made->remote_default_ = builder.target(*block.remote->fallback, Content::State, false, diags);
  }
  if (block.remote) {
    for (const EncryptionTarget& each : block.remote->targets) {
      made->remotes_[each.name] = builder.target(each, Content::State, false, diags);
    }
  }
  if (diags.error_count() != errors) return nullptr;
  return made;
}

}  // namespace tofu::encryption
