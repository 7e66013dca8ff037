#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "engine/find_module.h"
#include "engine/moves.h"
#include "eval/graph.h"

namespace tofu::engine {

namespace {

std::string_view noun_of(MoveKind kind) {
  switch (kind) {
    case MoveKind::ModuleCall: return "module";
    case MoveKind::ModuleInstance: return "module instance";
    case MoveKind::Resource: return "resource";
    case MoveKind::ResourceInstance: return "resource instance";
  }
  base::broken_promise("kind of move out of range");
}

// An end of a statement in one instance of the module that makes it.
struct Place {
  addrs::ModuleInstance module;
  addrs::ResourceInstance object;
  std::string text;  // as people are shown it; different for places of one kind
};

class Check {
 public:
  Check(const config::Tree& tree, const DeclaredInstances& declared, diag::Diagnostics& diags)
      : tree_(tree), declared_(declared), diags_(diags) {}

  void look_at(const MoveStatement& statement) {
    for (const addrs::ModuleInstance& module : declared_.of_module(statement.declared_in)) {
      const Place from = place_of(module, statement, statement.from);
      const Place to = place_of(module, statement, statement.to);
      if (from.text == to.text) {
        diags_.error("A move to the same address")
            .detail(
                fmt::format("This says that {} moved to where it is. Remove the block.", from.text))
            .at(statement.range);
        continue;
      }
      if (exists(statement.kind, from)) {
        diags_.error("The moved object still exists")
            .detail(fmt::format(
                "This says that {} moved, but the configuration still has that {}. Declare it as "
                "{} instead, or remove the block.",
                from.text, noun_of(statement.kind), to.text))
            .at(statement.range);
      }
      look_at(statement, from.text, to.text);
    }
  }

 private:
  Place place_of(addrs::ModuleInstance module, const MoveStatement& statement,
                 const MoveEnd& end) const {
    module.steps.insert(module.steps.end(), end.module.steps.begin(), end.module.steps.end());
    Place place{std::move(module), end.object, {}};
    switch (statement.kind) {
      case MoveKind::ModuleCall: place.module.steps.back().key = {}; [[fallthrough]];
      case MoveKind::ModuleInstance: place.text = place.module.to_string(); break;
      case MoveKind::Resource:
        place.text = addrs::AbsResource{place.module, place.object.resource}.to_string();
        break;
      case MoveKind::ResourceInstance:
        place.text = addrs::AbsResourceInstance{place.module, place.object}.to_string();
        break;
    }
    return place;
  }

  bool exists(MoveKind kind, const Place& place) const {
    switch (kind) {
      case MoveKind::ModuleCall:
        return find_module(tree_, place.module) != nullptr &&
               declared_.has_module(place.module.parent());
      case MoveKind::ModuleInstance: return declared_.has_module(place.module);
      case MoveKind::Resource: {
        const config::TreeNode* node = find_module(tree_, place.module);
        return node != nullptr && node->module->resource(place.object.resource) != nullptr &&
               declared_.has_module(place.module);
      }
      case MoveKind::ResourceInstance: return declared_.has_instance({place.module, place.object});
    }
    base::broken_promise("kind of move out of range");
  }

  // There is one destination for each origin and one origin for each destination.
  void look_at(const MoveStatement& statement, const std::string& from, const std::string& to) {
    const std::string_view noun = noun_of(statement.kind);
    // Different kinds of things may have the same text.
    const std::string kind(1, static_cast<char>('0' + static_cast<int>(statement.kind)));
    const auto& there = destinations_.try_emplace(kind + from, to).first->second;
    if (there != to) {
      diags_.error("Contradicting moves")
          .detail(fmt::format("This says that {} moved to {}, another statement that it moved to "
                              "{}. A {} can only have one destination: remove one of the two.",
                              from, to, there, noun))
          .at(statement.range);
    }
    const auto& origin = origins_.try_emplace(kind + to, from).first->second;
    if (origin != from) {
      diags_.error("Contradicting moves")
          .detail(fmt::format("This says that {} moved to {}, another statement that {} moved "
                              "there. A {} can only have one origin: remove one of the two.",
                              from, to, origin, noun))
          .at(statement.range);
    }
  }

  const config::Tree& tree_;
  const DeclaredInstances& declared_;
  diag::Diagnostics& diags_;
  std::unordered_map<std::string, std::string> destinations_;
  std::unordered_map<std::string, std::string> origins_;
};

}  // namespace

void check_moves(const std::vector<MoveStatement>& statements, const config::Tree& tree,
                 const DeclaredInstances& declared, diag::Diagnostics& diags) {
  if (statements.empty()) return;
  const std::size_t errors_before = diags.error_count();
  Check check(tree, declared, diags);
  for (const MoveStatement& statement : statements) check.look_at(statement);
  // What makes a circle is often one of the mistakes above, which say what to do.
  if (diags.error_count() != errors_before) return;
  for (const auto& cycle : eval::order(waits_of(statements)).cycles) {
    std::vector<std::string> lines;
    for (const std::uint32_t i : cycle) {
      const MoveStatement& each = statements[i];
      lines.push_back(
          fmt::format("\n  {} moved to {}", describe(each, each.from), describe(each, each.to)));
    }
    std::ranges::sort(lines);
    diags.error("Moves that go in a circle")
        .detail(fmt::format("These moves lead back to where they begin, so that nothing has a "
                            "last address:{}\n\nThe last of a chain of moves has to lead to an "
                            "address that nothing moves away from.",
                            fmt::join(lines, "")));
  }
}

void warn_of_blocked_moves(const MoveOutcome& outcome, diag::Diagnostics& diags) {
  if (outcome.blocked.empty()) return;
  std::string list;
  for (const auto& [stays, wanted] : outcome.blocked) {
    list += fmt::format("\n  {} could not be moved to {}", stays, wanted);
  }
  diags.warning("Objects that could not be moved")
      .detail(fmt::format("The configuration says that these objects have moved, but the state has "
                          "other objects at their new addresses:{}\n\nThey are going to be "
                          "destroyed. If that is not what you want, use \"tofu state mv\" or "
                          "\"tofu state rm\" first and plan again.",
                          list));
}

}  // namespace tofu::engine
