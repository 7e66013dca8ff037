#include "config/test_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "addrs/parse.h"
#include "addrs/reference.h"
#include "config/block_reader.h"
#include "config/mock_files.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/eval.h"

namespace tofu::config {

namespace {

class TestReader {
 public:
  TestReader(BlockReader& block_reader, TestFile& file) : reading_(block_reader), file_(file) {}

  void read(const syntax::Body& body);
  // A file that has nothing but mocks.
  MockProvider read_mocks(const syntax::Body& body);

 private:
  void read_run(const syntax::Block& block);
  void read_run_block(const syntax::Block& block, TestRun& run);
  void read_run_arguments(const syntax::Content& content, TestRun& run);
  bool read_options(const syntax::Block& block, TestOptions& options);
  void report_second(const syntax::Block& block, diag::SourceRange first);
  void read_module(const syntax::Block& block, TestRun& run);
  void read_source(const syntax::Attribute& attribute, TestModule& module);
  void read_variables(const syntax::Block& block, std::vector<TestVariable>& out, OnlyOne& only);
  void read_symbols(const syntax::Block& block);
  void read_mock_provider(const syntax::Block& block);
  void read_mock_resource(const syntax::Block& block, MockProvider& provider);
  void read_mocks(const syntax::Content& content, MockProvider& provider);
  void check_mocks(const MockProvider& provider);
  void read_override(const syntax::Block& block, std::vector<ResourceOverride>& resources,
                     std::vector<ModuleOverride>& modules);
  void read_resource_override(const syntax::Block& block, std::vector<ResourceOverride>& out);
  void read_module_override(const syntax::Block& block, std::vector<ModuleOverride>& out);
  std::optional<value::Value> constant_object(const syntax::Attribute& attribute);
  std::optional<MockedValues::Known> read_during(const syntax::Content& content);
  bool read_flag(const syntax::Content& content, std::string_view name, bool otherwise);
  void read_test_settings(const syntax::Block& block);

  std::size_t errors() const { return reading_.diags.error_count(); }

  BlockReader& reading_;
  TestFile& file_;
  OnlyOne variables_;
  OnlyOne settings_;
};

std::optional<value::Value> TestReader::constant_object(const syntax::Attribute& attribute) {
  auto given = syntax::evaluate(*attribute.expr, nullptr, reading_.diags);
  if (!given) return std::nullopt;
  if (given->type().kind() == value::TypeKind::Object) return given;
  reading_.diags.error("Object required")
      .detail(fmt::format("The argument \"{}\" must be an object.", attribute.name))
      .at(attribute.range);
  return std::nullopt;
}

// When mocked values are known, as Terraform has it.
std::optional<MockedValues::Known> TestReader::read_during(const syntax::Content& content) {
  const auto* attribute = content.attribute("override_during");
  if (attribute == nullptr) return std::nullopt;
  const std::string_view word = syntax::keyword(*attribute->expr);
  if (word == "plan") return MockedValues::Known::WhenPlanned;
  if (word == "apply") return MockedValues::Known::AfterApply;
  reading_.diags.error("Invalid \"override_during\"")
      .detail("The argument \"override_during\" must be plan or apply.")
      .at(attribute->expr->range);
  return std::nullopt;
}

bool TestReader::read_flag(const syntax::Content& content, std::string_view name, bool otherwise) {
  const auto* attribute = content.attribute(name);
  if (attribute == nullptr) return otherwise;
  return syntax::constant_bool(*attribute->expr, reading_.diags).value_or(otherwise);
}

void TestReader::read_test_settings(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of({"parallel", "skip_cleanup"});
  if (!settings_.admit(reading_, block, "A test file can have only one test block.")) return;
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  file_.parallel = read_flag(content, "parallel", false);
  file_.skip_cleanup = read_flag(content, "skip_cleanup", false);
}

void TestReader::read_resource_override(const syntax::Block& block,
                                        std::vector<ResourceOverride>& out) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"target", "values", "override_during"}), {"target"});
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  ResourceOverride override;
  override.mode =
      block.type == "override_data" ? addrs::ResourceMode::Data : addrs::ResourceMode::Managed;
  if (const auto* attribute = content.attribute("target")) {
    auto target = parse_override_target(*attribute->expr, reading_.diags);
    if (target) override.target = std::move(*target);
  }
  if (const auto* attribute = content.attribute("values")) {
    override.mocked.values = constant_object(*attribute);
  }
  override.mocked.known = read_during(content);
  if (errors() == errors_before) out.push_back(std::move(override));
}

