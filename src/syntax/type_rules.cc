#include "syntax/type_rules.h"

#include <cstddef>
#include <utility>

namespace tofu::syntax {

namespace {

using value::Kind;
using value::PathError;
using value::Value;

// A value of a type has the depth of the type, which is limited.
class Check {
 public:
  std::optional<PathError> run(const TypeRules& rules, const Value& whole) {
    const auto plain = whole.unmarked();
    if (plain.is_null() || plain.is_unknown()) return std::nullopt;
    if (auto problem = parts(rules, plain, whole.marks())) return problem;
    for (const TypeRules::Rule& rule : rules.own) {
      if (auto why = rule(whole)) return PathError{path_, std::move(*why)};
    }
    return std::nullopt;
  }

 private:
  std::optional<PathError> parts(const TypeRules& rules, const value::Plain& whole,
                                 value::Marks marks) {
    if (rules.children.empty()) return std::nullopt;
    const auto each = rules.children.find("");
    std::optional<PathError> problem;
    std::size_t position = 0;
    const bool is_object = whole.kind() == Kind::Object;
    // Positions of sequences are no secrets; keys and elements of sets are.
    const bool has_secret_keys = whole.kind() == Kind::Map || whole.kind() == Kind::Set;
    value::for_each_element(whole, [&](const Value& key, const Value& item) {
      const std::size_t index = position++;
      if (problem) return;
      const auto found = each != rules.children.end() ? each
                         : is_object                  ? rules.children.find(key.plain().as_string())
                                                      : rules.children.find(std::to_string(index));
      if (found == rules.children.end()) return;
      path_.steps.push_back(
          is_object
              ? value::PathStep(value::AttributeStep{std::string(key.plain().as_string())})
              : value::PathStep(value::IndexStep{has_secret_keys ? key.with_marks(marks) : key}));
      problem = run(*found->second, item.with_marks(marks));
      path_.steps.pop_back();
    });
    return problem;
  }

  value::Path path_;
};

}  // namespace

std::optional<PathError> broken_rule(const TypeRules& rules, const Value& v) {
  return Check().run(rules, v);
}

}  // namespace tofu::syntax
