#include "runs/deprecation_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "addrs/module_source.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "config/replacement.h"
#include "eval/deprecation_key.h"
#include "install/package_fetcher.h"
#include "value/json.h"
#include "value/value.h"

namespace tofu::runs {

namespace {

constexpr std::string_view kFormatVersion = "1.0";
constexpr std::string_view kThisConfiguration = "this configuration";
constexpr std::string_view kProvider = "provider";

// Who publishes packages there: the namespace of a registry, the first folder of a host.
std::string author_of(const addrs::RemoteSource& source) {
  std::string_view package = source.package;
  if (const auto scheme = package.find("://"); scheme != package.npos) {
    package.remove_prefix(scheme + 3);
  }
  package = package.substr(0, package.find('?'));
  if (const auto at = package.find('@'); at < package.find('/')) package.remove_prefix(at + 1);
  const auto first = package.find('/', 1);
  const auto second = first == package.npos ? first : package.find('/', first + 1);
  return std::string(package.substr(0, second));
}

std::string author_of(const config::Tree& tree, const config::TreeNode& node) {
  const config::TreeNode* at = &node;
  while (at->parent && at->source && std::holds_alternative<addrs::LocalSource>(*at->source)) {
    at = &tree.node(*at->parent);  // a local module is of the same package
  }
  if (!at->source || !at->parent) return std::string(kThisConfiguration);
  const addrs::ModuleSource source = install::without_secrets(*at->source);
  if (const auto* registry = std::get_if<addrs::RegistrySource>(&source)) return registry->space;
  return author_of(std::get<addrs::RemoteSource>(source));
}

// The declarations of a tree by the key that warnings about them have.
class Declarations {
 public:
  explicit Declarations(const config::Tree& tree) : tree_(tree) {
    for (const config::TreeNode& node : tree.nodes) {
      const auto add = [&](const auto& all, std::string_view noun) {
        for (const auto& each : all) {
          if (!each.deprecated) continue;
          by_key_.try_emplace(eval::deprecation_key(each.range),
                              Found{&node, fmt::format("{} {:?}", noun, each.name),
                                    *each.deprecated, removal_of(node, each)});
        }
      };
      add(node.module->variables, "variable");
      add(node.module->outputs, "output");
      for (const auto& file : node.module->files()) users_.try_emplace(file->id, &node);
    }
  }

  void describe(const std::string& key, DeprecatedUse& use) const {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      use.declaration = key;  // of a provider
      use.author = kProvider;
      return;
    }
    const config::TreeNode& node = *found->second.node;
    use.declaration = found->second.name;
    use.message = found->second.message;
    use.removed_in = found->second.removed_in;
    use.module = node.path.to_string();
    if (node.source && node.parent) {
      use.source = addrs::for_display(install::without_secrets(*node.source));
    }
    use.author = author_of(tree_, node);
  }

  const config::TreeNode* user(diag::FileId file) const {
    const auto found = users_.find(file);
    return found == users_.end() ? nullptr : found->second;
  }

 private:
  struct Found {
    const config::TreeNode* node;
    std::string name;
    std::string message;
    std::string removed_in;
  };

  template <class Declared>
  std::string removal_of(const config::TreeNode& node, const Declared& declared) {
    const config::Module* module = node.module.get();
    auto known = retirements_.find(module);
    if (known == retirements_.end()) {
      known = retirements_.emplace(module, config::Retirements(*module)).first;
    }
    return known->second.of(declared).removed_in.value_or("");
  }

  const config::Tree& tree_;
  std::map<const config::Module*, config::Retirements> retirements_;
  std::map<std::string, Found, std::less<>> by_key_;
  std::map<diag::FileId, const config::TreeNode*> users_;
};

// The member of an object in JSON; null if it is none of this kind.
const value::Value* member(const value::Value& object, std::string_view name, value::Kind kind) {
  if (object.kind() != value::Kind::Object) return nullptr;
  const value::Value* found = object.plain().find(name);
  return found != nullptr && found->kind() == kind ? found : nullptr;
}

// Only such warnings are about one thing that has several places.
bool is_use(const diag::Diagnostic& diagnostic) {
  return diagnostic.severity == diag::Severity::Warning && !diagnostic.similar_if.empty();
}

}  // namespace

