// Checks a provider's response against the request.
//
// A provider may decide what the configuration leaves to it, and nothing else; an applied object
// has to match the planned one. Each function gives the places where a value breaks that, with a
// clause for a message: empty if all is well. Providers of the legacy type system cannot keep all
// of it; the caller decides which ones to tolerate.
//
// Values have no marks and, but for check_conforms, conform to the schema. `hidden` are the marks
// that were taken off them: clauses do not show values that are sensitive by these or by the
// schema.
#pragma once

#include <span>
#include <vector>

#include "schema/marks.h"
#include "schema/schema.h"
#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::schema {

// Whether a value has the type that was promised: where it has not.
std::vector<value::PathError> check_conforms(value::Type type, const value::Value& v);

// Whether a plan is one for this configuration. `prior` is null for a new object.
std::vector<value::PathError> check_planned(const Block& schema, const value::Value& prior,
                                            const value::Value& config, const value::Value& planned,
                                            std::span<const PathMarks> hidden = {});

// Whether an object is what the plan, which may have unknown parts, said it would be.
std::vector<value::PathError> check_applied(const Block& schema, const value::Value& planned,
                                            const value::Value& actual,
                                            std::span<const PathMarks> hidden = {});

// The path of an unknown part. After apply nothing may be.
std::vector<value::Path> unknown_parts(const value::Value& v);
// The value with nulls instead, so that the rest of it can be kept.
value::Value unknown_as_null(const value::Value& v);

// An object of a provider of the legacy type system, which may have nulls and unknowns
// where blocks must not: they become empty, or blocks of unknown parts.
value::Value normalized_legacy(const Block& schema, const value::Value& v);

}  // namespace tofu::schema