void TestReader::read_module_override(const syntax::Block& block,
                                      std::vector<ModuleOverride>& out) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"target", "outputs", "override_during"}), {"target"});
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  ModuleOverride override;
  if (const auto* attribute = content.attribute("target")) {
    const auto traversal = syntax::as_traversal(*attribute->expr, reading_.diags);
    auto target = traversal ? addrs::parse_module_path(*traversal, reading_.diags) : std::nullopt;
    if (target) {
      override.target = std::move(*target);
      override.target_range = traversal->range;
    }
  }
  if (const auto* attribute = content.attribute("outputs")) {
    override.outputs = constant_object(*attribute);
  }
  (void)read_during(content);  // outputs of a module that is not evaluated are always known
  if (errors() == errors_before) out.push_back(std::move(override));
}

void TestReader::read_override(const syntax::Block& block, std::vector<ResourceOverride>& resources,
                               std::vector<ModuleOverride>& modules) {
  if (block.type == "override_module") {
    read_module_override(block, modules);
  } else {
    read_resource_override(block, resources);
  }
}

void TestReader::read_variables(const syntax::Block& block, std::vector<TestVariable>& out,
                                OnlyOne& only) {
  if (!only.admit(reading_, block, "Only one variables block is allowed here.")) return;
  for (const syntax::Attribute& attribute : block.body.just_attributes(reading_.diags)) {
    out.push_back({std::string(attribute.name), attribute.expr, attribute.range});
  }
}

// Whether all of it could be read.
bool TestReader::read_options(const syntax::Block& block, TestOptions& options) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"mode", "refresh", "replace", "target"});
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  if (const auto* attribute = content.attribute("mode")) {
    const std::string_view word = syntax::keyword(*attribute->expr);
    if (word == "refresh-only") {
      options.mode = TestMode::RefreshOnly;
    } else if (word != "normal") {
      reading_.diags.error("Invalid \"mode\"")
          .detail("The argument \"mode\" must be normal or refresh-only.")
          .at(attribute->expr->range);
    }
  }
  const auto* refresh = content.attribute("refresh");
  if (refresh != nullptr) {
    // An invalid value counts as false.
    options.refresh = syntax::constant_bool(*refresh->expr, reading_.diags).value_or(false);
  }
  if (const auto* attribute = content.attribute("replace")) {
    options.replace = reference_list(reading_, *attribute);
  }
  if (const auto* attribute = content.attribute("target")) {
    options.target = reference_list(reading_, *attribute);
  }
  if (refresh != nullptr && !options.refresh && options.mode == TestMode::RefreshOnly) {
    reading_.diags.error("Conflicting refresh options")
        .detail("\"refresh\" cannot be false in refresh-only mode.")
        .at(refresh->range);
  }
  return errors() == errors_before;
}

void TestReader::read_source(const syntax::Attribute& attribute, TestModule& module) {
  module.source_range = attribute.range;
  const auto text = syntax::constant_string(*attribute.expr, reading_.diags);
  if (!text) return;
  const auto refuse = [&](const base::Error& error) {
    reading_.diags.error("Invalid module source")
        .detail(fmt::format("{}.", error.what))
        .at(attribute.range);
  };
  if (module.version) {
    auto source = addrs::parse_versioned_source(*text);
    if (!source) return refuse(source.error());
    module.source = std::move(*source);
    return;
  }
  auto source = addrs::parse_module_source(*text);
  if (!source) return refuse(source.error());
  module.source = std::move(*source);
}

void TestReader::report_second(const syntax::Block& block, diag::SourceRange first) {
  reading_.diags.error(fmt::format("Duplicate \"{}\" block", block.type))
      .detail(fmt::format("A run block can have only one {} block. The first one is at {}.",
                          block.type, reading_.where(first)))
      .at(block.range);
}

void TestReader::read_module(const syntax::Block& block, TestRun& run) {
  static const syntax::BodySchema kSchema = syntax::schema_of({"source", "version"});
  if (run.module) report_second(block, run.module->range);
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  TestModule module;
  module.range = block.range;
  if (const auto* attribute = content.attribute("version")) {
    module.version =
        constant_constraints(reading_, *attribute, reading_.diags).value_or(addrs::Constraints());
  }
  if (const auto* attribute = content.attribute("source")) {
    read_source(*attribute, module);
  } else {
    reading_.diags.error("Missing module source")
        .detail("A module block requires \"source\", the module that the run tests.")
        .at(block.range);
  }
  if (errors() == errors_before) run.module = std::move(module);
}

