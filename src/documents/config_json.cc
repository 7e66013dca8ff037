#include "documents/config_json.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json_writer.h"
#include "diag/diagnostic.h"
#include "documents/expression_json.h"
#include "documents/function_json.h"
#include "documents/provider_keys.h"
#include "schema/provisioners.h"
#include "value/json.h"

namespace tofu::documents {

namespace {

void optional_field(base::JsonWriter& json, std::string_view name, std::string_view text) {
  if (!text.empty()) json.field(name, text);
}

void optional_flag(base::JsonWriter& json, std::string_view name, bool is_set) {
  if (is_set) json.field(name, true);
}

void optional_object(base::JsonWriter& json, std::string_view name, const std::string& object) {
  if (object == kEmptyJson) return;
  json.key(name);
  json.raw(object);
}

template <class T>
std::vector<const T*> by_name(const base::Named<T>& all) {
  std::vector<const T*> out;
  for (const T& each : all) out.push_back(&each);
  std::ranges::sort(out, {}, [](const T* each) -> const std::string& { return each->name; });
  return out;
}

class Writer {
 public:
  // Without `schemas` each module stands alone and has no expressions.
  Writer(const config::Tree& tree, const schema::ProviderSchemas* schemas, std::string& out)
      : tree_(tree),
        schemas_(schemas),
        providers_(provider_entries(tree, schemas != nullptr)),
        json_(out) {}

  void write();

 private:
  void write_provider(const std::string& key, const ProviderEntry& entry);
  void write_module(config::ModuleId id);
  void write_outputs(const config::Module& module);
  void write_resources(const config::TreeNode& node);
  void write_resource(const config::TreeNode& node, const config::Resource& resource);
  void write_resource_schema(const config::Module& module, const config::Resource& resource);
  void write_provisioners(const config::Module& module, const config::Resource& resource);
  void write_calls(const config::TreeNode& node);
  void write_call(const config::TreeNode& node, const config::ModuleCall& call);
  void write_arguments(const config::Module& module, const config::ModuleCall& call,
                       const config::Module& called);
  void write_variables(const config::Module& module);
  void write_symbols(const config::TreeNode& node);
  void write_library(const config::TreeNode& node, const symbols::SymbolsImport& import);
  void write_repetition(const config::Module& module, const config::Repetition& repetition);
  void write_depends_on(const config::Module& module,
                        const std::vector<syntax::Traversal>& depends_on);
  std::string provider_of(const config::TreeNode& node, const config::Resource& resource) const;

