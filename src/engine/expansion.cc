#include "engine/expansion.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "eval/repetition.h"
#include "syntax/shown.h"

namespace tofu::engine {

namespace {

using value::Value;

// The object that a reference is to, as -target takes it; empty if that has no address.
std::string target_of(std::string_view traversal) {
  const std::size_t parts = traversal.starts_with("data.") ? 3 : 2;
  for (const std::string_view other : {"var.", "local.", "each.", "count.", "path.", "self."}) {
    if (traversal.starts_with(other)) return {};
  }
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts && end != std::string_view::npos; ++i)
    end = traversal.find_first_of(".[", end == 0 ? 0 : end + 1);
  return std::string(traversal.substr(0, end));
}

// Names the references that are not known before apply, and how to go on without them.
std::nullopt_t refuse_unknown(std::string_view argument, const syntax::Expr& expr,
                              std::string_view what, const eval::ModuleScope& names,
                              const ExpansionSubject& subject, diag::Diagnostics& diags) {
  if (subject.deferrals != nullptr) {
    subject.deferrals->add(subject.address(), plans::DeferralReason::InstanceCountUnknown);
  }
  std::vector<diag::ShownValue> shown = syntax::shown_values(expr, &names, {.unknown = true});
  std::string unknown, target = "ADDRESS";
  for (const diag::ShownValue& value : shown) {
    if (value.statement.find("known only after apply") == std::string::npos) continue;
    unknown += (unknown.empty() ? "" : ", ") + value.traversal;
    if (const std::string address = target_of(value.traversal);
        target == "ADDRESS" && !address.empty()) {
      target =
          names.instance_scope().module.index == 0
              ? address
              : fmt::format(
                    "{}.{}",
                    names.evaluation().program.node(names.instance_scope().module).path.to_string(),
                    address);
    }
  }
  std::string detail = fmt::format(
      "{} depends on {}, which is known only after apply, so OpenTofu cannot plan the instances "
      "of {}.",
      what, unknown.empty() ? "a value" : unknown, subject.address());
  if (argument == "for_each") {
    detail +=
        "\n\nUse a map with keys that are written in the configuration, and use values that are "
        "known only after apply only as the values of the map.";
  }
  detail += fmt::format(
      "\n\nAlternatively, apply in two steps. Either first apply the dependency alone, or "
      "everything but this object:\n  tofu apply -target={}\n  tofu apply -exclude={}",
      target, subject.address());
  diags.error(fmt::format("Invalid {} argument", argument))
      .detail(std::move(detail))
      .at(expr.range)
      .values(std::move(shown));
  return std::nullopt;
}

// Whether so many more instances are too many.
bool refuse_many(std::size_t instances, InstanceBudget& budget, diag::SourceRange place,
                 diag::Diagnostics& diags) {
  if (budget.take(instances)) return false;
  diags.error("Too many instances")
      .detail(fmt::format(
          "This would create more than {} instances of modules and resources, the limit of one "
          "run. Reduce the number of instances, or split the configuration.",
          InstanceBudget::kMaxInstances))
      .at(place);
  return true;
}

}  // namespace

std::string ExpansionSubject::address() const {
  if (resource == nullptr) return module.child(call->name).to_string();
  return addrs::ConfigResource{module, resource->address()}.to_string();
}

diag::SourceRange ExpansionSubject::range() const {
  return resource == nullptr ? call->range : resource->range;
}

bool InstanceBudget::take(std::size_t instances) {
  if (is_spent()) return false;
  const std::size_t before = instances > kMaxInstances
                                 ? kMaxInstances
                                 : taken_.fetch_add(instances, std::memory_order_relaxed);
  if (before + instances <= kMaxInstances) return true;
  is_spent_.store(true, std::memory_order_relaxed);
  return false;
}

Expansion Expansion::enabled(bool is_there) {
  Expansion made;
  made.by_ = By::Enabled;
  made.size_ = is_there ? 1 : 0;
  return made;
}

Expansion Expansion::counted(std::size_t count) {
  Expansion made;
  made.by_ = By::Count;
  made.size_ = count;
  return made;
}

Expansion Expansion::over(const Value& elements) {
  Expansion made;
  made.by_ = By::ForEach;
  made.size_ = elements.unmarked().size();
  made.keys_.reserve(made.size_);
  const bool is_set = elements.kind() == value::Kind::Set;
  if (!is_set) made.values_.reserve(made.size_);
  value::for_each_element(elements.unmarked(), [&](const Value& key, const Value& item) {
    made.keys_.push_back(key);
    if (!is_set) made.values_.push_back(item);
  });
  return made;
}

