// The diff of a planned change, with all it points into.
//
// Kept together because the values' texts and the schema's names have to outlive the diff,
// and so has the arena that they were made in; a view makes one, writes it and lets it go.
#pragma once

#include <vector>

#include "base/arena.h"
#include "plans/change.h"
#include "plans/plan.h"
#include "schema/provider.h"
#include "views/diff.h"
#include "views/plain_value.h"
#include "views/secret_copies.h"

namespace tofu::views {

// The schemas of a plan's resources: by number, since there are many more changes than
// resources.
class SchemaLookup {
 public:
  SchemaLookup(const plans::Addresses& addresses, const schema::ProviderSchemas& schemas);

  // Null if the provider is not available, or has no such type.
  const schema::ResourceSchema* find(plans::ResourceId resource) const {
    return found_[resource.index];
  }

 private:
  std::vector<const schema::ResourceSchema*> found_;
};

const schema::ResourceSchema* find_schema(const schema::ProviderSchemas& schemas,
                                          const addrs::Provider& provider,
                                          const addrs::Resource& resource);

class ChangeDiff {
 public:
  // All arguments outlive this. Without a schema the values decide. `copies` are covered, too.
  ChangeDiff(base::Arena& arena, const plans::ResourceChange& change,
             const schema::ResourceSchema* schema, PathFilter relevant = PathFilter::all(),
             const SecretCopies* copies = nullptr);
  ChangeDiff(base::Arena& arena, const plans::OutputChange& change,
             const SecretCopies* copies = nullptr);
  ChangeDiff(const ChangeDiff&) = delete;
  ChangeDiff& operator=(const ChangeDiff&) = delete;

  const Diff& diff() const { return diff_; }
  const PlainValue& before() const { return before_; }
  const PlainValue& after() const { return after_; }

 private:
  void cover(base::Arena& arena, const SecretCopies* copies);

  PlainValue before_;
  PlainValue after_;
  Diff diff_;
};

}  // namespace tofu::views
