#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/tree.h"

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using value::Value;

// A configuration in memory: one file per directory.
class Link : public ::testing::Test, public ModuleFinder {
 protected:
  void write(const std::string& directory, std::string text) {
    texts_[directory] = std::move(text);
  }
  void give(const std::string& name, Value v) { given_.insert_or_assign(name, std::move(v)); }

  Tree link() {
    StaticInputs inputs;
    inputs.facts.functions = &functions_;
    inputs.root_variables = [this](const Variable& variable,
                                   diag::Diagnostics& diags) -> std::optional<Value> {
      const auto found = given_.find(variable.name);
      if (found != given_.end()) return found->second;
      if (variable.default_value) return variable.default_value;
      diags.error("No value").at(variable.range);
      return std::nullopt;
    };
    return link_modules(parsed("."), *this, inputs, sources_, diags_);
  }

  std::optional<FoundModule> find(const ModuleRequest& request, diag::Diagnostics& diags) override {
    const auto* local = std::get_if<addrs::LocalSource>(&request.source);
    if (local == nullptr || !texts_.contains(local->path)) {
      diags.error("No such module").at(request.source_range);
      return std::nullopt;
    }
    return FoundModule{parsed(local->path), ""};
  }

  std::vector<std::uint32_t> error_lines() const {
    std::vector<std::uint32_t> lines;
    for (const diag::Diagnostic& d : diags_.items()) {
      lines.push_back(d.subject ? sources_.position(d.subject->file, d.subject->begin).line : 0);
    }
    return lines;
  }

  std::vector<std::string> paths(const Tree& tree) const {
    std::vector<std::string> out;
    for (const TreeNode& node : tree.nodes) out.push_back(node.path.to_string());
    return out;
  }

  diag::Diagnostics diags_;

 private:
  ParsedFiles parsed(const std::string& directory) {
    const diag::FileId id = sources_.add(directory + "/main.tf", texts_[directory]);
    ParsedFiles files;
    files.directory = directory;
    files.primary.push_back(
        parse_module_file(sources_, id, {"main.tf", FileSyntax::Native}, diags_));
    return files;
  }

  std::map<std::string, std::string> texts_;
  std::map<std::string, Value> given_;
  diag::SourceMap sources_;
  functions::Table functions_{functions::Environment{}};
};

TEST_F(Link, EveryCallBecomesANodeBelowItsCaller) {
  write(".", "module \"b\" {\n  source = \"./b\"\n}\nmodule \"a\" {\n  source = \"./a\"\n}\n");
  write("./a", "module \"b\" {\n  source = \"./b\"\n}\n");
  write("./b", "");

  const Tree tree = link();

  EXPECT_THAT(error_lines(), ElementsAre());
  EXPECT_THAT(paths(tree), ElementsAre("", "module.a", "module.b", "module.a.module.b"));
  EXPECT_TRUE(tree.nodes[3].is_local);
  EXPECT_EQ(tree.nodes[3].parent, ModuleId{1});
}

TEST_F(Link, SourcesMayUseVariablesLocalsAndFunctions) {
  write(".",
        "variable \"name\" {}\nlocals {\n  dir = lower(var.name)\n}\n"
        "module \"m\" {\n  source = \"./${local.dir}\"\n}\n");
  write("./mod", "");
  give("name", Value::string("MOD"));

  EXPECT_THAT(paths(link()), ElementsAre("", "module.m"));
  EXPECT_FALSE(diags_.has_errors());
}

TEST_F(Link, AChildsVariableIsTheArgumentOfItsCall) {
  write(".", "module \"m\" {\n  source = \"./m\"\n  next   = \"deep\"\n}\n");
  write("./m", "variable \"next\" {}\nmodule \"n\" {\n  source = \"./${var.next}\"\n}\n");
  write("./deep", "");

  EXPECT_THAT(paths(link()), ElementsAre("", "module.m", "module.m.module.n"));
}

TEST_F(Link, WhatIsNotKnownEarlyIsAnErrorAtTheReference) {
  write(".",
        "resource \"terraform_data\" \"x\" {}\nmodule \"m\" {\n"
        "  source = terraform_data.x.output\n}\n");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(3));
}

TEST_F(Link, ALocalThatDependsOnItselfIsReportedWithItsChain) {
  write(".", "locals {\n  a = local.b\n  b = local.a\n}\nmodule \"m\" {\n  source = local.a\n}\n");

  (void)link();

  ASSERT_TRUE(diags_.has_errors());
  EXPECT_THAT(diags_.items()[0].detail, ::testing::HasSubstr("local.a uses local.b"));
}

TEST_F(Link, SensitiveSourcesAreRefused) {
  write(".",
        "variable \"s\" {\n  default   = \"./m\"\n  sensitive = true\n}\n"
        "module \"m\" {\n  source = var.s\n}\n");
  write("./m", "");

  (void)link();

  EXPECT_THAT(error_lines(), ElementsAre(6));
}

TEST_F(Link, ABackendInAChildIsOnlyAWarning) {
  write(".", "module \"m\" {\n  source = \"./m\"\n}\n");
  write("./m", "terraform {\n  backend \"local\" {}\n}\n");

  (void)link();

  EXPECT_FALSE(diags_.has_errors());
  EXPECT_THAT(error_lines(), ElementsAre(2));
}

}  // namespace
}  // namespace tofu::config
