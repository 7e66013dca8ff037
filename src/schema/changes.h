// Which parts of a change count: parts that the author wants left alone, attributes whose change
// replaces the object, and whether there is a change at all.
//
// Values may have marks here, because to ignore a change is to ignore that of the marks too.
// Unchanged parts are shared.
#pragma once

#include <span>
#include <vector>

#include "schema/schema.h"
#include "schema/selection.h"
#include "syntax/ast.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::schema {

// The contents of `ignore_changes`.
struct IgnoredChanges {
  bool all = false;
  std::vector<value::Path> paths;  // if not all

  bool empty() const { return !all && paths.empty(); }
};

// The path that a traversal in `ignore_changes` stands for, its root an attribute.
value::Path path_of(const syntax::Traversal& traversal);

// The configuration with the values of before where changes are ignored. Both may have
// marks, which are ignored along. `prior` is the object of before: null means that there
// is nothing to go back to. With `all` the whole object is taken, but for the attributes
// that only the provider sets, since no configuration has those.
value::Value with_ignored_changes(const IgnoredChanges& ignored, const value::Value& prior,
                                  const value::Value& config, const Selection& computed_only);

// The same for a plan of a provider of the legacy type system, which may change attributes that it
// should keep.
value::Value with_ignored_changes(const IgnoredChanges& ignored, const value::Value& prior,
                                  const value::Value& planned);

struct Replacing {
  std::vector<value::Path> changed;  // each once: what really forces a replacement
  std::vector<value::Path> nowhere;  // the provider's error: in neither of the objects
  bool write_only = false;           // one of `changed` is: it replaces without a difference
};

// Which of the paths that a provider says require replacement have changed. Write-only arguments
// always count, because a change of one cannot be detected. Without a prior object nothing is
// replaced. `planned` may have marks.
Replacing changes_that_replace(const Block& schema, const value::Value& prior,
                               const value::Value& planned, std::span<const value::Path> paths);

// The attribute that a path leads to; null if it leads into one, or to something else.
const Attribute* attribute_at(const Block& schema, const value::Path& path);

// Whether the planned object is the one of before, apart from marks. Something unknown
// is a change.
bool is_unchanged(const value::Value& prior, const value::Value& planned);

// Whether the same parts of both are sensitive. If not, the object has to be updated in
// the state although its value is the same.
bool same_sensitive_parts(const value::Value& prior, const value::Value& planned);

}  // namespace tofu::schema
