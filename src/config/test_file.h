// Test files (.tftest.hcl, .tofutest.hcl and their JSON forms) as declared.
//
// Like a module's own files they are read without being evaluated; their targets are looked up when
// tests run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module.h"
#include "addrs/module_source.h"
#include "addrs/resource.h"
#include "config/declare.h"
#include "config/module.h"
#include "config/objects.h"
#include "config/override_target.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "symbols/symbol_source.h"
#include "symbols/symbols_import.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::config {

struct TestVariable {
  std::string name;
  const syntax::Expr* expr = nullptr;
  diag::SourceRange range;
};

// Values that a test declares for objects, in place of a provider.
struct MockedValues {
  std::optional<value::Value> values = {};  // an object
  // When what the provider would have computed is known.
  enum class Known : std::uint8_t { WhenPlanned, AfterApply };
  std::optional<Known> known = {};  // absent: as is said around it, and else when planned
};

// override_resource or override_data.
struct ResourceOverride {
  addrs::ResourceMode mode = addrs::ResourceMode::Managed;  // as the block's type says
  OverrideTarget target;
  MockedValues mocked;
};

struct ModuleOverride {
  addrs::ModulePath target;
  std::optional<value::Value> outputs;  // an object
  diag::SourceRange target_range;
};

// mock_resource, mock_data or mock_ephemeral.
struct MockResource {
  addrs::ResourceMode mode = addrs::ResourceMode::Managed;
  std::string type;
  MockedValues mocked;
};

struct MockProvider {
  std::string name;
  std::string alias;
  const syntax::Expr* for_each = nullptr;
  std::optional<std::string> source;  // a directory with more of these blocks
  diag::SourceRange source_range;
  std::optional<MockedValues::Known> known;  // for all that say nothing else
  std::vector<MockResource> resources;
  std::vector<ResourceOverride> overrides;
  diag::SourceRange name_range;
  diag::SourceRange range;

  std::string key() const { return alias.empty() ? name : name + "." + alias; }
};

enum class TestCommand : std::uint8_t { Apply, Plan };
enum class TestMode : std::uint8_t { Normal, RefreshOnly };

struct TestModule {
  std::optional<addrs::ModuleSource> source;
  std::optional<addrs::Constraints> version;
  diag::SourceRange range;
  diag::SourceRange source_range;
};

struct TestOptions {
  TestMode mode = TestMode::Normal;
  bool refresh = true;
  std::vector<syntax::Traversal> replace;
  std::vector<syntax::Traversal> target;
};

struct TestRun {
  std::string name;
  TestCommand command = TestCommand::Apply;
  TestOptions options;
  std::vector<TestVariable> variables;
  std::vector<PassedProvider> providers;
  std::vector<syntax::Condition> asserts;
  std::optional<TestModule> module;
  std::vector<syntax::Traversal> expect_failures;
  std::vector<ResourceOverride> resource_overrides;
  std::vector<ModuleOverride> module_overrides;
  std::optional<std::string> state_key;  // absent: the module's source
  bool parallel = false;                 // may run beside others
  bool skip_cleanup = false;             // its objects are kept
  diag::SourceRange name_range;
  diag::SourceRange range;
};

struct TestFile {
  std::string name;
  bool parallel = false;      // what runs say nothing of
  bool skip_cleanup = false;  // likewise
  std::vector<TestVariable> variables;
  base::Named<ProviderConfig> providers;     // by "name" or "name.alias"
  base::Named<MockProvider> mock_providers;  // likewise
  std::vector<TestRun> runs;                 // in order
  std::vector<ResourceOverride> resource_overrides;
  std::vector<ModuleOverride> module_overrides;
  base::Named<symbols::SymbolsImport> symbols;  // in the place of those of the tested module
  // What the tested module's libraries are with those; set when modules are linked. Null: its own.
  std::shared_ptr<const symbols::SymbolSource> linked_symbols = {};
};

// Always returns what could be read: look at `diags`. `tested` keeps the parsed file.
TestFile declare_test_file(ParsedFile parsed, Module& tested, diag::SourceMap& sources,
                           diag::Diagnostics& diags);

// Problems in a file whose blocks are valid one by one: objects overridden twice, failures expected
// of what cannot fail.
void check_test_file(const TestFile& file, const Module& tested, diag::Diagnostics& diags);
// The part of that which keeps one run from being made.
void check_test_run(const TestFile& file, const TestRun& run, const Module& tested,
                    diag::Diagnostics& diags);

}  // namespace tofu::config