addrs::InstanceKey Expansion::key(std::size_t position) const {
  switch (by_) {
    case By::Nothing:
    case By::Enabled: return {};
    case By::Count: return addrs::InstanceKey(static_cast<std::int64_t>(position));
    case By::ForEach:
      return addrs::InstanceKey(std::string(keys_[position].unmarked().as_string()));
  }
  return {};
}

std::optional<std::size_t> Expansion::find(const addrs::InstanceKey& key) const {
  switch (by_) {
    case By::Nothing:
    case By::Enabled:
      return key.is_none() && size_ == 1 ? std::optional<std::size_t>(0) : std::nullopt;
    case By::Count:
      if (key.number() == nullptr || *key.number() < 0) return std::nullopt;
      if (static_cast<std::size_t>(*key.number()) >= size_) return std::nullopt;
      return static_cast<std::size_t>(*key.number());
    case By::ForEach: {
      if (key.text() == nullptr) return std::nullopt;
      const auto found =
          std::ranges::lower_bound(keys_, std::string_view(*key.text()), {},
                                   [](const Value& v) { return v.unmarked().as_string(); });
      if (found == keys_.end() || found->unmarked().as_string() != *key.text()) return std::nullopt;
      return static_cast<std::size_t>(found - keys_.begin());
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Expansion::find(const Value& key) const {
  const auto parsed = addrs::parse_instance_key(key);
  return parsed ? find(*parsed) : std::nullopt;
}

void Expansion::place(eval::InstanceScope& instance_scope, std::size_t position) const {
  if (by_ == By::Count) {
    instance_scope.count_index = Value::integer(static_cast<std::int64_t>(position));
  } else if (by_ == By::ForEach) {
    instance_scope.each_key = keys_[position];
    instance_scope.each_value = values_.empty() ? keys_[position] : values_[position];
  }
}

Value Expansion::assemble(std::vector<Value> values) const {
  switch (by_) {
    case By::Nothing: return std::move(values.front());
    case By::Enabled: return values.empty() ? Value() : std::move(values.front());
    case By::Count: return Value::tuple(std::move(values));
    case By::ForEach: {
      std::vector<value::Attr> attributes;
      attributes.reserve(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        attributes.push_back({std::string(keys_[i].unmarked().as_string()), std::move(values[i])});
      }
      return Value::object(std::move(attributes));
    }
  }
  return {};
}

diag::Checked<Expansion> expand(const config::Repetition& repetition,
                                const eval::ModuleScope& names, InstanceBudget& budget,
                                const ExpansionSubject& subject, diag::Diagnostics& diags) {
  if (repetition.count != nullptr) {
    const auto count = eval::evaluate_count(*repetition.count, names, diags);
    if (!count) return std::nullopt;
    if (count->is_unknown()) {
      return refuse_unknown("count", *repetition.count, "The number of instances", names, subject,
                            diags);
    }
    const auto number = static_cast<std::size_t>(*count->unmarked().as_number().to_int64());
    if (refuse_many(number, budget, repetition.count->range, diags)) return std::nullopt;
    return Expansion::counted(number);
  }
  if (repetition.for_each != nullptr) {
    const eval::ForEach found =
        eval::evaluate_for_each(*repetition.for_each, names, eval::Tuples::Refused, diags);
    if (found.elements) {
      const std::size_t number = found.elements->unmarked().size();
      if (refuse_many(number, budget, repetition.for_each->range, diags)) return std::nullopt;
      return Expansion::over(*found.elements);
    }
    if (found.known) return std::nullopt;
    return refuse_unknown("for_each", *repetition.for_each, "The set of keys", names, subject,
                          diags);
  }
  if (repetition.enabled != nullptr) {
    const auto enabled = eval::evaluate_enabled(*repetition.enabled, names, diags);
    if (!enabled) return std::nullopt;
    if (enabled->is_unknown()) {
      return refuse_unknown("enabled", *repetition.enabled, "The value of enabled", names, subject,
                            diags);
    }
    return Expansion::enabled(enabled->unmarked().as_bool());
  }
  if (refuse_many(1, budget, subject.range(), diags)) return std::nullopt;
  return Expansion();
}

}  // namespace tofu::engine
