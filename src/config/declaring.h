// A module in the making: the two passes over its files, and what override files
// change.
//
// The first pass reads settings and notes which features and resource types there
// are, because the second needs them to understand references. Not for other rooms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/declare.h"
#include "config/module.h"
#include "config/reading.h"
#include "diag/diagnostic.h"
#include "syntax/body.h"

namespace tofu::config {

// How often the same mistake is told again where OpenTofu does so without end.
inline constexpr int kMostRepeats = 10;

class Declaring {
 public:
  Declaring(Module& module, diag::SourceMap& sources, diag::Diagnostics& diags)
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
  Reading reading(const Open& file);

  // Settings; both kinds of files.
  void read_settings(const Open& file);
  void read_settings_block(Reading& reading, const syntax::Block& block);
  void add_backend(Reading& reading, const syntax::Block& block);
  void add_cloud(Reading& reading, const syntax::Block& block);
  void add_encryption(Reading& reading, const syntax::Block& block);
  void add_required_providers(Reading& reading, const syntax::Block& block);
  void add_provider_meta(Reading& reading, const syntax::Block& block);
  void add_symbols(Reading& reading, const syntax::Block& block);
  void finish_settings();
  // Whether a setting comes first in the module or, for an override, in its file.
  bool comes_first(Reading& reading, std::string_view what,
                   const std::optional<diag::SourceRange>& earlier, diag::SourceRange at);

  // Objects of primary files.
  void read_objects(const Open& file);
  void add(Reading& reading, const syntax::Block& block);
  void add_variable(Reading& reading, Variable variable);
  void add_provider(Reading& reading, ProviderConfig provider);
  void add_resource(Reading& reading, Resource resource);
  void add_check(Reading& reading, ReadCheck read);
  void add_import(Reading& reading, Import import);
  template <class T>
  void add_named(Reading& reading, Named<T>& all, T element, std::string_view noun);
  void report_duplicate(Reading& reading, std::string_view what, diag::SourceRange first,
                        diag::SourceRange at);

  // The same of override files.
  void merge(Reading& reading, const syntax::Block& block);
  void merge_variable(Reading& reading, Variable override);
  void merge_local(Reading& reading, const Local& override);
  void merge_output(Reading& reading, const Output& override);
  void merge_call(Reading& reading, ModuleCall override);
  void merge_resource(Reading& reading, Resource override);
  void merge_provider(Reading& reading, ProviderConfig override);
  void refuse_override(Reading& reading, const syntax::Block& block);
  void report_missing_base(Reading& reading, std::string what, diag::SourceRange at);
  void refuse_depends_on(Reading& reading, const std::vector<syntax::Traversal>& depends_on);

  Module& module_;
  diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
  std::unordered_map<std::string, int> imported_;  // by target: how many
  std::vector<ProviderMeta> pending_metas_;
  int told_of_both_ = 0;  // a backend and a cloud block

  // Settings seen in the override file that is being read.
  std::optional<diag::SourceRange> override_backend_;
  std::optional<diag::SourceRange> override_cloud_;
  std::optional<diag::SourceRange> override_encryption_;
};

template <class T>
void Declaring::add_named(Reading& reading, Named<T>& all, T element, std::string_view noun) {
  if (const T* first = all.find(element.name)) {
    std::string what(noun);
    what += " \"" + element.name + "\"";
    report_duplicate(reading, what, first->range, element.range);
  }
  // The last one counts, as in OpenTofu.
  std::string name = element.name;
  all.put(std::move(name), std::move(element));
}

}  // namespace tofu::config
