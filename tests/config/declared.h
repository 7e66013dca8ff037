// A module declared from texts, for tests.
//
// Files are named and given as text, chosen and parsed as a directory would be;
// nothing is read from the disk.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/declare.h"
#include "config/files.h"
#include "config/variable_types.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

struct NamedText {
  std::string name;
  std::string text;
};

struct Declared {
  std::unique_ptr<diag::SourceMap> sources = std::make_unique<diag::SourceMap>();
  diag::Diagnostics diags;
  std::unique_ptr<Module> module;

  // "error main.tf:3 Summary" for each diagnostic, in order of place.
  std::vector<std::string> problems() const {
    std::vector<std::string> lines;
    for (const std::string& place : places()) lines.push_back(place);
    return lines;
  }
  std::vector<std::string> places() const {
    diag::Diagnostics sorted;
    for (const diag::Diagnostic& each : diags.items()) sorted.add(each);
    sorted.sort_by_place();
    std::vector<std::string> lines;
    for (const diag::Diagnostic& each : sorted.items()) {
      const std::string_view word = each.severity == diag::Severity::Error ? "error" : "warning";
      if (!each.subject) {
        lines.push_back(std::string(word));
        continue;
      }
      const diag::SourceRange at = *each.subject;
      lines.push_back(fmt::format("{} {}:{}", word, sources->name(at.file),
                                  sources->position(at.file, at.begin).line));
    }
    return lines;
  }
};

inline Declared declare(std::vector<NamedText> texts) {
  Declared result;
  std::vector<std::string> names;
  for (const NamedText& text : texts) names.push_back(text.name);
  ModuleFiles chosen = choose_module_files(names);
  ParsedFiles files;
  files.directory = ".";
  const auto parse = [&](std::vector<ModuleFile>& from, std::vector<ParsedFile>& to) {
    for (ModuleFile& file : from) {
      for (const NamedText& text : texts) {
        if (text.name != file.name) continue;
        const diag::FileId id = result.sources->add(text.name, text.text);
        to.push_back(parse_module_file(*result.sources, id, file, result.diags));
        break;
      }
    }
  };
  parse(chosen.primary, files.primary);
  parse(chosen.overrides, files.overrides);
  result.module = declare_module(std::move(files), *result.sources, result.diags);
  resolve_variable_types(*result.module, {}, result.diags);
  return result;
}

inline Declared declare(std::string text) { return declare({{"main.tf", std::move(text)}}); }

}  // namespace tofu::config
