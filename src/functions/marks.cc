// Functions about the marks of values: sensitive and ephemeral.
#include "value/marks.h"

#include <utility>

#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "value/operations.h"
#include "value/path.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Marks;
using value::Type;
using value::Value;

CallResult<Value> sensitive(Arguments arguments, Type) {
  return arguments[0].with_marks(Marks::sensitive());
}

CallResult<Value> nonsensitive(Arguments arguments, Type) {
  return arguments[0].unmarked().with_marks(arguments[0].marks().without_sensitive());
}

CallResult<Value> is_sensitive(Arguments arguments, Type) {
  // The later value of an unknown value may be sensitive or not.
  if (!arguments[0].is_known()) return Value::unknown(Type::boolean());
  return Value::boolean(arguments[0].marks().is_sensitive());
}

value::PathResult<Value> without_ephemeral(void*, const value::Path&, const Value& v) {
  const auto& inside = v.unmarked();
  const Marks marks = v.marks().without_ephemeral();
  if (inside.is_unknown()) return Value::unknown(v.type()).with_marks(marks);
  if (v.marks().is_ephemeral()) return Value::null(v.type()).with_marks(marks);
  return v;
}

CallResult<Value> ephemeral_as_null(Arguments arguments, Type) {
  const Value& v = arguments[0];
  if (v.wholly_known() && !v.contains_marks()) return v;
  auto result = value::transform(v, without_ephemeral, nullptr);
  if (!result) return call_error(to_string(result.error()));
  return *std::move(result);
}

}  // namespace

void add_marks(List& list) {
  const auto same_type = [](Arguments arguments) -> CallResult<Type> {
    return arguments[0].type();
  };
  const Type any = Type::dynamic();
  define(list, "ephemeralasnull", "A value with everything ephemeral in it replaced by null.")
      .takes("value", any, kAnything)
      .gives(same_type)
      .may_give_null()
      .as(ephemeral_as_null);
  define(list, "issensitive", "Whether a value is marked as sensitive.")
      .takes("value", any, kAnything)
      .gives(Type::boolean())
      .as(is_sensitive);
  define(list, "nonsensitive", "A value without its sensitive mark, so that it can be shown.")
      .takes("value", any, kAnything)
      .gives(same_type)
      .may_give_null()
      .as(nonsensitive);
  define(list, "sensitive", "A value marked as sensitive, so that it is not shown.")
      .takes("value", any, kAnything)
      .gives(same_type)
      .may_give_null()
      .as(sensitive);
}

}  // namespace tofu::functions
