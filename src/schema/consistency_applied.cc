#include <fmt/format.h>

#include "base/counted.h"
#include "base/unicode.h"
#include "schema/consistency.h"
#include "schema/element_index.h"
#include "schema/findings.h"
#include "schema/members.h"
#include "schema/selection.h"
#include "value/convert.h"
#include "value/operations.h"

// An object held against its plan: whatever was known in the plan has to be the same,
// and whatever was not has to be what was known of it.

namespace tofu::schema {

namespace {

using value::Kind;
using value::Type;
using value::Value;

bool is_false(const Value& v) { return v.kind() == Kind::Bool && !v.unmarked().as_bool(); }
bool is_there(const Value& v) { return !v.is_null() && !v.is_unknown(); }

// Whether an attribute or anything inside it is sensitive.
bool holds_secrets(const Attribute& attribute) {
  if (attribute.sensitive) return true;
  if (!attribute.nested) return false;
  for (const Attribute& inside : attribute.nested->attributes) {
    if (holds_secrets(inside)) return true;
  }
  return false;
}

// Compares values of attributes, whose parts no schema describes. Keeps a list of its
// own in place of the stack, since such values may be nested as deep as memory allows;
// only sets inside sets, which have to be tried out, recurse.
class ValueCheck {
 public:
  explicit ValueCheck(Findings& findings) : findings_(findings) {}

  void run(const Value& planned, const Value& actual) {
    compare({kNowhere, 0, &planned, &actual});
    for (std::size_t i = 0; i < open_.size() && !findings_.is_over(); ++i) inside(i);
  }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  struct Pair {
    std::size_t around;  // in open_
    std::size_t position;
    const Value* planned;
    const Value* actual;
  };

  template <class Make>
  void wrong(const Pair& pair, Make&& make_text) {
    if (findings_.is_silent()) return findings_.add(make_text);
    std::vector<const Pair*> way;
    for (const Pair* at = &pair; at->around != kNowhere; at = &open_[at->around]) way.push_back(at);
    add_along(way, make_text);
  }

  // Not a path for each pair: most pairs are fine.
  template <class Make>
  void add_along(std::span<const Pair* const> way, Make&& make_text) {
    std::vector<value::PathStep> steps;
    for (std::size_t i = way.size(); i-- > 0;) {
      const Value& around = *open_[way[i]->around].planned;
      const std::size_t position = way[i]->position;
      if (around.kind() == Kind::Object) {
        steps.emplace_back(value::AttributeStep{around.type().attributes()[position].name});
      } else if (around.kind() == Kind::Map) {
        steps.emplace_back(value::IndexStep{around.unmarked().map_keys()[position]});
      } else {
        steps.emplace_back(value::IndexStep{Value::integer(static_cast<std::int64_t>(position))});
      }
    }
    findings_.add_along(std::move(steps), make_text);
  }

  // Everything about a pair but its items.
  void compare(const Pair& pair) {
    const Value& planned = *pair.planned;
    const Value& actual = *pair.actual;
    if (planned.is_same(actual) && planned.wholly_known()) return;
    if (planned.type().is_dynamic()) return;  // nothing was promised
    if (!conforms(actual.type(), planned.type())) {
      return wrong(pair, [&] {
        return "the type differs from the planned type: " +
               value::mismatch_message(actual.type(), planned.type());
      });
    }
    if (planned.is_unknown()) {
      if (!is_false(equals(planned, actual))) return;
      return wrong(pair, [&] {
        return fmt::format("the new value {}, which the plan excluded", in_words(actual));
      });
    }
    if (planned.is_null() && actual.is_null()) return;
    if (actual.is_unknown()) {
      return wrong(pair, [] { return "it was known in the plan and is now unknown"; });
    }
    if (planned.is_null() || actual.is_null() || !has_items(planned)) {
      if (!planned.is_null() && !actual.is_null() && !is_false(equals(planned, actual))) return;
      return wrong(pair, [&] {
        return fmt::format("the planned value {}, but the new value {}", in_words(planned),
                           in_words(actual));
      });
    }
    open_.push_back(pair);
  }