  const config::Tree& tree_;
  const schema::ProviderSchemas* schemas_;
  std::map<std::string, ProviderEntry> providers_;
  base::JsonWriter json_;
};

void Writer::write() {
  json_.begin_object();
  bool begun = false;
  for (const auto& [key, entry] : providers_) {
    if (!entry.from.empty()) continue;  // the entry it comes from stands for it
    if (!begun) {
      json_.key("provider_config");
      json_.begin_object();
      begun = true;
    }
    write_provider(key, entry);
  }
  if (begun) json_.end_object();
  json_.key("root_module");
  write_module({});
  json_.end_object();
}

void Writer::write_provider(const std::string& key, const ProviderEntry& entry) {
  json_.key(key);
  json_.begin_object();
  optional_field(json_, "name", entry.name);
  json_.field("full_name", entry.provider.to_string());
  optional_field(json_, "alias", entry.alias);
  optional_field(json_, "version_constraint", entry.constraints);
  optional_field(json_, "module_address", entry.module.to_string());
  if (schemas_ != nullptr && entry.config != nullptr) {
    const schema::ProviderSchema* schema = schemas_->find(entry.provider.to_string());
    TOFU_CHECK(schema != nullptr, "all providers of a configuration that is shown are available");
    const auto node = std::ranges::find(tree_.nodes, entry.module, &config::TreeNode::path);
    optional_object(json_, "expressions",
                    expressions_json(entry.config->config, schema->provider, *node->module));
  }
  json_.end_object();
}

void Writer::write_module(config::ModuleId id) {
  const config::TreeNode& node = tree_.node(id);
  json_.begin_object();
  write_outputs(*node.module);
  write_resources(node);
  write_calls(node);
  write_variables(*node.module);
  write_symbols(node);
  json_.end_object();
}

void Writer::write_outputs(const config::Module& module) {
  if (module.outputs.empty()) return;
  json_.key("outputs");
  json_.begin_object();
  for (const config::Output* output : by_name(module.outputs)) {
    json_.key(output->name);
    json_.begin_object();
    if (output->constraint.type != value::Type::dynamic()) {
      json_.key("type");
      json_.raw(value::type_to_json(output->constraint.type));
    }
    optional_flag(json_, "sensitive", output->is_sensitive());
    optional_flag(json_, "ephemeral", output->is_ephemeral());
    optional_field(json_, "deprecated", output->deprecated.value_or(""));
    if (schemas_ != nullptr) {
      json_.key("expression");
      json_.raw(expression_json(*output->expr, module));
    }
    write_depends_on(module, output->depends_on);
    optional_field(json_, "description", output->description.value_or(""));
    json_.end_object();
  }
  json_.end_object();
}

void Writer::write_resources(const config::TreeNode& node) {
  constexpr addrs::ResourceMode kModes[] = {addrs::ResourceMode::Managed, addrs::ResourceMode::Data,
                                            addrs::ResourceMode::Ephemeral};
  bool begun = false;
  for (const addrs::ResourceMode mode : kModes) {
    std::map<std::string, const config::Resource*> sorted;
    for (const config::Resource& resource : node.module->resources(mode)) {
      sorted.emplace(resource.address().to_string(), &resource);
    }
    if (!sorted.empty() && !begun) {
      json_.key("resources");
      json_.begin_array();
      begun = true;
    }
    for (const auto& [address, resource] : sorted) write_resource(node, *resource);
  }
  if (begun) json_.end_array();
}

std::string Writer::provider_of(const config::TreeNode& node,
                                const config::Resource& resource) const {
  const std::string local =
      resource.provider ? resource.provider->to_string() : std::string(resource.provider_name());
  std::string key = provider_key(local, node.path);
  const auto found = providers_.find(key);
  return found == providers_.end() || found->second.from.empty() ? key : found->second.from;
}

std::string_view mode_word(addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return "managed";
    case addrs::ResourceMode::Data: return "data";
    case addrs::ResourceMode::Ephemeral: return "ephemeral";
  }
  base::broken_promise("resource mode out of range");
}

void Writer::write_resource(const config::TreeNode& node, const config::Resource& resource) {
  const config::Module& module = *node.module;
  json_.begin_object();
  json_.field("address", resource.address().to_string());
  json_.field("mode", mode_word(resource.mode));
  json_.field("type", resource.type);
  json_.field("name", resource.name);
  json_.field("provider_config_key", provider_of(node, resource));
  write_provisioners(module, resource);
  if (schemas_ != nullptr) {
    write_resource_schema(module, resource);
    write_repetition(module, resource.repetition);
  }
  write_depends_on(module, resource.depends_on);
  json_.end_object();
}

void Writer::write_resource_schema(const config::Module& module, const config::Resource& resource) {
  const auto* provider = schemas_->find(module.provider_for(resource.provider_name()).to_string());
  TOFU_CHECK(provider != nullptr, "all providers of a configuration that is shown are available");
  const auto& all = resource.mode == addrs::ResourceMode::Managed ? provider->resources
                    : resource.mode == addrs::ResourceMode::Data  ? provider->data_sources
                                                                  : provider->ephemeral_resources;
  const auto found = all.find(resource.type);
  if (found == all.end()) return;  // validation reports it
  optional_object(json_, "expressions",
                  expressions_json(resource.config, found->second.block, module));
  json_.field("schema_version", found->second.version);
}

void Writer::write_provisioners(const config::Module& module, const config::Resource& resource) {
  if (resource.provisioners.empty()) return;
  json_.key("provisioners");
  json_.begin_array();
  for (const config::Provisioner& provisioner : resource.provisioners) {
    json_.begin_object();
    json_.field("type", provisioner.type);
    const schema::Block* schema = schema::provisioner_schema(provisioner.type);
    if (schemas_ != nullptr && schema != nullptr) {
      optional_object(json_, "expressions", expressions_json(provisioner.config, *schema, module));
    }
    json_.end_object();
  }
  json_.end_array();
}

// Nothing can be said of an expression that is not a constant and refers to nothing.
void Writer::write_repetition(const config::Module& module, const config::Repetition& repetition) {
  if (repetition.count != nullptr) {
    optional_object(json_, "count_expression", expression_json(*repetition.count, module));
  } else if (repetition.for_each != nullptr) {
    optional_object(json_, "for_each_expression", expression_json(*repetition.for_each, module));
  }
}

void Writer::write_depends_on(const config::Module& module,
                              const std::vector<syntax::Traversal>& depends_on) {
  if (depends_on.empty()) return;
  json_.key("depends_on");
  json_.begin_array();
  for (const syntax::Traversal& traversal : depends_on) {
    diag::Diagnostics ignored;  // validation reports them
    const auto reference = addrs::parse_reference(traversal, module, ignored);
    json_.string(reference ? addrs::to_string(reference->subject) : "");
  }
  json_.end_array();
}

void Writer::write_calls(const config::TreeNode& node) {
  if (node.module->module_calls.empty()) return;
  json_.key("module_calls");
  json_.begin_object();
  for (const config::ModuleCall* call : by_name(node.module->module_calls)) {
    json_.key(call->name);
    write_call(node, *call);
  }
  json_.end_object();
}

// An early argument as its author wrote it, after evaluation.
std::string early_text(const config::TreeNode& node, const syntax::Expr* expr) {
  if (expr == nullptr) return "";
  diag::Diagnostics ignored;  // linking reported them
  const auto v = node.statics->evaluate_plain(*expr, "", expr->range, ignored);
  return v && v->kind() == value::Kind::String ? std::string(v->plain().as_string()) : "";
}

void Writer::write_call(const config::TreeNode& node, const config::ModuleCall& call) {
  const auto child = node.children.find(call.name);
  const bool whole = schemas_ != nullptr && child != node.children.end();
  json_.begin_object();
  optional_field(json_, "source", early_text(node, call.source));
  if (whole) {
    write_arguments(*node.module, call, *tree_.node(child->second).module);
    write_repetition(*node.module, call.repetition);
    json_.key("module");
    write_module(child->second);
  }
  optional_field(json_, "version_constraint", early_text(node, call.version));
  write_depends_on(*node.module, call.depends_on);
  json_.end_object();
}

void Writer::write_arguments(const config::Module& module, const config::ModuleCall& call,
                             const config::Module& called) {
  schema::Block inputs;
  for (const config::Variable* variable : by_name(called.variables)) {
    inputs.attributes.emplace_back().name = variable->name;
  }
  optional_object(json_, "expressions", expressions_json(call.config, inputs, module));
}

void Writer::write_variables(const config::Module& module) {
  if (module.variables.empty()) return;
  json_.key("variables");
  json_.begin_object();
  for (const config::Variable* variable : by_name(module.variables)) {
    json_.key(variable->name);
    json_.begin_object();
    // Without a type anything goes, which is expressed by omitting it.
    if (variable->constraint.type != value::Type::dynamic()) {
      json_.key("type");
      json_.raw(value::type_to_json(variable->constraint.type));
    }
    if (variable->default_value) {
      const auto text = value::to_json(*variable->default_value);
      json_.key("default");
      json_.raw(text ? *text : "null");
    }
    optional_field(json_, "description", variable->description.value_or(""));
    optional_flag(json_, "required", variable->is_required());
    optional_flag(json_, "sensitive", variable->is_sensitive());
    optional_flag(json_, "ephemeral", variable->is_ephemeral());
    optional_field(json_, "deprecated", variable->deprecated.value_or(""));
    json_.end_object();
  }
  json_.end_object();
}

void Writer::write_symbols(const config::TreeNode& node) {
  if (node.module->symbols.empty()) return;
  json_.key("symbols");
  json_.begin_object();
  for (const symbols::SymbolsImport* import : by_name(node.module->symbols)) {
    json_.key(import->name);
    write_library(node, *import);
  }
  json_.end_object();
}

// Those of `names` that begin with `prefix`, without it.
std::vector<std::string_view> members(std::vector<std::string_view> names,
                                      std::string_view prefix) {
  std::erase_if(names, [prefix](std::string_view name) { return !name.starts_with(prefix); });
  for (std::string_view& name : names) name.remove_prefix(prefix.size());
  return names;
}

// The symbols of a library, by name; `show -library` shows the rest.
void Writer::write_library(const config::TreeNode& node, const symbols::SymbolsImport& import) {
  const auto write_names = [this](std::string_view key, const auto& names) {
    if (names.empty()) return;
    json_.key(key);
    json_.begin_array();
    for (const std::string_view name : names) json_.string(name);
    json_.end_array();
  };
  const std::string dotted = "symbols." + import.name + ".";
  const std::string prefix = "symbols::" + import.name + "::";
  json_.begin_object();
  optional_field(json_, "source", early_text(node, import.source));
  optional_field(json_, "version_constraint", early_text(node, import.version));
  write_names("types", members(node.symbols->type_names(), prefix));
  write_names("values", members(node.symbols->value_names(), dotted));
  const auto functions = members(node.symbols->function_names(), prefix);
  if (!functions.empty()) {
    json_.key("functions");
    json_.begin_object();
    for (const std::string_view name : functions) {
      json_.key(name);
      write_function(json_, *node.symbols->function(prefix + std::string(name)));
    }
    json_.end_object();
  }
  json_.end_object();
}

}  // namespace

std::string config_json(const config::Tree& tree, const schema::ProviderSchemas& schemas) {
  std::string out;
  Writer(tree, &schemas, out).write();
  return out;
}

std::string module_json(const config::Tree& tree) {
  std::string out;
  Writer(tree, nullptr, out).write();
  return out;
}

}  // namespace tofu::documents
