// A whole configuration in memory, linked, for tests.
//
// Directories are named as sources name them: "." is the root, "./m" what the source
// "./m" leads to from anywhere. Nothing is read from the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/tree.h"

namespace tofu::config {

class LinkFixture : public ::testing::Test, public ModuleFinder {
 protected:
  // The one file of a directory.
  void write(const std::string& directory, std::string text) {
    texts_[directory] = std::move(text);
  }
  void write_test(const std::string& name, std::string text) { tests_[name] = std::move(text); }
  void give(const std::string& name, value::Value v) {
    given_.insert_or_assign(name, std::move(v));
  }

  Tree link() {
    StaticInputs inputs = inputs_;
    inputs.functions = &functions_;
    inputs.root_variables = [this](const Variable& variable,
                                   diag::Diagnostics& diags) -> std::optional<value::Value> {
      const auto found = given_.find(variable.name);
      if (found != given_.end()) return found->second;
      if (variable.default_value) return variable.default_value;
      diags.error("No value").at(variable.range);
      return std::nullopt;
    };
    ParsedFiles root = parsed(".", diags_);
    for (const auto& [name, text] : tests_) root.tests.push_back(parsed_file(name, text, diags_));
    return link_modules(std::move(root), *this, inputs, sources_, diags_);
  }

  std::optional<FoundModule> find(const ModuleRequest& request, diag::Diagnostics& diags) override {
    asked_.push_back(request.path.to_string());
    const auto* local =
        request.source ? std::get_if<addrs::LocalSource>(&*request.source) : nullptr;
    if (local == nullptr || !texts_.contains(local->path)) {
      diags.error("No such module").at(request.call_range);
      return std::nullopt;
    }
    return FoundModule{local->path, ""};
  }
  std::optional<ParsedFiles> read(const ModuleRequest&, const FoundModule& found,
                                  diag::Diagnostics& diags) override {
    ++reads_[found.directory];
    return parsed(found.directory, diags);
  }

  std::vector<std::uint32_t> error_lines() const {
    std::vector<std::uint32_t> lines;
    for (const diag::Diagnostic& d : diags_.items()) {
      lines.push_back(d.subject ? sources_.position(d.subject->file, d.subject->begin).line : 0);
    }
    return lines;
  }
  // "./m:3", with a w in front for warnings, "-" without a place; sorted.
  std::vector<std::string> places() const {
    std::vector<std::string> out;
    for (const diag::Diagnostic& d : diags_.items()) {
      std::string place = d.severity == diag::Severity::Warning ? "w " : "";
      if (d.subject) {
        place += fmt::format("{}:{}", sources_.name(d.subject->file),
                             sources_.position(d.subject->file, d.subject->begin).line);
      } else {
        place += '-';
      }
      out.push_back(std::move(place));
    }
    std::ranges::sort(out);
    return out;
  }

  static std::vector<std::string> paths(const Tree& tree) {
    std::vector<std::string> out;
    for (const TreeNode& node : tree.nodes) out.push_back(node.path.to_string());
    return out;
  }

  diag::SourceMap sources_;
  StaticInputs inputs_;
  diag::Diagnostics diags_;
  std::map<std::string, int> reads_;  // how often each directory was read
  std::vector<std::string> asked_;    // the paths of all requests

 private:
  ParsedFile parsed_file(const std::string& name, const std::string& text,
                         diag::Diagnostics& diags) {
    const diag::FileId id = sources_.add(name, text);
    return parse_module_file(sources_, id, {name, FileSyntax::Native}, diags);
  }
  ParsedFiles parsed(const std::string& directory, diag::Diagnostics& diags) {
    ParsedFiles files;
    files.directory = directory;
    files.primary.push_back(parsed_file(directory, texts_[directory], diags));
    return files;
  }

  std::map<std::string, std::string> texts_;
  std::map<std::string, std::string> tests_;
  std::map<std::string, value::Value> given_;
  functions::Table functions_{functions::Environment{}};
};

}  // namespace tofu::config
