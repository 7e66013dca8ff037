// A configuration in memory, linked, compiled and validated, for tests.
//
// Directories are given as texts, one file each; nothing is read from the disk. What
// is reported is shown as a row of places and summaries.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/tree.h"
#include "eval/program.h"
#include "eval/validate.h"
#include "functions/table.h"
#include "schema/provider.h"

namespace tofu::eval {

class InMemory : public ::testing::Test, public config::ModuleFinder {
 protected:
  void write(const std::string& directory, std::string text) {
    texts_[directory] = std::move(text);
  }

  // Compiles what was written; loading it has to succeed.
  Program compiled() {
    config::StaticInputs inputs;
    inputs.functions = &functions_;
    inputs.root_variables = [](const config::Variable& variable, diag::Diagnostics&) {
      return std::optional(variable.default_value.value_or(value::Value::unknown()));
    };
    tree_ = config::link_modules(*parsed(".", diags_), *this, inputs, sources_, diags_);
    EXPECT_FALSE(diags_.has_errors()) << (diags_.empty() ? "" : diags_.items()[0].detail);
    return compile(tree_, *schemas_, diags_);
  }

  // "main.tf:3 Summary" for each problem of the root module, "a/main.tf:3 …" for one
  // of the module in ./a, "- Summary" without a place; in the order of places.
  std::vector<std::string> problems_of(std::string text) {
    write(".", std::move(text));
    const Program program = compiled();
    if (!diags_.has_errors()) validate(program, functions_, {}, diags_, level_);
    return shown();
  }

  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override {
    const auto* local =
        request.source ? std::get_if<addrs::LocalSource>(&*request.source) : nullptr;
    if (local == nullptr || !texts_.contains(local->path)) {
      diags.error("No such module").at(request.call_range);
      return std::nullopt;
    }
    return config::FoundModule{local->path, ""};
  }
  std::optional<config::ParsedFiles> read(const config::ModuleRequest&,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override {
    return parsed(found.directory, diags);
  }

  // What was reported so far, as problems_of() shows it.
  std::vector<std::string> shown() const {
    std::vector<std::string> out;
    for (const diag::Diagnostic& each : diags_.items()) {
      out.push_back(place_of(each) + " " + each.summary);
    }
    std::ranges::sort(out);
    return out;
  }

  const functions::Table& functions() const { return functions_; }

  diag::Diagnostics diags_;
  DeprecationLevel level_ = DeprecationLevel::All;
  const schema::ProviderSchemas* schemas_ = &schema::builtin_schemas();

 private:
  std::string place_of(const diag::Diagnostic& each) const {
    if (!each.subject) return std::string(1, '-');
    std::string name(sources_.name(each.subject->file));
    if (name.starts_with("./")) name.erase(0, 2);
    return fmt::format("{}:{}", name,
                       sources_.position(each.subject->file, each.subject->begin).line);
  }

  std::optional<config::ParsedFiles> parsed(const std::string& directory,
                                            diag::Diagnostics& diags) {
    const diag::FileId id = sources_.add(directory + "/main.tf", texts_[directory]);
    config::ParsedFiles files;
    files.directory = directory;
    files.primary.push_back(
        config::parse_module_file(sources_, id, {"main.tf", config::FileSyntax::Native}, diags));
    return files;
  }

  std::map<std::string, std::string> texts_;
  diag::SourceMap sources_;
  functions::Table functions_{functions::Environment{}};
  config::Tree tree_;
};

}  // namespace tofu::eval
