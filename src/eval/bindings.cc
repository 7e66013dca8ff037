#include "eval/bindings.h"

#include <utility>

#include "base/overloaded.h"

namespace tofu::eval {

const Binding* Bindings::find(const syntax::Traversal& traversal) const {
  const auto found = all_.find(&traversal);
  return found == all_.end() ? nullptr : &found->second;
}

// In place, because a target holds a view into the reference.
void Bindings::fill(Binding& binding, const syntax::Traversal& traversal) const {
  diag::Diagnostics problems;
  binding.reference = addrs::parse_reference(traversal, module_, problems);
  binding.problems.assign(problems.items().begin(), problems.items().end());
  if (binding.reference) binding.target = target_of(binding.reference->subject);
}

void Bindings::make(const syntax::Traversal& traversal, std::optional<Binding>& made) const {
  fill(made.emplace(), traversal);
  // Only kept references to outputs have a number: this one is taken out of the whole.
  if (made->target.of == Target::Of::Output) made->target.of = Target::Of::WholeModule;
}

const Binding& Bindings::bind(const syntax::Traversal& traversal) {
  const auto [entry, is_new] = all_.try_emplace(&traversal);
  Binding& binding = entry->second;
  if (!is_new) return binding;
  fill(binding, traversal);
  if (binding.target.of == Target::Of::Output) {
    binding.target.output_use = static_cast<std::uint32_t>(output_uses_.size());
    output_uses_.push_back({binding.target.call, binding.target.output});
  }
  return binding;
}

Target Bindings::row(const void* declaration) const {
  const auto found = rows_.find(declaration);
  if (found == rows_.end()) return {};
  return {Target::Of::Row, found->second, nullptr, {}, 0, Why::Body};
}

Target Bindings::target_of(const addrs::Subject& subject) const {
  const auto whole = [&](const addrs::ModuleCall& call) -> Target {
    const config::ModuleCall* declared = module_.module_calls.find(call.name);
    if (declared == nullptr) return {};
    return {Target::Of::WholeModule, 0, declared, {}, 0, Why::Body};
  };
  return std::visit(
      base::Overloaded{
          [&](const addrs::Resource& a) { return row(module_.resource(a)); },
          [&](const addrs::ResourceInstance& a) { return row(module_.resource(a.resource)); },
          [&](const addrs::InputVariable& a) { return row(module_.variables.find(a.name)); },
          [&](const addrs::LocalValue& a) { return row(module_.locals.find(a.name)); },
          [&](const addrs::ModuleCall& a) { return whole(a); },
          [&](const addrs::ModuleCallInstance& a) { return whole(a.call); },
          [&](const addrs::ModuleCallOutput& a) {
            Target target = whole(a.call.call);
            if (target.of == Target::Of::WholeModule) {
              target.of = Target::Of::Output;
              target.output = a.name;
            }
            return target;
          },
          [](const auto&) { return Target{}; },
      },
      subject);
}

}  // namespace tofu::eval