void TestReader::read_run_arguments(const syntax::Content& content, TestRun& run) {
  if (const auto* attribute = content.attribute("command")) {
    const std::string_view word = syntax::keyword(*attribute->expr);
    if (word == "plan") {
      run.command = TestCommand::Plan;
    } else if (word != "apply") {
      reading_.diags.error("Invalid \"command\"")
          .detail("The argument \"command\" must be apply or plan, without quotes.")
          .at(attribute->expr->range);
    }
  }
  if (const auto* attribute = content.attribute("providers")) {
    run.providers = passed_providers(reading_, *attribute);
  }
  if (const auto* attribute = content.attribute("expect_failures")) {
    run.expect_failures = reference_list(reading_, *attribute);
  }
  if (const auto* attribute = content.attribute("state_key")) {
    run.state_key = syntax::constant_string(*attribute->expr, reading_.diags);
  }
  run.parallel = read_flag(content, "parallel", file_.parallel);
  run.skip_cleanup = read_flag(content, "skip_cleanup", file_.skip_cleanup);
}

void TestReader::read_run(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of(
      {"command", "providers", "expect_failures", "state_key", "parallel", "skip_cleanup"},
      {{"plan_options", {}},
       {"assert", {}},
       {"variables", {}},
       {"module", {}},
       {"override_resource", {}},
       {"override_data", {}},
       {"override_module", {}}});
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  TestRun run;
  run.name = block.labels[0].text;
  run.name_range = block.labels[0].range;
  run.range = block.range;
  check_identifier(reading_, block.labels[0], "run name");
  OnlyOne variables;
  std::optional<diag::SourceRange> options;  // of a block that could be read
  for (const syntax::Block& inner : content.blocks) {
    const std::size_t errors_here = errors();
    if (inner.type == "assert") {
      const syntax::Condition condition = read_condition(reading_, inner);
      if (errors() == errors_here) run.asserts.push_back(condition);
    } else if (inner.type == "plan_options") {
      if (options) {
        report_second(inner, *options);
        continue;
      }
      TestOptions read;
      if (!read_options(inner, read)) continue;
      run.options = std::move(read);
      options = inner.range;
    } else if (inner.type == "variables") {
      read_variables(inner, run.variables, variables);
    } else if (inner.type == "module") {
      read_module(inner, run);
    } else {
      read_override(inner, run.resource_overrides, run.module_overrides);
    }
  }
  read_run_arguments(content, run);
  if (errors() == errors_before) file_.runs.push_back(std::move(run));
}

void TestReader::read_mock_resource(const syntax::Block& block, MockProvider& provider) {
  static const syntax::BodySchema kSchema = syntax::schema_of({"defaults", "override_during"});
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  MockResource mock;
  mock.mode = block.type == "mock_data"        ? addrs::ResourceMode::Data
              : block.type == "mock_ephemeral" ? addrs::ResourceMode::Ephemeral
                                               : addrs::ResourceMode::Managed;
  mock.type = block.labels[0].text;
  if (const auto* attribute = content.attribute("defaults")) {
    mock.mocked.values = constant_object(*attribute);
  }
  mock.mocked.known = read_during(content);
  if (errors() == errors_before) provider.resources.push_back(std::move(mock));
}

void TestReader::check_mocks(const MockProvider& provider) {
  const auto refuse = [&](const std::string& what) {
    reading_.diags.error("Duplicate mock")
        .detail(fmt::format("{} is already mocked in this mock_provider block.", what))
        .at(provider.range);
  };
  std::set<std::pair<addrs::ResourceMode, std::string>> types;
  for (const MockResource& mock : provider.resources) {
    if (!types.emplace(mock.mode, mock.type).second) refuse(mock.type);
  }
  std::set<std::string> targets;
  for (const ResourceOverride& override : provider.overrides) {
    if (!targets.insert(override.target.to_string()).second) refuse(override.target.to_string());
  }
}

void TestReader::read_mocks(const syntax::Content& content, MockProvider& provider) {
  std::vector<ModuleOverride> none;
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type.starts_with("mock_")) {
      read_mock_resource(inner, provider);
    } else {
      read_override(inner, provider.overrides, none);
    }
  }
}

MockProvider TestReader::read_mocks(const syntax::Body& body) {
  static const syntax::BodySchema kSchema = syntax::schema_of({}, {{"mock_resource", {"type"}},
                                                                   {"mock_data", {"type"}},
                                                                   {"mock_ephemeral", {"type"}},
                                                                   {"override_resource", {}},
                                                                   {"override_data", {}}});
  MockProvider mocks;
  read_mocks(body.content(kSchema, reading_.diags), mocks);
  return mocks;
}

