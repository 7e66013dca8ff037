// A configuration in memory whose modules import symbol libraries, for tests.
//
// Libraries are given as texts by path; imports lead from path to path as they would
// on a disk. Expressions are evaluated as in the module: its symbols and all
// built-in functions.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/declare.h"
#include "config/symbol_table.h"
#include "config/variable_types.h"
#include "functions/table.h"
#include "symbols/library_set.h"
#include "syntax/eval.h"
#include "value/json.h"

namespace tofu::config {

class SymbolFixture : public ::testing::Test, public symbols::LibraryFinder, public syntax::Scope {
 protected:
  // A file of a library: lib/a.sym.hcl, or lib.tfsym.hcl.
  void write(const std::string& path, std::string text) { texts_[path] = std::move(text); }

  // A module of this text, with its libraries loaded and its variables' types settled.
  void load(std::string text) {
    const diag::FileId id = sources_.add("main.tf", std::move(text));
    ParsedFiles files;
    files.directory = ".";
    files.primary.push_back(
        parse_module_file(sources_, id, {"main.tf", FileSyntax::Native}, diags_));
    module_ = declare_module(std::move(files), sources_, diags_);
    table_ = std::make_unique<SymbolTable>(*module_, set_.load(module_->symbols, ".", diags_));
    resolve_declared_types(*module_, table_.get(), diags_);
    module_->name_blocks(diags_.items_from(0));
  }
  // The same with one library "lib", made of one file.
  void load_library(std::string text) {
    write("lib/main.sym.hcl", std::move(text));
    load("symbols \"lib\" {\n  source = \"./lib\"\n}\n");
  }

  // Nothing if there were errors, which are added to the list.
  std::optional<value::Value> evaluate(std::string expression) {
    const diag::FileId id = sources_.add("expression", std::move(expression));
    kept_.push_back(syntax::parse_expression(sources_, id, diags_));
    return syntax::evaluate(*kept_.back()->expr, this, diags_);
  }
  // The value as JSON; "?" if it is unknown, "!" if there were errors.
  std::string json(std::string expression) {
    const auto found = evaluate(std::move(expression));
    if (!found) return "!";
    const auto plain = found->deep_unmarked();
    if (!plain.wholly_known()) return "?";
    return *value::to_json(plain);
  }

  // "lib/main.sym.hcl:3 Summary" for each problem, by place.
  std::vector<std::string> problems() const {
    std::vector<std::string> shown;
    for (const diag::Diagnostic& each : diags_.items()) {
      const std::string place =
          each.subject
              ? fmt::format("{}:{}", sources_.name(each.subject->file),
                            sources_.position(each.subject->file, each.subject->begin).line)
              : std::string("-");
      shown.push_back(fmt::format("{} {}", place, each.summary));
    }
    std::ranges::sort(shown);
    return shown;
  }
  // The text under the subject of the only problem.
  std::string_view subject() const { return sources_.text(*diags_.items()[0].subject); }
  std::string detail() const { return diags_.empty() ? std::string() : diags_.items()[0].detail; }

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics& diags) override {
    const auto* local = std::get_if<addrs::LocalSource>(&request.source);
    std::string path;
    if (local != nullptr) {
      path = (std::filesystem::path(request.parent_directory) / local->path)
                 .lexically_normal()
                 .string();
      if (path.ends_with('/')) path.pop_back();
    }
    const bool is_file = texts_.contains(path);
    const auto inside = texts_.lower_bound(path + "/");
    if (!is_file && (inside == texts_.end() || !inside->first.starts_with(path + "/"))) {
      diags.error("No such library").at(request.source_range);
      return std::nullopt;
    }
    return symbols::LibraryPlace{
        path, is_file ? std::filesystem::path(path).parent_path().string() : path};
  }

  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override {
    reads_.push_back(place.path);
    std::vector<std::unique_ptr<syntax::File>> files;
    for (const auto& [path, text] : texts_) {
      const bool inside = std::filesystem::path(path).parent_path() == place.path;
      if (path != place.path && !inside) continue;
      const diag::FileId id = sources_.add(path, text);
      files.push_back(path.ends_with(".json") ? syntax::parse_json_file(sources_, id, diags)
                                              : syntax::parse_file(sources_, id, diags));
    }
    return files;
  }

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override {
    const auto reference = addrs::parse_reference(traversal, *module_, diags);
    if (!reference) return std::nullopt;
    if (std::holds_alternative<addrs::FeatureBlock>(reference->subject)) {
      return table_->resolve(*reference, traversal, diags);
    }
    return Resolved{value::Value::unknown(), traversal.steps.size()};
  }
  const syntax::Function* function(std::string_view name) const override {
    return name.starts_with("symbols::") ? table_->function(name) : functions_.find(name);
  }
  std::vector<std::string_view> function_names() const override { return table_->function_names(); }
  const syntax::ImportedSymbols* symbols() const override { return table_.get(); }

  diag::SourceMap sources_;
  diag::Diagnostics diags_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<SymbolTable> table_;
  std::vector<std::string> reads_;  // paths of libraries, as often as they were read
  symbols::LibrarySet set_{this, sources_};

 private:
  std::map<std::string, std::string> texts_;
  functions::Table functions_{functions::Environment{}};
  std::vector<std::unique_ptr<syntax::File>> kept_;
};

}  // namespace tofu::config
