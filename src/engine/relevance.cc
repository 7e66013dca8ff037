#include "engine/relevance.h"

#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "engine/program_rows.h"
#include "eval/expressions.h"
#include "eval/shape.h"
#include "value/convert.h"

namespace tofu::engine {

namespace {

using syntax::TraversalStep;
using Steps = std::span<const TraversalStep>;

// One instance of a module. Whether there is such an instance does not matter here.
struct Place {
  addrs::ModuleInstance module;
  const config::TreeNode* node = nullptr;
};

// The name that a step stands for inside a block; empty if it is none.
std::string name_of(const TraversalStep& step) {
  if (step.key == nullptr) return std::string(step.name);
  const auto text = value::convert(*step.key, value::Type::string());
  if (!text || text->is_null() || !text->is_known()) return {};
  return std::string(text->unmarked().as_string());
}

// What the part of a body that `steps` lead to uses: an argument, or what one block says.
schema::Uses uses_at(const syntax::Body& body, const schema::Block& block, Steps steps) {
  if (steps.empty()) return schema::uses(body, block);
  diag::Diagnostics unreported;  // validation has reported the errors of the body
  const std::string name = name_of(steps[0]);
  if (block.attribute(name) != nullptr) {
    const auto part = body.partial_content({{{name, false}}, {}}, unreported);
    const syntax::Attribute* written = part.content.attribute(name);
    return written == nullptr ? schema::Uses() : eval::uses_of(*written->expr);
  }
  const schema::NestedBlock* nested = block.block(name);
  if (nested == nullptr) return {};
  if (steps.size() == 1) return schema::uses(body, block);
  if (nested->nesting != schema::Nesting::Single && nested->nesting != schema::Nesting::Group) {
    return {};
  }
  const auto part = body.partial_content({{}, {{name, {}}}}, unreported);
  if (part.content.blocks.empty()) return {};
  return uses_at(part.content.blocks.front().body, *nested->block, steps.subspan(1));
}

class Relevance {
 public:
  explicit Relevance(const eval::Program& program) : program_(program) {}

  void add_resource(const addrs::ModuleInstance& module, const addrs::Resource& resource) {
    const config::TreeNode* node = find_module(*program_.tree, module);
    if (node != nullptr) add_body({module, node}, resource, {});
  }

  void add_output(const addrs::ModuleInstance& module, const std::string& name) {
    const Place place{module, find_module(*program_.tree, module)};
    const config::Output* output = place.node->module->outputs.find(name);
    if (output != nullptr) add(place, output->expr);
  }

  std::vector<plans::RelevantAttribute> found() {
    while (!open_.empty()) {
      const Item item = std::move(open_.back());
      open_.pop_back();
      follow(item);
    }
    std::vector<plans::RelevantAttribute> made;
    for (auto& [key, one] : found_) made.push_back(std::move(one));
    return made;
  }

 private:
  // A reference that was not followed yet.
  struct Item {
    Place place;
    const addrs::Reference* reference;
    const config::Resource* around;  // whose instances count and each are about; or null
  };

  const eval::Shape& shape_of(const Place& place) const {
    return *program_.modules[place.node->id.index].shape;
  }

  void add(const Place& place, const schema::Uses& uses, const config::Resource* around = nullptr) {
    const eval::Bindings& bindings = shape_of(place).bindings();
    for (const syntax::Traversal* traversal : uses.variables) {
      const eval::Binding* bound = bindings.find(*traversal);
      if (bound == nullptr || !bound->reference) continue;
      const addrs::Reference& reference = *bound->reference;
      std::string key = place.module.to_string() + " " + reference.to_string();
      const bool is_repetition = std::holds_alternative<addrs::CountAttr>(reference.subject) ||
                                 std::holds_alternative<addrs::EachAttr>(reference.subject);
      if (is_repetition && around != nullptr) key += " " + around->address().to_string();
      if (!seen_.insert(std::move(key)).second) continue;
      open_.push_back({place, &reference, around});
    }
  }

  void add(const Place& place, const syntax::Expr* expr) {
    if (expr != nullptr) add(place, eval::uses_of(*expr));
  }

  void add_body(const Place& place, const addrs::Resource& address, Steps steps) {
    const config::Resource* resource = place.node->module->resource(address);
    if (resource == nullptr) return;
    const eval::Row& row = shape_of(place).rows()[shape_of(place).row_of(resource)];
    if (row.schema == nullptr || row.targets.empty()) return;
    add(place, uses_at(resource->config, row.schema->block, steps), resource);
  }