void TestReader::read_mock_provider(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of(
      {"alias", "for_each", "source", "override_during"}, {{"mock_resource", {"type"}},
                                                           {"mock_data", {"type"}},
                                                           {"mock_ephemeral", {"type"}},
                                                           {"override_resource", {}},
                                                           {"override_data", {}}});
  const std::size_t errors_before = errors();
  const syntax::Content content = block.body.content(kSchema, reading_.diags);
  const syntax::Label& label = block.labels[0];
  if (!check_provider_name(reading_, label.text, block.range)) return;
  MockProvider provider;
  provider.name = label.text;
  provider.name_range = label.range;
  provider.range = block.range;
  if (const auto* attribute = content.attribute("alias")) {
    provider.alias = syntax::constant_string(*attribute->expr, reading_.diags).value_or("");
    check_identifier(reading_, {provider.alias, attribute->expr->range}, "provider alias");
  }
  if (const auto* attribute = content.attribute("for_each")) provider.for_each = attribute->expr;
  if (provider.alias.empty() && provider.for_each != nullptr) {
    reading_.diags.error("Missing provider alias")
        .detail("for_each in a provider block requires an alias.")
        .at(provider.for_each->range);
  }
  if (const auto* attribute = content.attribute("source")) {
    provider.source = syntax::constant_string(*attribute->expr, reading_.diags);
    provider.source_range = attribute->range;
  }
  provider.known = read_during(content);
  read_mocks(content, provider);
  check_mocks(provider);
  if (errors() != errors_before) return;
  std::string key = provider.key();
  if (file_.mock_providers.add(key, std::move(provider)) != nullptr) return;
  reading_.diags.error("Duplicated `mock_provider` block")
      .detail(fmt::format("The provider configuration {} is already mocked.", key))
      .at(block.range);
}

void TestReader::read_symbols(const syntax::Block& block) {
  symbols::SymbolsImport import = symbols::read_symbols(block, reading_.diags);
  const std::string name = import.name;
  if (file_.symbols.add(name, std::move(import)) != nullptr) return;
  reading_.diags.error("Duplicate symbols block")
      .detail(fmt::format("This test file already imports a library as {:?}.", name))
      .at(block.range);
}

void TestReader::read(const syntax::Body& body) {
  static const syntax::BodySchema kSchema = syntax::schema_of({}, {{"run", {"name"}},
                                                                   {"provider", {"name"}},
                                                                   {"variables", {}},
                                                                   {"override_resource", {}},
                                                                   {"override_data", {}},
                                                                   {"override_module", {}},
                                                                   {"mock_provider", {"name"}},
                                                                   {"symbols", {"name"}},
                                                                   {"test", {}}});
  const syntax::Content content = body.content(kSchema, reading_.diags);
  for (const syntax::Block& block : content.blocks) {
    if (block.type == "test") read_test_settings(block);  // runs go by them, wherever they stand
  }
  for (const syntax::Block& block : content.blocks) {
    if (block.type == "run") {
      read_run(block);
    } else if (block.type == "variables") {
      read_variables(block, file_.variables, variables_);
    } else if (block.type == "symbols") {
      read_symbols(block);
    } else if (block.type == "mock_provider") {
      read_mock_provider(block);
    } else if (block.type == "test") {
      continue;
    } else if (block.type == "provider") {
      auto provider = read_provider(reading_, block);
      if (!provider) continue;
      std::string key = provider->key();
      file_.providers.put(std::move(key), std::move(*provider));
    } else {
      read_override(block, file_.resource_overrides, file_.module_overrides);
    }
  }
}

void check_overrides(const std::vector<ResourceOverride>& resources,
                     const std::vector<ModuleOverride>& modules, diag::Diagnostics& diags) {
  const auto refuse = [&](const std::string& target, diag::SourceRange at) {
    diags.error("Duplicate override")
        .detail(fmt::format("Another override block already has the target {}.", target))
        .at(at);
  };
  std::set<std::string> targets;
  for (const ResourceOverride& override : resources) {
    if (!targets.insert(override.target.to_string()).second) {
      refuse(override.target.to_string(), override.target.range);
    }
  }
  targets.clear();
  for (const ModuleOverride& override : modules) {
    if (!targets.insert(override.target.to_string()).second) {
      refuse(override.target.to_string(), override.target_range);
    }
  }
}

bool can_fail(const addrs::Subject& subject) {
  return std::holds_alternative<addrs::OutputValue>(subject) ||
         std::holds_alternative<addrs::InputVariable>(subject) ||
         std::holds_alternative<addrs::Check>(subject) ||
         std::holds_alternative<addrs::Resource>(subject) ||
         std::holds_alternative<addrs::ResourceInstance>(subject);
}

}  // namespace

