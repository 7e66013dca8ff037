// The language's operators on values, with unknowns and marks.
//
// Operands may be unknown or marked; the result then is unknown or marked as OpenTofu has it.
// Operands must already have the operator's type (numbers for arithmetic, bools for logic): the
// evaluator of source text converts first and reports failures at their place. Equality takes
// anything.
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::value {

// Deep equality of language values: unknown if it is not known yet; no conversion, so values of
// different types are unequal; nulls are equal.
Value equals(const Value& a, const Value& b);
Value negated_bool(const Value& a);
Value logical_and(const Value& a, const Value& b);
Value logical_or(const Value& a, const Value& b);

base::Result<Value> add(const Value& a, const Value& b);
base::Result<Value> subtract(const Value& a, const Value& b);
base::Result<Value> multiply(const Value& a, const Value& b);
base::Result<Value> divide(const Value& a, const Value& b);
base::Result<Value> modulo(const Value& a, const Value& b);
Value negate(const Value& a);
Value less_than(const Value& a, const Value& b);
Value less_or_equal(const Value& a, const Value& b);
Value greater_than(const Value& a, const Value& b);
Value greater_or_equal(const Value& a, const Value& b);

// Number of elements of a collection, tuple or object; unknown (with bounds)
// for an unknown collection or a set that may still lose duplicates.
Value length(const Value& collection);

// The element of a list, map or tuple at `key` (already of the right type).
// has_index first: an index that is not there is a broken promise.
Value index(const Value& collection, const Value& key);
// A bool, possibly unknown. A key of the wrong type is not there.
Value has_index(const Value& collection, const Value& key);
// Whether a set has this element: a bool, possibly unknown.
Value has_element(const Value& set, const Value& item);
// The named attribute of an object value, or an unknown one of an unknown
// object. An unknown of type `any` gives another.
Value get_attribute(const Value& object, std::string_view name);

// Calls `change` on every value inside `root`, leaves first, and builds the
// result. A container around changed items has the types those have. Sharing is
// kept where nothing changed. Depth-safe.
using Change = PathResult<Value> (*)(void* context, const Path& path, const Value& v);
PathResult<Value> transform(const Value& root, Change change, void* context);

}  // namespace tofu::value
