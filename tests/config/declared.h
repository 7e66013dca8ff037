// A module declared from texts, for tests.
//
// Files are named and given as text, chosen and parsed as a directory would be;
// nothing is read from the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <tuple>
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

  // "error main.tf:3" for each diagnostic, by file, line and severity; those without
  // a place last.
  std::vector<std::string> places() const {
    std::vector<std::tuple<std::string, std::uint32_t, std::string>> found;
    std::vector<std::string> placeless;
    for (const diag::Diagnostic& each : diags.items()) {
      std::string word = each.severity == diag::Severity::Error ? "error" : "warning";
      if (!each.subject) {
        placeless.push_back(std::move(word));
        continue;
      }
      const diag::SourceRange at = *each.subject;
      found.emplace_back(sources->name(at.file), sources->position(at.file, at.begin).line,
                         std::move(word));
    }
    std::ranges::sort(found);
    std::vector<std::string> shown;
    for (const auto& [name, line, word] : found) {
      shown.push_back(fmt::format("{} {}:{}", word, name, line));
    }
    shown.insert(shown.end(), placeless.begin(), placeless.end());
    return shown;
  }
  // The same without files: "3" for an error, "w3" for a warning, "-" without a place.
  std::vector<std::string> lines() const {
    std::vector<std::string> numbers;
    for (const std::string& place : places()) {
      const std::size_t colon = place.rfind(':');
      const std::string line = colon == std::string::npos ? "-" : place.substr(colon + 1);
      numbers.push_back((place.starts_with("warning") ? "w" : "") + line);
    }
    return numbers;
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
  resolve_declared_types(*result.module, nullptr, result.diags);
  return result;
}

inline Declared declare(std::string text) { return declare({{"main.tf", std::move(text)}}); }

}  // namespace tofu::config
