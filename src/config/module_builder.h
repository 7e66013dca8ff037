// A module in the making: the two passes over its files, and what override files
// change.
//
// The first pass reads settings and notes which features and resource types there are, because the
// second needs them to understand references. Private to this component.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/block_reader.h"
#include "config/declare.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "syntax/body.h"

namespace tofu::config {

// How often the same error is reported; OpenTofu has no limit.
inline constexpr int kMaxRepeats = 10;

// Large: a function for each kind of block, in two passes.
class ModuleBuilder {
 public:
  ModuleBuilder(Module& module, diag::SourceMap& sources, diag::Diagnostics& diags)
      : module_(module), sources_(sources), diags_(diags) {}

  void declare(std::vector<ParsedFile> primary, std::vector<ParsedFile> overrides);

 private:
  // A file between the passes.
  struct Open {
    bool is_override = false;
    bool is_tofu_file = false;
    syntax::Content content;
  };

  Open open(ParsedFile parsed, bool is_override);
  // Those from index `base` on are of an override file.
  void replace_version_requirements(std::size_t base);
  BlockReader block_reader(const Open& file);

  // Settings; both kinds of files.
  void read_settings(const Open& file);
  void read_settings_block(BlockReader& block_reader, const syntax::Block& block);
  void add_backend(BlockReader& block_reader, const syntax::Block& block);
  void add_cloud(BlockReader& block_reader, const syntax::Block& block);
  void add_encryption(BlockReader& block_reader, const syntax::Block& block);
  void add_required_providers(BlockReader& block_reader, const syntax::Block& block);
  void add_provider_meta(BlockReader& block_reader, const syntax::Block& block);
  void add_symbols(BlockReader& block_reader, const syntax::Block& block);
  void finish_settings();
  // Whether a setting comes first in the module or, for an override, in its file.
  bool comes_first(BlockReader& block_reader, std::string_view what,
                   const std::optional<diag::SourceRange>& earlier, diag::SourceRange at);

  // Objects of primary files.
  void read_objects(const Open& file);
  void add(BlockReader& block_reader, const syntax::Block& block);
  void add_variable(BlockReader& block_reader, Variable variable);
  void add_provider(BlockReader& block_reader, ProviderConfig provider);
  void add_resource(BlockReader& block_reader, Resource resource);
  void add_check(BlockReader& block_reader, ReadCheck read);
  void add_import(BlockReader& block_reader, Import import);
  template <class T>
  void add_named(BlockReader& block_reader, base::Named<T>& all, T element, std::string_view noun);
  void report_duplicate(BlockReader& block_reader, std::string_view what, diag::SourceRange first,
                        diag::SourceRange at);

  // The same of override files.
  void merge(BlockReader& block_reader, const syntax::Block& block);
  void merge_variable(BlockReader& block_reader, Variable override);
  void merge_local(BlockReader& block_reader, const Local& override);
  void merge_output(BlockReader& block_reader, const Output& override);
  void merge_call(BlockReader& block_reader, ModuleCall override);
  void merge_resource(BlockReader& block_reader, Resource override);
  void merge_provider(BlockReader& block_reader, ProviderConfig override);
  void refuse_override(BlockReader& block_reader, const syntax::Block& block);
  void report_missing_base(BlockReader& block_reader, std::string what, diag::SourceRange at);
  void refuse_depends_on(BlockReader& block_reader,
                         const std::vector<syntax::Traversal>& depends_on);

  Module& module_;
  diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  std::unordered_map<std::string, int> imported_;  // by target: how many
  std::vector<ProviderMeta> pending_metas_;
  int reported_both_ = 0;  // a backend and a cloud block

  // Settings seen in the override file that is being read.
  std::optional<diag::SourceRange> override_backend_;
  std::optional<diag::SourceRange> override_cloud_;
  std::optional<diag::SourceRange> override_encryption_;
};

template <class T>
void ModuleBuilder::add_named(BlockReader& block_reader, base::Named<T>& all, T element,
                              std::string_view noun) {
  if (const T* first = all.find(element.name)) {
    std::string what(noun);
    what += " \"" + element.name + "\"";
    report_duplicate(block_reader, what, first->range, element.range);
  }
  // The last one counts, as in OpenTofu.
  std::string name = element.name;
  all.put(std::move(name), std::move(element));
}

}  // namespace tofu::config
