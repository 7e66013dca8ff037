#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "eval/program.h"
#include "eval/shape.h"

namespace tofu::eval {

Program::Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

const Row& Program::row(ObjectId id) const {
  const ModuleRows& rows = modules[object(id).module.index];
  return rows.shape->rows()[id.index - rows.first.index];
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
  const Shape& shape_of(const config::Module& module);
  void add_module(ModuleId id);
  void find_outputs(ModuleId id);
  void check_arguments(ModuleId id);
  std::string call_in_package(ModuleId id) const;
  void check_function_providers(const Shape& shape);
  void add_waits(ModuleId id);
  void add_row_waits(ModuleId id, const Row& row, std::uint32_t at);
  void add_targets(ModuleId id, const std::vector<Target>& targets, std::uint32_t except);
  void add_target(ModuleId id, const Target& target, std::uint32_t except);
  void wait_for(std::uint32_t object, Why why, std::uint32_t except);
  void wait_for_provider(ModuleId id, const config::Resource& resource, std::uint32_t at);
  void report_missing_configuration(std::uint32_t resource, const config::TreeNode& node,
                                    const std::string& key);
  void wait_for_imports(ModuleId id, const config::Resource& resource, std::uint32_t at);
  void wait_for_everything(ModuleId id);
  void report_cycle(const std::vector<std::uint32_t>& cycle);

  const config::Tree& tree_;
  const schema::ProviderSchemas& schemas_;
  diag::Diagnostics& diags_;
  Program program_;
  std::unordered_map<const config::Module*, const Shape*> shapes_;
  std::multimap<addrs::ConfigResource, const ImportShape*> imports_;  // by target
  std::set<std::string> wrong_calls_;                                 // by call_in_package()
};

const Shape& Compiler::shape_of(const config::Module& module) {
  const Shape*& shape = shapes_[&module];
  if (shape == nullptr) {
    program_.shapes.push_back(std::make_unique<Shape>(module, schemas_, *program_.layouts));
    shape = program_.shapes.back().get();
  }
  return *shape;
}

void Compiler::add_module(ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  const Shape& shape = shape_of(*node.module);
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
  if (!problems.has_errors() || wrong_calls_.insert(call_in_package(id)).second) {
    diags_.take(std::move(problems));
  }
}

// What is the same for calls that stand in copies of one package, or in one module that
// is called several times: the addresses that lead from the package to the call.
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

// `node` is the module where a configuration of that name is looked for last.
void Compiler::report_missing_configuration(std::uint32_t resource, const config::TreeNode& node,
                                            const std::string& key) {
  const std::string place = node.path.is_root() ? "the root module" : node.path.to_string();
  diags_.error("Provider configuration not present")
      .detail(fmt::format("{} uses the provider configuration {} of {}, which is not there. Add a "
                          "provider block with that alias.",
                          describe(program_, {resource}), key, place));
}

// The configuration of a resource's provider: what the module has, what it is
// passed, or what it inherits. A default one need not be written.
void Compiler::wait_for_provider(ModuleId id, const config::Resource& resource, std::uint32_t at) {
  std::string name(resource.provider_name());
  std::string alias = resource.provider ? resource.provider->alias : std::string();
  for (const config::TreeNode* node = &tree_.node(id);;) {
    const config::PassedProvider* passed = nullptr;
    if (node->call != nullptr) {
      for (const config::PassedProvider& one : node->call->providers) {
        if (one.in_child.name == name && one.in_child.alias == alias) passed = &one;
      }
    }
    const std::string key = alias.empty() ? name : name + "." + alias;
    if (passed == nullptr) {
      if (const auto* found = node->module->provider_configs.find(key)) {
        const ModuleRows& rows = program_.modules[id.index];
        const ObjectId config{rows.first.index + rows.shape->row_of(found)};
        program_.provider_configs[at] = config;
        wait_for(config.index, Why::Provider, kNone);
        return;
      }
    }
    if (!node->parent || (passed == nullptr && !alias.empty())) {
      if (!alias.empty()) report_missing_configuration(at, *node, key);
      return;
    }
    const config::TreeNode& above = tree_.node(*node->parent);
    name = passed != nullptr ? passed->in_parent.name
                             : above.module->local_name_of(node->module->provider_for(name));
    alias = passed != nullptr ? passed->in_parent.alias : std::string();
    id = *node->parent;
    node = &above;
  }
}

// Import blocks stand in the root module, wherever their target is.
void Compiler::wait_for_imports(ModuleId id, const config::Resource& resource, std::uint32_t at) {
  if (imports_.empty()) return;
  const auto [first, last] =
      imports_.equal_range(addrs::ConfigResource{tree_.node(id).path, resource.address()});
  for (auto each = first; each != last; ++each) add_targets({0}, each->second->targets, at);
}

void Compiler::wait_for_everything(ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  const ModuleRows& rows = program_.modules[id.index];
  for (std::uint32_t i = 0; i + 1 < rows.shape->rows().size(); ++i) {
    const Row& row = rows.shape->rows()[i];
    if (row.kind == ObjectKind::Check || row.kind == ObjectKind::Provider) continue;
    // What a check reads must not hold up those who wait for the module.
    if (row.kind == ObjectKind::Resource &&
        !std::get<const config::Resource*>(row.declaration)->check.empty()) {
      continue;
    }
    wait_for(rows.first.index + i, Why::Inside, kNone);
  }
  for (const auto& [name, child] : node.children) {
    const ModuleRows& called = program_.modules[child.index];
    wait_for(called.first.index + static_cast<std::uint32_t>(called.shape->rows().size() - 1),
             Why::Inside, kNone);
  }
}

void Compiler::add_row_waits(ModuleId id, const Row& row, std::uint32_t at) {
  const config::TreeNode& node = tree_.node(id);
  const ModuleRows& rows = program_.modules[id.index];
  const CallShape* call =
      node.parent ? &program_.modules[node.parent->index].shape->call(node.call) : nullptr;
  if (row.kind != ObjectKind::ModuleStart) wait_for(rows.first.index, Why::Inside, at);
  add_targets(id, row.targets, at);
  switch (row.kind) {
    case ObjectKind::ModuleStart:
      if (call == nullptr) break;
      wait_for(program_.modules[node.parent->index].first.index, Why::Inside, at);
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
      wait_for_imports(id, resource, at);
      wait_for_provider(id, resource, at);
      break;
    }
    case ObjectKind::ModuleEnd: wait_for_everything(id); break;
    case ObjectKind::Local:
    case ObjectKind::Output:
    case ObjectKind::Provider:
    case ObjectKind::Check: break;
  }
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
    way += fmt::format("\n  {}{}", i == 0 ? "" : "needs ", describe(program_, {at}));
  }
  diags_.error("Circular references")
      .detail("These need each other, so that none of them can be evaluated first:" + way);
}

Program Compiler::run() {
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) add_module({i});
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) find_outputs({i});
  const std::size_t before = diags_.error_count();
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) check_arguments({i});
  if (diags_.error_count() != before) return std::move(program_);
  for (const auto& shape : program_.shapes) check_function_providers(*shape);
  if (diags_.error_count() != before) return std::move(program_);

  for (const ImportShape& import : program_.modules[0].shape->imports()) {
    imports_.emplace(import.import->static_to, &import);
  }
  program_.provider_configs.resize(program_.objects.size());
  for (std::uint32_t i = 0; i < tree_.nodes.size(); ++i) add_waits({i});
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
