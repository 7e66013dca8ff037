#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "config/resolved_provider.h"
#include "eval/program.h"
#include "eval/shape.h"

namespace tofu::eval {

Program::Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

const Row& Program::row(ObjectId id) const {
  const std::size_t modules_end = objects.size() - implicit_providers.size();
  if (id.index >= modules_end) return implicit_providers[id.index - modules_end]->row;
  const ModuleRows& rows = modules[object(id).module.index];
  return rows.shape->rows()[id.index - rows.first.index];
}

addrs::AbsProviderConfig Program::provider_address(ObjectId config) const {
  const std::size_t modules_end = objects.size() - implicit_providers.size();
  if (config.index >= modules_end) {
    return {{}, implicit_providers[config.index - modules_end]->provider};
  }
  const config::TreeNode& where = node(object(config).module);
  const auto& declared = *std::get<const config::ProviderConfig*>(object(config).declaration);
  return {where.path, where.module->provider_for(declared.name), declared.alias};
}

namespace {

using config::ModuleId;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Compiler {
 public:
  Compiler(const config::Tree& tree, const schema::ProviderSchemas& schemas,
           diag::Diagnostics& diags)
      : tree_(tree), schemas_(schemas), diags_(diags) {
    program_.tree = &tree;
    program_.schemas = &schemas;
    program_.layouts = std::make_unique<schema::Layouts>();
  }

  Program run();

 private:
  const Shape& shape_of(const config::TreeNode& node);
  void add_module(ModuleId id);
  void find_outputs(ModuleId id);
  void check_arguments(ModuleId id);
  std::string call_in_package(ModuleId id) const;
  void check_function_providers(const Shape& shape);
  void expect_edges();
  void add_waits(ModuleId id);
  void add_row_waits(ModuleId id, const Row& row, std::uint32_t at);
  void add_targets(ModuleId id, const std::vector<Target>& targets, std::uint32_t except);
  void add_target(ModuleId id, const Target& target, std::uint32_t except);
  void wait_for(std::uint32_t object, Why why, std::uint32_t except);
  ObjectId configuration(const config::ResolvedProvider& resolved);
  ObjectId implicit_configuration(const addrs::Provider& provider);
  void add_implicit_waits();
  void find_function_providers(ModuleId id);
  void find_import_targets();
  const config::ResolvedProvider& resolve(ModuleId id, const std::string& name,
                                          const std::string& alias);
  void wait_for_provider(ModuleId id, const config::Resource& resource, std::uint32_t at);
  void report_missing_configuration(std::uint32_t resource, const config::ResolvedProvider& last);
  void add_import_waits(const Row& row, std::uint32_t at);
  void wait_for_everything(ModuleId id);
  void report_cycle(const std::vector<std::uint32_t>& cycle);

  const config::Tree& tree_;
  const schema::ProviderSchemas& schemas_;
  diag::Diagnostics& diags_;
  Program program_;
  std::unordered_map<const config::Module*, const Shape*> shapes_;
  std::map<addrs::Provider, ObjectId> implicit_;
  // By module, name and alias.
  std::map<std::tuple<ModuleId, std::string, std::string>, config::ResolvedProvider> resolved_;
  std::set<std::string> wrong_calls_;  // by call_in_package()
};

const Shape& Compiler::shape_of(const config::TreeNode& node) {
  const Shape*& shape = shapes_[node.module.get()];
  if (shape == nullptr) {
    program_.shapes.push_back(std::make_unique<Shape>(*node.module, node.provider_configs(),
                                                      schemas_, *program_.layouts));
    shape = program_.shapes.back().get();
  }
  return *shape;
}

void Compiler::add_module(ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  const Shape& shape = shape_of(node);
  program_.modules.push_back({&shape, {static_cast<std::uint32_t>(program_.objects.size())}, {}});
  const CallShape* call =
      node.parent ? &program_.modules[node.parent->index].shape->call(node.call) : nullptr;
  for (const Row& row : shape.rows()) {
    Object object{row.kind, id, row.declaration, nullptr};
    if (row.kind == ObjectKind::ModuleStart && node.call != nullptr) {
      object.declaration = node.call;
    } else if (call != nullptr &&
               (row.kind == ObjectKind::Argument || row.kind == ObjectKind::Variable)) {
      const auto& name = std::get<const config::Variable*>(row.declaration)->name;
      const auto argument = call->arguments.find(name);
      if (argument != call->arguments.end()) object.argument = argument->second.expr;
    }
    program_.objects.push_back(object);
  }
}

// Ties the outputs that a module names to their rows.
void Compiler::find_outputs(ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  ModuleRows& rows = program_.modules[id.index];
  for (const OutputUse& use : rows.shape->bindings().output_uses()) {
    auto& found = rows.outputs.emplace_back();
    const auto child = node.children.find(use.call->name);
    if (child == node.children.end()) continue;
    const ModuleRows& called = program_.modules[child->second.index];
    const config::Output* output = called.shape->module().outputs.find(use.output);
    if (output != nullptr) found = ObjectId{called.first.index + called.shape->row_of(output)};
  }
}

// Whether a call gives what the module called needs, and nothing else.
void Compiler::check_arguments(ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  if (node.call == nullptr) return;
  syntax::BodySchema schema;
  for (const config::Variable& variable : node.module->variables) {
    schema.attributes.push_back({variable.name, variable.is_required()});
  }
  diag::Diagnostics problems;
  (void)node.call->config.content(schema, problems);
  if (node.parent) tree_.node(*node.parent).module->name_blocks(problems.items_from(0));
  if (!problems.has_errors() || wrong_calls_.insert(call_in_package(id)).second) {
    diags_.take(std::move(problems));
  }
}

// The identity of calls in copies of one package, or in one module that is called several times:
// the addresses that lead from the package to the call.
std::string Compiler::call_in_package(ModuleId id) const {
  const config::TreeNode* node = &tree_.node(id);
  std::string chain = node->call->name;
  while (node->parent) {
    node = &tree_.node(*node->parent);
    if (!node->source) continue;  // the root
    chain += fmt::format("\n{} {}", addrs::to_string(*node->source), node->version);
    if (!std::holds_alternative<addrs::LocalSource>(*node->source)) break;
  }
  return chain;
}

void Compiler::check_function_providers(const Shape& shape) {
  for (const syntax::CallExpr* call : shape.provider_calls()) {
    diag::Diagnostics ignored;  // the shape of the name is checked where it is evaluated
    const auto function =
        addrs::as_provider_function(addrs::parse_function_name(call->name), call->range, ignored);
    if (function) check_function_provider(shape.module(), *function, call->name_range, diags_);
  }
}

void Compiler::wait_for(std::uint32_t object, Why why, std::uint32_t except) {
  if (object == except) return;
  program_.waits.edges.push_back(object);
  program_.reasons.push_back(why);
}

void Compiler::add_target(ModuleId id, const Target& target, std::uint32_t except) {
  const config::TreeNode& node = tree_.node(id);
  if (target.of == Target::Of::Row) {
    wait_for(program_.modules[id.index].first.index + target.row, target.why, except);
    return;
  }
  if (target.of == Target::Of::Nothing) return;
  if (target.of == Target::Of::Provider) {
    const auto& providers = program_.modules[id.index].function_providers;
    wait_for(providers[target.row].index, target.why, except);
    return;
  }
  if (target.of == Target::Of::Output) {
    const auto& output = program_.modules[id.index].outputs[target.output_use];
    if (output) wait_for(output->index, target.why, except);
    return;
  }
  const auto child = node.children.find(target.call->name);
  if (child == node.children.end()) return;
  const ModuleRows& called = program_.modules[child->second.index];
  const auto last = static_cast<std::uint32_t>(called.shape->rows().size() - 1);
  wait_for(called.first.index + last, target.why, except);
}

void Compiler::add_targets(ModuleId id, const std::vector<Target>& targets, std::uint32_t except) {
  for (const Target& target : targets) add_target(id, target, except);
}

void Compiler::report_missing_configuration(std::uint32_t resource,
                                            const config::ResolvedProvider& last) {
  const addrs::ModulePath& path = tree_.node(last.module).path;
  diags_.error("Provider configuration not present")
      .detail(fmt::format("{} requires the provider configuration {} of {}, which does not exist. "
                          "Add a provider block with that alias.",
                          describe(program_, {resource}), last.name.compact(),
                          path.is_root() ? "the root module" : path.to_string()));
}

// Many resources of a module share a provider.
const config::ResolvedProvider& Compiler::resolve(ModuleId id, const std::string& name,
                                                  const std::string& alias) {
  const auto [found, is_new] = resolved_.try_emplace({id, name, alias});
  if (is_new) found->second = config::resolve_provider(tree_, id, name, alias);
  return found->second;
}

ObjectId Compiler::implicit_configuration(const addrs::Provider& provider) {
  const auto [found, is_new] = implicit_.try_emplace(provider);
  if (!is_new) return found->second;
  found->second = {static_cast<std::uint32_t>(program_.objects.size())};
  auto made = std::make_unique<ImplicitProvider>();
  made->provider = provider;
  made->declaration.name = tree_.root().module->local_name_of(provider);
  made->row.kind = ObjectKind::Provider;
  made->row.declaration = &made->declaration;
  if (const schema::ProviderSchema* schema = schemas_.find(provider.to_string())) {
    made->row.body.emplace(made->declaration.config, program_.layouts->of(schema->provider));
  }
  program_.objects.push_back({ObjectKind::Provider, {}, &made->declaration, nullptr});
  program_.implicit_providers.push_back(std::move(made));
  return found->second;
}

// The row of a configuration that exists.
ObjectId Compiler::configuration(const config::ResolvedProvider& resolved) {
  if (resolved.config == nullptr) return implicit_configuration(resolved.provider);
  const ModuleRows& rows = program_.modules[resolved.module.index];
  return {rows.first.index + rows.shape->row_of(resolved.config)};
}

void Compiler::wait_for_provider(ModuleId id, const config::Resource& resource, std::uint32_t at) {
  const config::ResolvedProvider& resolved =
      resolve(id, std::string(resource.provider_name()),
              resource.provider ? resource.provider->alias : std::string());
  if (!resolved.exists()) return report_missing_configuration(at, resolved);
  const ObjectId config = configuration(resolved);
  program_.provider_configs[at] = config;
  if (resource.provider && resource.provider->key != nullptr) {
    program_.provider_keys[{at}] = {resource.provider->key, id};
  } else if (resolved.key != nullptr) {
    program_.provider_keys[{at}] = {resolved.key, resolved.key_module};
  }
  wait_for(config.index, Why::Provider, kNone);
}

// A function of a configuration that does not exist is one of the provider without any
// settings.
void Compiler::find_function_providers(ModuleId id) {
  ModuleRows& rows = program_.modules[id.index];
  for (const addrs::LocalProviderConfig& used : rows.shape->function_providers()) {
    const config::ResolvedProvider* resolved = &resolve(id, used.local_name, used.alias);
    if (!resolved->exists()) {
      resolved = &resolve({}, tree_.root().module->local_name_of(resolved->provider), {});
    }
    rows.function_providers.push_back(configuration(*resolved));
  }
}

// Import blocks stand in the root module, wherever their target is.
void Compiler::find_import_targets() {
  const ModuleRows& root = program_.modules[0];
  for (const config::Import& import : root.shape->module().imports) {
    ModuleId id;
    bool is_there = true;
    for (const std::string& name : import.static_to.module.names) {
      const auto child = tree_.node(id).children.find(name);
      is_there = child != tree_.node(id).children.end();
      if (!is_there) break;
      id = child->second;
    }
    const ModuleRows& rows = program_.modules[id.index];
    const config::Resource* target =
        is_there ? rows.shape->module().resource(import.static_to.object) : nullptr;
    if (target == nullptr) continue;
    const ObjectId row{root.first.index + root.shape->row_of(&import)};
    const ObjectId resource{rows.first.index + rows.shape->row_of(target)};
    program_.import_targets.emplace(row, resource);
    program_.imports.emplace(resource, row);
  }
}

// An import may name what it is for: then it is about the object as it was before.
void Compiler::add_import_waits(const Row& row, std::uint32_t at) {
  const auto target = program_.import_targets.find({at});
  if (target != program_.import_targets.end()) {
    return add_targets({}, row.targets, target->second.index);
  }
  add_targets({}, row.targets, at);
  const auto& import = *std::get<const config::Import*>(row.declaration);
  const config::ResolvedProvider& resolved =
      import.provider ? resolve({}, import.provider->name, import.provider->alias)
                      : resolve({}, std::string(import.static_to.object.implied_provider()), {});
  if (!resolved.exists()) return;  // reported when an instance exists
  program_.provider_configs[at] = configuration(resolved);
  wait_for(program_.provider_configs[at]->index, Why::Provider, kNone);
}

void Compiler::add_implicit_waits() {
  for (std::size_t i = 0; i < program_.implicit_providers.size(); ++i) {
    wait_for(program_.modules[0].first.index, Why::Impl, kNone);
    program_.waits.close();
  }
}

void Compiler::wait_for_everything(ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  const ModuleRows& rows = program_.modules[id.index];
  for (std::uint32_t i = 0; i + 1 < rows.shape->rows().size(); ++i) {
    const Row& row = rows.shape->rows()[i];
    if (row.kind == ObjectKind::Check || row.kind == ObjectKind::Provider) continue;
    // Data sources of a check must not delay the dependents of the module.
    if (row.kind == ObjectKind::Resource &&
        !std::get<const config::Resource*>(row.declaration)->check.empty()) {
      continue;
    }
    wait_for(rows.first.index + i, Why::Impl, kNone);
  }
  for (const auto& [name, child] : node.children) {
    const ModuleRows& called = program_.modules[child.index];
    wait_for(called.first.index + static_cast<std::uint32_t>(called.shape->rows().size() - 1),
             Why::Impl, kNone);
  }
}

void Compiler::add_row_waits(ModuleId id, const Row& row, std::uint32_t at) {
  const config::TreeNode& node = tree_.node(id);
  const ModuleRows& rows = program_.modules[id.index];
  const CallShape* call =
      node.parent ? &program_.modules[node.parent->index].shape->call(node.call) : nullptr;
  if (row.kind != ObjectKind::ModuleStart) wait_for(rows.first.index, Why::Impl, at);
  if (row.kind == ObjectKind::Import) return add_import_waits(row, at);
  add_targets(id, row.targets, at);
  switch (row.kind) {
    case ObjectKind::ModuleStart:
      if (call == nullptr) break;
      wait_for(program_.modules[node.parent->index].first.index, Why::Impl, at);
      add_targets(*node.parent, call->start, at);
      break;
    case ObjectKind::Argument:
      if (program_.objects[at].argument != nullptr) {
        const auto& name = std::get<const config::Variable*>(row.declaration)->name;
        add_targets(*node.parent, call->arguments.find(name)->second.targets, at);
      }
      break;
    case ObjectKind::Variable: {
      const auto* variable = std::get<const config::Variable*>(row.declaration);
      wait_for(rows.first.index + rows.shape->argument_row_of(variable), Why::Body, at);
      break;
    }
    case ObjectKind::Resource: {
      const auto& resource = *std::get<const config::Resource*>(row.declaration);
      const auto [first, last] = program_.imports.equal_range({at});
      for (auto import = first; import != last; ++import) {
        wait_for(import->second.index, Why::Import, at);
      }
      wait_for_provider(id, resource, at);
      break;
    }
    case ObjectKind::ModuleEnd: wait_for_everything(id); break;
    case ObjectKind::Local:
    case ObjectKind::Output:
    case ObjectKind::Provider:
    case ObjectKind::Check:
    case ObjectKind::Import: break;
  }
}

// Reserves memory for about all edges: those of references, one to the start of the module and one
// from its end, and one to a provider.
void Compiler::expect_edges() {
  std::size_t edges = 0;
  for (const ModuleRows& rows : program_.modules) {
    for (const Row& row : rows.shape->rows()) {
      edges += row.targets.size() + (row.kind == ObjectKind::Resource ? 3 : 2);
    }
  }
  program_.waits.edges.reserve(edges);
  program_.waits.begin.reserve(program_.objects.size() + 1);
  program_.reasons.reserve(edges);
}

void Compiler::add_waits(ModuleId id) {
  const ModuleRows& rows = program_.modules[id.index];
  std::uint32_t at = rows.first.index;
  for (const Row& row : rows.shape->rows()) {
    add_row_waits(id, row, at++);
    program_.waits.close();
  }
}

void Compiler::report_cycle(const std::vector<std::uint32_t>& cycle) {
  std::string way;
  for (std::size_t i = 0; i <= cycle.size(); ++i) {
    const std::uint32_t at = cycle[i % cycle.size()];
    way += fmt::format("\n  {}{}", i == 0 ? "" : "depends on ", describe(program_, {at}));
  }
  constexpr std::size_t kMaxNamed = 5;
  std::string summary = "Cycle: ";
  for (std::size_t i = 0; i < std::min(cycle.size(), kMaxNamed); ++i)
    summary += (i == 0 ? "" : ", ") + describe(program_, {cycle[i]});
  if (cycle.size() > kMaxNamed) summary += fmt::format(" and {} more", cycle.size() - kMaxNamed);
  diags_.error(std::move(summary))
      .detail("These objects depend on each other, so none of them can be evaluated first:" + way);
}

Program Compiler::run() {
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) add_module({i});
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) find_outputs({i});
  const std::size_t before = diags_.error_count();
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) check_arguments({i});
  if (diags_.error_count() != before) return std::move(program_);
  for (const auto& shape : program_.shapes) check_function_providers(*shape);
  if (diags_.error_count() != before) return std::move(program_);

  find_import_targets();
  program_.provider_configs.resize(program_.objects.size());
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) find_function_providers({i});
  expect_edges();
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) add_waits({i});
  add_implicit_waits();
  program_.provider_configs.resize(program_.objects.size());
  if (diags_.error_count() != before) return std::move(program_);
  Ordered ordered = order(program_.waits);
  for (const auto& cycle : ordered.cycles) report_cycle(cycle);
  program_.order = std::move(ordered.order);
  return std::move(program_);
}

}  // namespace

Program compile(const config::Tree& tree, const schema::ProviderSchemas& schemas,
                diag::Diagnostics& diags) {
  return Compiler(tree, schemas, diags).run();
}

}  // namespace tofu::eval
