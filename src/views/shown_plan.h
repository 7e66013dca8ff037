// The parts of a plan that people see, in order: the same in a terminal and on a page.
//
// Each view brings its own frame; which changes, outputs and drift are worth telling is
// decided here once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plans/plan.h"
#include "schema/provider.h"
#include "views/change_diff.h"
#include "views/change_header.h"
#include "views/diff.h"
#include "views/path_filter.h"
#include "views/secret_copies.h"

namespace tofu::views {

class ShownPlan {
 public:
  // All outlive this. `copies` are covered in what drifted.
  ShownPlan(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
            const SecretCopies* copies = nullptr)
      : plan_(plan), schemas_(plan.addresses, schemas), copies_(copies) {}

  // In the order of display, as positions in plan.changes: what there is something to
  // say about.
  std::vector<std::uint32_t> changes() const;
  const schema::ResourceSchema* schema_of(const plans::ResourceChange& change) const {
    return schemas_.find(change.resource);
  }

  // By name.
  std::vector<const plans::OutputChange*> outputs() const;

  // Calls `begin` if anything that was changed outside matters to this plan, then `show`
  // for each such object that there is something to show of. Whether it called `begin`.
  bool for_each_drift(const std::function<void()>& begin,
                      const std::function<void(const plans::ResourceChange&, const Diff&)>& show);

 private:
  // The relevant parts of a drifted object. Nothing if none of it does.
  std::optional<PathFilter> relevant(const plans::ResourceChange& change);
  bool changes_nothing();

  const plans::Plan& plan_;
  SchemaLookup schemas_;
  const SecretCopies* copies_;
  std::unordered_map<std::string, std::vector<value::Path>> relevant_paths_;  // by address
};

struct ChangeTextOptions {
  bool color = false;
  bool show_sensitive = false;
};

// One change with the comment lines above it; ends with a line feed.
void append_change_text(std::string& out, const plans::Addresses& addresses,
                        const plans::ResourceChange& change, const Diff& diff, ChangeCause cause,
                        const ChangeTextOptions& options);

}  // namespace tofu::views
