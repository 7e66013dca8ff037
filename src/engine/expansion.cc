#include "engine/expansion.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "eval/repetition.h"
#include "syntax/shown.h"

namespace tofu::engine {

namespace {

using value::Value;

std::nullopt_t refuse_unknown(std::string_view argument, const syntax::Expr& expr,
                              std::string_view what, const eval::Names& names,
                              diag::Diagnostics& diags) {
  diags.error(fmt::format("Invalid {} argument", argument))
      .detail(fmt::format(
          "{} is known only after something else was applied, so it cannot be planned which "
          "instances there will be. Use values that are known by now, or apply what this "
          "depends on first: -target=ADDRESS chooses it, -exclude=ADDRESS leaves this out.",
          what))
      .at(expr.range)
      .values(syntax::shown_values(expr, &names, {.unknown = true}));
  return std::nullopt;
}

}  // namespace

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

void Expansion::place(eval::Standing& standing, std::size_t position) const {
  if (by_ == By::Count) {
    standing.count_index = Value::integer(static_cast<std::int64_t>(position));
  } else if (by_ == By::ForEach) {
    standing.each_key = keys_[position];
    standing.each_value = values_.empty() ? keys_[position] : values_[position];
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

std::optional<Expansion> expand(const config::Repetition& repetition, const eval::Names& names,
                                diag::Diagnostics& diags) {
  if (repetition.count != nullptr) {
    const auto count = eval::evaluate_count(*repetition.count, names, diags);
    if (!count) return std::nullopt;
    if (count->is_unknown()) {
      return refuse_unknown("count", *repetition.count, "The number of instances", names, diags);
    }
    return Expansion::counted(static_cast<std::size_t>(*count->unmarked().as_number().to_int64()));
  }
  if (repetition.for_each != nullptr) {
    const eval::ForEach found =
        eval::evaluate_for_each(*repetition.for_each, names, eval::Tuples::Refused, diags);
    if (found.elements) return Expansion::over(*found.elements);
    if (found.known) return std::nullopt;
    return refuse_unknown("for_each", *repetition.for_each, "The set of keys", names, diags);
  }
  if (repetition.enabled != nullptr) {
    const auto enabled = eval::evaluate_enabled(*repetition.enabled, names, diags);
    if (!enabled) return std::nullopt;
    if (enabled->is_unknown()) {
      return refuse_unknown("enabled", *repetition.enabled, "Whether there is an instance", names,
                            diags);
    }
    return Expansion::enabled(enabled->unmarked().as_bool());
  }
  return Expansion();
}

}  // namespace tofu::engine