  void inside(std::size_t i) {
    const Pair pair = open_[i];
    const Value& planned = *pair.planned;
    const Value& actual = *pair.actual;
    if (planned.kind() == Kind::Set) return compare_sets(pair);
    if (planned.kind() == Kind::Map) return compare_maps(i);
    const std::size_t common = std::min(planned.unmarked().size(), actual.unmarked().size());
    for (std::size_t k = 0; k < common && !findings_.is_over(); ++k) {
      compare({i, k, &planned.unmarked().items()[k], &actual.unmarked().items()[k]});
    }
    for (std::size_t k = common; k < planned.unmarked().size(); ++k) {
      wrong(pair, [&] { return fmt::format("element {} is missing", k); });
    }
    for (std::size_t k = common; k < actual.unmarked().size(); ++k) {
      wrong(pair, [&] { return fmt::format("element {} was not planned", k); });
    }
  }

  void compare_maps(std::size_t i) {
    const Pair pair = open_[i];
    const Value& planned = *pair.planned;
    const Value& actual = *pair.actual;
    for (std::size_t k = 0; k < planned.unmarked().size() && !findings_.is_over(); ++k) {
      const std::string_view key = planned.unmarked().map_keys()[k].unmarked().as_string();
      if (const Value* item = actual.unmarked().find(key)) {
        compare({i, k, &planned.unmarked().items()[k], item});
      } else {
        wrong(pair, [&] { return fmt::format("element {} is missing", base::quote_go(key)); });
      }
    }
    for (const Value& key : actual.unmarked().map_keys()) {
      if (planned.unmarked().find(key.unmarked().as_string()) != nullptr) continue;
      wrong(pair, [&] {
        return fmt::format("element {} was not planned",
                           base::quote_go(key.unmarked().as_string()));
      });
    }
  }

  void compare_sets(const Pair& pair);

  Findings& findings_;
  std::vector<Pair> open_;
};

// Says which elements of two sets belong to none of the other, by clauses that `wrong` takes.
// `could_be(planned, actual)` returns whether two elements belong together; one may belong to
// several, since unknown elements may turn out to be equal. `must_equal` says in which parts of an
// element both have to agree then.
template <class CouldBe, class MustEqual, class Wrong>
void match_sets(const Value& planned, const Value& actual, CouldBe&& could_be,
                MustEqual&& must_equal, Wrong&& wrong) {
  const auto want = planned.unmarked().items();
  const auto have = actual.unmarked().items();
  std::vector<bool> covered(have.size());
  for (std::size_t i = 0; i < have.size(); ++i)
    covered[i] = planned.unmarked().set_contains(have[i]);
  ElementIndex index(have);
  bool all_found = true;
  for (const Value& element : want) {
    if (actual.unmarked().set_contains(element)) continue;
    bool found = false;
    for (const std::uint32_t at : index.candidates(must_equal(element), element)) {
      if ((found && covered[at]) || !could_be(element, have[at])) continue;
      found = true;
      covered[at] = true;
    }
    if (found) continue;
    all_found = false;
    wrong(
        [&] { return fmt::format("a planned element, which {}, is missing", in_words(element)); });
  }
  // Otherwise what is missing would be reported again as something else that appeared.
  for (std::size_t i = 0; all_found && i < have.size(); ++i) {
    if (covered[i]) continue;
    wrong([&] { return fmt::format("an element, which {}, was not planned", in_words(have[i])); });
  }
  // Elements may turn out to be equal, so there may be fewer, but never more.
  if (have.size() > want.size()) {
    wrong([&] {
      return fmt::format(
          "{} planned, now {}",
          base::counted(want.size(), "element") + (want.size() == 1 ? " was" : " were"),
          have.size());
    });
  }
}

// The parts of an element that are known, and so have to stay as they are.
std::vector<bool> known_parts(const Value& element) {
  std::vector<bool> known;
  if (element.kind() != Kind::Object) return known;
  for (const Value& part : element.unmarked().items()) {
    known.push_back(part.wholly_known() && !part.type().is_dynamic());
  }
  return known;
}

void ValueCheck::compare_sets(const Pair& pair) {
  match_sets(
      *pair.planned, *pair.actual,
      [](const Value& planned, const Value& actual) {
        Findings silent = Findings::silent();
        ValueCheck(silent).run(planned, actual);
        return !silent.any();
      },
      known_parts, [&](auto&& make_text) { wrong(pair, make_text); });
}

class ApplyCheck {
 public:
  explicit ApplyCheck(Findings& findings) : findings_(findings) {}