std::vector<DeprecatedUse> deprecated_uses(const config::Tree& tree, const diag::SourceMap& sources,
                                           std::span<const diag::Diagnostic> warnings) {
  std::vector<DeprecatedUse> uses;
  if (std::ranges::none_of(warnings, is_use)) return uses;
  const Declarations declarations(tree);
  for (const diag::Diagnostic& warning : warnings) {
    if (!is_use(warning)) continue;
    DeprecatedUse& use = uses.emplace_back();
    declarations.describe(warning.similar_if, use);
    if (use.message.empty()) use.message = warning.detail;
    use.block = warning.in;
    if (!warning.subject) continue;
    const diag::FileId file = warning.subject->file;
    use.file = sources.name(file);
    use.line = sources.position(file, warning.subject->begin).line;
    if (const config::TreeNode* user = declarations.user(file)) use.user = user->path.to_string();
  }
  return uses;
}

DeprecationBaseline::DeprecationBaseline(std::span<const DeprecatedUse> uses) {
  for (const DeprecatedUse& use : uses) {
    ++counts_[{use.file, use.block, use.declaration, use.source}];
  }
}

diag::Checked<DeprecationBaseline> DeprecationBaseline::read(const std::string& path,
                                                             diag::Diagnostics& diags) {
  const auto fail = [&](std::string_view why) -> std::optional<DeprecationBaseline> {
    diags.error("Cannot read the deprecation baseline")
        .detail(
            fmt::format("{}: {}. \"tofu deprecations -baseline={}\" writes it.", path, why, path));
    return std::nullopt;
  };
  const auto text = base::read_file(path);
  if (!text) return fail(text.error().what);
  const auto document = value::parse_json(*text);
  if (!document) return fail(document.error().what);
  const value::Value* uses = member(*document, "uses", value::Kind::Tuple);
  if (uses == nullptr) return fail("it has no list \"uses\"");
  DeprecationBaseline baseline;
  for (const value::Value& use : uses->plain().items()) {
    Key key;
    const auto text_of = [&](std::string_view name, std::string& out) {
      const value::Value* v = member(use, name, value::Kind::String);
      if (v != nullptr) out = v->plain().as_string();
      return v != nullptr;
    };
    const value::Value* count = member(use, "count", value::Kind::Number);
    const auto number = count == nullptr ? std::nullopt : count->plain().as_number().to_int64();
    const bool is_complete = text_of("file", key.file) && text_of("block", key.block) &&
                             text_of("declaration", key.declaration) &&
                             text_of("source", key.source);
    if (!is_complete || !number || *number < 1) {
      return fail("an entry of \"uses\" is not complete");
    }
    baseline.counts_[key] += static_cast<std::size_t>(*number);
  }
  return baseline;
}

std::string DeprecationBaseline::text() const {
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("format_version", kFormatVersion);
  json.key("uses");
  json.begin_array();
  for (const auto& [key, count] : counts_) {
    json.begin_object();
    json.field("file", key.file);
    json.field("block", key.block);
    json.field("declaration", key.declaration);
    json.field("source", key.source);
    json.field("count", count);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  text += '\n';
  return text;
}

bool DeprecationBaseline::take(const DeprecatedUse& use) {
  const auto found = counts_.find({use.file, use.block, use.declaration, use.source});
  if (found == counts_.end() || found->second == 0) return false;
  --found->second;
  return true;
}

std::size_t DeprecationBaseline::left() const {
  std::size_t sum = 0;
  for (const auto& [key, count] : counts_) sum += count;
  return sum;
}

void DeprecationPolicy::apply(const config::Tree& tree, const diag::SourceMap& sources,
                              diag::Diagnostics& diags) const {
  if (!errors && baseline.empty()) return;
  std::optional<DeprecationBaseline> known;
  if (!baseline.empty()) {
    known = DeprecationBaseline::read(baseline, diags);
    if (!known) return;
  }
  const std::vector<DeprecatedUse> uses = deprecated_uses(tree, sources, diags.items());
  const std::vector<diag::Diagnostic> all(diags.items().begin(), diags.items().end());
  diags.clear();
  auto use = uses.begin();
  for (diag::Diagnostic each : all) {
    if (is_use(each)) {
      const bool is_known = known && known->take(*use);
      ++use;
      if (is_known) continue;
      if (errors) each.severity = diag::Severity::Error;
    }
    diags.add(std::move(each));
  }
}

}  // namespace tofu::runs