  void note(const Item& item, const addrs::Resource& resource, const addrs::InstanceKey& key) {
    value::Path path;
    for (const TraversalStep& step : item.reference->remaining) {
      path = step.key == nullptr ? path.with_attribute(std::string(step.name))
                                 : path.with_index(*step.key);
    }
    const addrs::AbsResourceInstance address{item.place.module, {resource, key}};
    found_.try_emplace({address, addrs::to_text(item.reference->remaining)},
                       plans::RelevantAttribute{address, std::move(path)});
  }

  void follow(const Item& item) {
    const Place& place = item.place;
    std::visit(
        base::Overloaded{
            [&](const addrs::Resource& resource) {
              note(item, resource, {});
              add_body(place, resource, item.reference->remaining);
            },
            [&](const addrs::ResourceInstance& instance) {
              note(item, instance.resource, instance.key);
              add_body(place, instance.resource, item.reference->remaining);
            },
            [&](const addrs::InputVariable& variable) { follow_variable(place, variable); },
            [&](const addrs::LocalValue& local) {
              const config::Local* found = place.node->module->locals.find(local.name);
              if (found != nullptr) add(place, found->expr);
            },
            [&](const addrs::ModuleCall& call) {
              follow_outputs(place, {call, {}}, nullptr);
            },
            [&](const addrs::ModuleCallInstance& call) { follow_outputs(place, call, nullptr); },
            [&](const addrs::ModuleCallOutput& output) {
              follow_outputs(place, output.call, &output.name);
            },
            [&](const addrs::CountAttr&) { follow_repetition(item); },
            [&](const addrs::EachAttr&) { follow_repetition(item); },
            [](const auto&) {},
        },
        item.reference->subject);
  }

  void follow_variable(const Place& place, const addrs::InputVariable& variable) {
    if (!place.node->parent) return;
    Place caller{place.module, &program_.node(*place.node->parent)};
    caller.module.steps.pop_back();
    const eval::CallShape& call = shape_of(caller).call(place.node->call);
    const auto argument = call.arguments.find(variable.name);
    if (argument != call.arguments.end()) add(caller, argument->second.expr);
  }

  // Of one output of a module, or of all.
  void follow_outputs(const Place& place, const addrs::ModuleCallInstance& call,
                      const std::string* name) {
    const auto child = place.node->children.find(call.call.name);
    if (child == place.node->children.end()) return;
    const Place called{place.module.child(call.call.name, call.key), &program_.node(child->second)};
    for (const config::Output& output : called.node->module->outputs) {
      if (name == nullptr || output.name == *name) add(called, output.expr);
    }
  }

  void follow_repetition(const Item& item) {
    if (item.around == nullptr) return;
    const config::Repetition& repetition = item.around->repetition;
    add(item.place, repetition.for_each != nullptr ? repetition.for_each : repetition.count);
  }

  const eval::Program& program_;
  std::unordered_set<std::string> seen_;
  std::vector<Item> open_;
  std::map<std::pair<addrs::AbsResourceInstance, std::string>, plans::RelevantAttribute> found_;
};

}  // namespace

std::vector<plans::RelevantAttribute> relevant_attributes(
    const eval::Program& program, const plans::Plan& plan,
    const std::vector<ModuleOutput>& outputs) {
  Relevance relevance(program);
  std::vector<bool> seen(plan.addresses.resource_count());  // instances share their block
  for (const plans::ResourceChange& change : plan.changes) {
    if (change.action == plans::Action::NoOp || seen[change.resource.index]) continue;
    seen[change.resource.index] = true;
    const plans::ResourceRow& row = plan.addresses[change.resource];
    relevance.add_resource(plan.addresses[row.module], row.resource);
  }
  for (const plans::OutputChange& change : plan.outputs) {
    if (change.action != plans::Action::NoOp) relevance.add_output({}, change.name);
  }
  for (const ModuleOutput& one : outputs) relevance.add_output(one.module, one.output->name);
  return relevance.found();
}

std::set<addrs::AbsResourceInstance> objects_used_by(
    const eval::Program& program, const std::set<addrs::AbsResource>& resources) {
  Relevance relevance(program);
  for (const addrs::AbsResource& resource : resources) {
    relevance.add_resource(resource.module, resource.object);
  }
  std::set<addrs::AbsResourceInstance> used;
  for (const plans::RelevantAttribute& one : relevance.found()) used.insert(one.resource);
  return used;
}

}  // namespace tofu::engine
