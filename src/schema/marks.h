// Marks of objects: those that a schema gives, and those that are taken off before a
// provider sees a value and put on again afterwards.
//
// Values may have marks everywhere here. Parts without marks are neither walked nor copied.
#pragma once

#include <span>
#include <vector>

#include "schema/schema.h"
#include "schema/selection.h"
#include "value/marked_paths.h"
#include "value/marks.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::schema {

using value::mark;
using value::PathMarks;
using value::unmark;
using value::Unmarked;

// Whether anything at `path`, around it or inside it is sensitive.
bool touches_sensitive(std::span<const PathMarks> marks, const value::Path& path);

// Marks that follow from a schema. Computed once, used for every object.
class SchemaMarks {
 public:
  SchemaMarks() = default;
  explicit SchemaMarks(const Block& schema);

  bool empty() const { return sensitive_.empty() && !ephemeral_; }
  value::Value apply(const value::Value& v) const;
  std::vector<PathMarks> of(const value::Value& v) const;

 private:
  Selection sensitive_;
  bool ephemeral_ = false;
};

// Write-only arguments are given to the provider and never kept: an object as it may be
// kept has nulls instead.
value::Value without_write_only(const Selection& write_only, const value::Value& v);

}  // namespace tofu::schema
