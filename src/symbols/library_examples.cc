#include "symbols/library_examples.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "symbols/library_names.h"
#include "syntax/eval.h"
#include "syntax/function.h"
#include "value/convert.h"
#include "value/json.h"
#include "value/path.h"

namespace tofu::symbols {

namespace {

using syntax::CallResult;
using value::Value;

// A value in a message.
std::string shown(const Value& v) {
  const value::Marks marks = v.deep_marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) return "a sensitive value";
  const Value plain = v.deep_unmarked();
  if (!plain.wholly_known()) return "a value that is not known";
  const auto text = value::to_json(plain);
  return text ? *text : "a value that cannot be shown";
}

// Two values are the same if one is what the other becomes as one of its type: a list is written
// like a tuple.
bool is_same(const Value& expected, const Value& result) {
  const Value want = expected.deep_unmarked();
  const Value have = result.deep_unmarked();
  const auto converted = value::convert(want, have.type());
  return converted && value::raw_equal(*converted, have);
}

class ExampleCheck {
 public:
  ExampleCheck(const Library& library, const functions::Table& builtin, diag::Diagnostics& diags)
      : scope_(library, builtin), diags_(diags) {}

  void run(const LibraryFunction& function, const LibraryExample& example) {
    std::vector<Value> arguments;
    for (const syntax::Expr* each : example.arguments) {
      auto computed = syntax::evaluate(*each, &scope_, diags_);
      if (!computed) return;
      arguments.push_back(std::move(*computed));
    }
    const CallResult<Value> outcome = call(function, std::move(arguments));
    if (example.error) return check_failure(function, example, outcome);
    const auto expected = syntax::evaluate(*example.result, &scope_, diags_);
    if (!expected) return;
    if (!outcome) {
      refuse(function, example,
             fmt::format("the result {}, but the call fails: {}", shown(*expected),
                         outcome.error().what));
    } else if (!is_same(*expected, *outcome)) {
      refuse(
          function, example,
          fmt::format("the result {}, but the call gives {}", shown(*expected), shown(*outcome)));
    }
  }

 private:
  void check_failure(const LibraryFunction& function, const LibraryExample& example,
                     const CallResult<Value>& outcome) {
    if (outcome) {
      refuse(function, example,
             fmt::format("an error with {:?}, but the call gives {}", *example.error,
                         shown(*outcome)));
    } else if (outcome.error().what.find(*example.error) == std::string::npos) {
      refuse(function, example,
             fmt::format("an error with {:?}, but the call fails otherwise: {}", *example.error,
                         outcome.error().what));
    }
  }

  // Converts arguments as a call that is written out does.
  static CallResult<Value> call(const LibraryFunction& function, std::vector<Value> arguments) {
    const syntax::Function& callable = function.callable;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool fixed = i < callable.parameters.size();
      if (!fixed && !callable.variadic) break;
      const syntax::Parameter& parameter = fixed ? callable.parameters[i] : *callable.variadic;
      auto converted = value::convert(arguments[i], parameter.type);
      if (!converted) return syntax::argument_error(i, to_string(converted.error()));
      arguments[i] = std::move(*converted);
    }
    return syntax::call(callable, arguments);
  }

  void refuse(const LibraryFunction& function, const LibraryExample& example, std::string why) {
    if (!why.ends_with('.')) why += '.';
    diags_.error("Example does not hold")
        .detail(fmt::format("The example {:?} of the function {:?} expects {}", example.name,
                            function.name, why))
        .at(example.place);
  }

  LibraryScope scope_;
  diag::Diagnostics& diags_;
};

}  // namespace

void check_examples(const Library& library, const functions::Table& builtin,
                    diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  ExampleCheck check(library, builtin, diags);
  for (const LibraryFunction& function : library.functions) {
    if (function.broken) continue;  // its own errors say more
    for (const LibraryExample& example : function.examples) check.run(function, example);
  }
  library.name_blocks(diags.items_from(before));
}

}  // namespace tofu::symbols