  void block(const Block& schema, const Value& whole_planned, const Value& whole_actual) {
    if (whole_planned.is_null() != whole_actual.is_null()) {
      findings_.add([&] {
        return whole_planned.is_null() ? "it was planned to be absent, but is now present"
                                       : "it was planned to exist, but is now absent";
      });
    }
    if (whole_planned.is_null() || whole_actual.is_null()) return;
    const Value planned = spread_out(whole_planned);
    const Value actual = spread_out(whole_actual);
    Members(schema).each([&](std::size_t i, const Attribute* part, const NestedBlock* nested) {
      const Value& want = planned.unmarked().items()[i];
      const Value& have = actual.unmarked().items()[i];
      if (findings_.is_over() || raw_equal(want, have)) return;
      findings_.at(part != nullptr ? part->name : nested->name, [&] {
        part != nullptr ? attribute(*part, want, have) : blocks(*nested, want, have);
      });
    });
  }

 private:
  void attribute(const Attribute& schema, const Value& planned, const Value& actual) {
    const std::size_t before = findings_.size();
    ValueCheck(findings_).run(planned, actual);
    if (findings_.size() == before) return;
    if (!holds_secrets(schema) && !findings_.is_hidden()) return;
    findings_.drop_after(before);
    findings_.add(
        [] { return "the planned and the new value of this sensitive attribute differ"; });
  }

  void blocks(const NestedBlock& nested, const Value& planned, const Value& actual) {
    switch (nested.nesting) {
      case Nesting::Single:
      case Nesting::Group:
        // Blocks that were not known to be there may turn out to be absent.
        if (planned.is_unknown() && actual.is_null()) return;
        return block(*nested.block, planned, actual);
      case Nesting::List: return by_index(*nested.block, planned, actual);
      case Nesting::Map: return by_key(*nested.block, planned, actual);
      case Nesting::Set: return by_match(*nested.block, planned, actual);
    }
    base::broken_promise("a nesting out of range");
  }

  void differing_count(const Value& planned, const Value& actual) {
    findings_.add([&] {
      return fmt::format("{} blocks were planned, now {}", planned.unmarked().size(),
                         actual.unmarked().size());
    });
  }

  void by_index(const Block& schema, const Value& planned, const Value& actual) {
    if (!is_there(planned) || !is_there(actual)) return;
    if (planned.unmarked().size() != actual.unmarked().size())
      return differing_count(planned, actual);
    for (std::size_t i = 0; i < planned.unmarked().size() && !findings_.is_over(); ++i) {
      findings_.at(
          i, [&] { block(schema, planned.unmarked().items()[i], actual.unmarked().items()[i]); });
    }
  }

  void by_key(const Block& schema, const Value& planned, const Value& actual) {
    if (!has_keys(planned) || !has_keys(actual)) return;
    if (planned.kind() == Kind::Map && planned.unmarked().size() != actual.unmarked().size()) {
      return differing_count(planned, actual);
    }
    value::for_each_element(planned.unmarked(), [&](const Value& key, const Value& item) {
      if (const Value* other = actual.unmarked().find(key.unmarked().as_string())) {
        findings_.at(key, [&] { block(schema, item, *other); });
        return;
      }
      findings_.add([&] {
        return fmt::format("the block {} is missing", base::quote_go(key.unmarked().as_string()));
      });
    });
    value::for_each_element(actual.unmarked(), [&](const Value& key, const Value&) {
      if (planned.unmarked().find(key.unmarked().as_string()) != nullptr) return;
      findings_.add([&] {
        return fmt::format("the block {} was not planned",
                           base::quote_go(key.unmarked().as_string()));
      });
    });
  }

  void by_match(const Block& schema, const Value& planned, const Value& actual) {
    if (!is_there(planned) || !is_there(actual)) return;
    match_sets(
        planned, actual,
        [&](const Value& want, const Value& have) {
          Findings silent = Findings::silent();
          ApplyCheck(silent).block(schema, want, have);
          return !silent.any();
        },
        [&](const Value& element) {
          std::vector<bool> known = known_parts(element);
          Members(schema).each([&](std::size_t i, const Attribute* part, const NestedBlock*) {
            if (part == nullptr && i < known.size()) known[i] = false;
          });
          return known;
        },
        [&](auto&& make_text) { findings_.add(make_text); });
  }

  Findings& findings_;
};

}  // namespace

std::vector<value::PathError> check_applied(const Block& schema, const Value& planned,
                                            const Value& actual,
                                            std::span<const PathMarks> hidden) {
  Findings findings(hidden);
  ApplyCheck(findings).block(schema, planned, actual);
  return std::move(findings).all();
}

}  // namespace tofu::schema
