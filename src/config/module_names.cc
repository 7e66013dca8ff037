#include "config/module_names.h"

#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "config/suggestion.h"
#include "value/marks.h"

namespace tofu::config {

using value::Value;

namespace {

std::string_view adjective(addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return "managed";
    case addrs::ResourceMode::Data: return "data";
    case addrs::ResourceMode::Ephemeral: return "ephemeral";
  }
  return {};
}

}  // namespace

std::string ModuleNames::where() const {
  return path_->is_root() ? "the root module" : path_->to_string();
}

diag::Checked<const Variable*> ModuleNames::variable(const std::string& name,
                                                     diag::SourceRange place,
                                                     diag::Diagnostics& diags) const {
  if (const Variable* found = module_->variables.find(name)) return found;
  std::string hint = suggestion(name, module_->variables, diags);
  if (hint.empty()) hint = " Declare it with a variable block.";
  diags.error("Reference to undeclared input variable")
      .detail(fmt::format("The variable {:?} is not declared in {}.{}", name, where(), hint))
      .at(place);
  return nullptr;
}

diag::Checked<const Local*> ModuleNames::local(const std::string& name, diag::SourceRange place,
                                               diag::Diagnostics& diags) const {
  if (const Local* found = module_->locals.find(name)) return found;
  diags.error("Reference to undeclared local value")
      .detail(fmt::format("The local value {:?} is not declared in {}.{}", name, where(),
                          suggestion(name, module_->locals, diags)))
      .at(place);
  return nullptr;
}

diag::Checked<const Resource*> ModuleNames::resource(const addrs::Resource& address,
                                                     diag::SourceRange place,
                                                     diag::Diagnostics& diags) const {
  if (const Resource* found = module_->resource(address)) return found;
  std::string hint;
  for (const auto mode :
       {addrs::ResourceMode::Managed, addrs::ResourceMode::Data, addrs::ResourceMode::Ephemeral}) {
    const addrs::Resource other{mode, address.type, address.name};
    if (mode == address.mode || module_->resource(other) == nullptr) continue;
    hint = fmt::format(" Did you mean {}?", other.to_string());
    break;
  }
  if (hint.empty()) {
    std::vector<std::string> declared;
    for (const Resource& other : module_->resources(address.mode))
      declared.push_back(other.address().to_string());
    const std::string_view near =
        base::nearest_name(address.to_string(), std::span<const std::string>(declared));
    if (!near.empty()) hint = fmt::format(" Did you mean {}?", near);
  }
  diags.error("Reference to undeclared resource")
      .detail(fmt::format("The {} resource {:?} {:?} is not declared in {}.{}",
                          adjective(address.mode), address.type, address.name, where(), hint))
      .at(place);
  return nullptr;
}

diag::Checked<const ModuleCall*> ModuleNames::call(const std::string& name, diag::SourceRange place,
                                                   diag::Diagnostics& diags) const {
  if (const ModuleCall* found = module_->module_calls.find(name)) return found;
  diags.error("Reference to undeclared module")
      .detail(fmt::format("The module {:?} is not declared in {}.{}", name, where(),
                          suggestion(name, module_->module_calls, diags)))
      .at(place);
  return nullptr;
}

std::optional<Value> ModuleNames::path(const addrs::PathAttr& address, diag::SourceRange place,
                                       diag::Diagnostics& diags) const {
  if (address.name == "module") return Value::string(*directory_);
  if (address.name == "root") return Value::string(*root_directory_);
  if (address.name == "cwd") return Value::string(facts_->working_directory);
  diags.error("Invalid \"path\" attribute")
      .detail(fmt::format("path.{} is not defined. Use path.module, path.root or path.cwd.",
                          address.name))
      .at(place);
  return std::nullopt;
}

std::optional<Value> ModuleNames::terraform(const addrs::TerraformAttr& address,
                                            diag::SourceRange place,
                                            diag::Diagnostics& diags) const {
  if (address.name == "workspace") return Value::string(facts_->workspace);
  if (address.name != "applying") {
    diags.error("Invalid reference")
        .detail(fmt::format("{} is not defined. For the workspace name, use terraform.workspace.",
                            address.to_string()))
        .at(place);
    return std::nullopt;
  }
  if (facts_->applying) {
    return Value::boolean(*facts_->applying).with_marks(value::Marks::ephemeral());
  }
  diags.error("Invalid reference")
      .detail(
          "terraform.applying is available only during plan and apply, not in a value that is "
          "needed earlier.")
      .at(place);
  return std::nullopt;
}

std::optional<Value> ModuleNames::count(const addrs::CountAttr& address,
                                        const std::optional<Value>& index, diag::SourceRange place,
                                        diag::Diagnostics& diags) {
  if (address.name != "index") {
    diags.error("Invalid \"count\" attribute")
        .detail(fmt::format("count.{} is not defined. Use count.index.", address.name))
        .at(place);
    return std::nullopt;
  }
  if (!index) {
    diags.error("Reference to \"count\" in non-counted context")
        .detail(
            "count.index can be used only in module, resource and data blocks that set \"count\".")
        .at(place);
  }
  return index;
}

std::optional<Value> ModuleNames::each(const addrs::EachAttr& address,
                                       const std::optional<Value>& key,
                                       const std::optional<Value>& v, diag::SourceRange place,
                                       diag::Diagnostics& diags) {
  if (address.name != "key" && address.name != "value") {
    diags.error("Invalid \"each\" attribute")
        .detail(fmt::format("each.{} is not defined. Use each.key or each.value.", address.name))
        .at(place);
    return std::nullopt;
  }
  const std::optional<Value>& answer = address.name == "key" ? key : v;
  if (!answer) {
    diags.error("Reference to \"each\" in context without for_each")
        .detail(fmt::format(
            "each.{} can be used only in module, resource and data blocks that set \"for_each\".",
            address.name))
        .at(place);
  }
  return answer;
}

void ModuleNames::refuse_self(diag::SourceRange place, diag::Diagnostics& diags) {
  diags.error("Invalid \"self\" reference")
      .detail(
          "\"self\" can be used only in provisioner, connection and postcondition blocks of a "
          "resource.")
      .at(place);
}

void ModuleNames::refuse(const addrs::Reference& reference, diag::Diagnostics& diags) {
  diags.error("Invalid reference")
      .detail(
          fmt::format("{} can be used only in test files.", addrs::to_string(reference.subject)))
      .at(reference.range);
}

const syntax::Function* ModuleNames::function(std::string_view name) const {
  if (name.starts_with("symbols::") && symbols_ != nullptr) return symbols_->function(name);
  return functions_->find(name);
}

std::vector<std::string_view> ModuleNames::function_names() const {
  std::vector<std::string_view> names = functions_->names();
  if (symbols_ != nullptr) {
    const auto more = symbols_->function_names();
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

}  // namespace tofu::config