TestFile declare_test_file(ParsedFile parsed, Module& tested, diag::SourceMap& sources,
                           diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  TestFile file;
  file.name = parsed.name.name;
  const syntax::Body body = tested.keep(std::move(parsed.file)).body();
  BlockReader block_reader{sources, tested, tested.scratch(), tested, diags};
  TestReader(block_reader, file).read(body);
  tested.name_blocks(diags.items_from(before));
  return file;
}

namespace {

void check_run(const TestRun& run, const Module& tested, diag::Diagnostics& diags) {
  for (const syntax::Traversal& expected : run.expect_failures) {
    const auto reference = addrs::parse_test_reference(expected, tested, diags);
    if (!reference || can_fail(reference->subject)) continue;
    diags.error("Invalid `expect_failures` reference")
        .detail(fmt::format("{} has no conditions. Expected failures must be variables, outputs, "
                            "checks, resources or data sources.",
                            addrs::to_string(reference->subject)))
        .at(reference->range);
  }
  check_overrides(run.resource_overrides, run.module_overrides, diags);
}

}  // namespace

std::optional<FileSyntax> mock_file_syntax(std::string_view name) {
  if (name.ends_with(".tfmock.hcl")) return FileSyntax::Native;
  if (name.ends_with(".tfmock.json")) return FileSyntax::Json;
  return std::nullopt;
}

std::vector<std::string> mock_sources(const syntax::File& test_file) {
  static const syntax::BodySchema kFile = syntax::schema_of({}, {{"mock_provider", {"name"}}});
  static const syntax::BodySchema kProvider = syntax::schema_of({"source"});
  diag::Diagnostics ignored;  // declaring the file reports them
  std::vector<std::string> directories;
  const syntax::PartialContent all = test_file.body().partial_content(kFile, ignored);
  for (const syntax::Block& block : all.content.blocks) {
    const syntax::PartialContent found = block.body.partial_content(kProvider, ignored);
    const auto* source = found.content.attribute("source");
    if (source == nullptr) continue;
    if (auto text = syntax::constant_string(*source->expr, ignored)) directories.push_back(*text);
  }
  return directories;
}

namespace {

// The settings of `more` that `provider` does not have.
void add_mocks(const MockProvider& more, MockProvider& provider) {
  for (const MockResource& mock : more.resources) {
    const auto is_same = [&](const MockResource& known) {
      return known.mode == mock.mode && known.type == mock.type;
    };
    if (std::ranges::none_of(provider.resources, is_same)) provider.resources.push_back(mock);
  }
  for (const ResourceOverride& override : more.overrides) {
    const auto is_same = [&](const ResourceOverride& known) {
      return known.target.to_string() == override.target.to_string();
    };
    if (std::ranges::none_of(provider.overrides, is_same)) provider.overrides.push_back(override);
  }
}

}  // namespace

void add_mock_files(std::vector<ParsedFile> files, Module& tested, std::vector<TestFile>& tests,
                    diag::SourceMap& sources, diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  std::map<std::string, std::vector<MockProvider>> by_directory;
  for (ParsedFile& parsed : files) {
    TestFile unused;
    const std::string directory = parsed.name.name.substr(0, parsed.name.name.rfind('/'));
    const syntax::Body body = tested.keep(std::move(parsed.file)).body();
    BlockReader block_reader{sources, tested, tested.scratch(), tested, diags};
    by_directory[directory].push_back(TestReader(block_reader, unused).read_mocks(body));
  }
  for (TestFile& test : tests) {
    for (MockProvider& provider : test.mock_providers) {
      if (!provider.source) continue;
      const auto found = by_directory.find(*provider.source);
      if (found == by_directory.end()) {
        diags.warning("No mock files")
            .detail(fmt::format("The directory {} has no *.tfmock.hcl or *.tfmock.json files.",
                                *provider.source))
            .at(provider.source_range);
        continue;
      }
      for (const MockProvider& mocks : found->second) add_mocks(mocks, provider);
    }
  }
  tested.name_blocks(diags.items_from(before));
}

void check_test_file(const TestFile& file, const Module& tested, diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  check_overrides(file.resource_overrides, file.module_overrides, diags);
  for (const TestRun& run : file.runs) check_run(run, tested, diags);
  tested.name_blocks(diags.items_from(before));
}

void check_test_run(const TestFile& file, const TestRun& run, const Module& tested,
                    diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  check_overrides(file.resource_overrides, file.module_overrides, diags);
  if (diags.size() == before) check_run(run, tested, diags);
  tested.name_blocks(diags.items_from(before));
}

}  // namespace tofu::config
