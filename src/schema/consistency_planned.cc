#include <fmt/format.h>
#include <string_view>

#include "base/unicode.h"
#include "schema/consistency.h"
#include "schema/findings.h"
#include "schema/members.h"

// A plan held against the configuration and the object of before.

namespace tofu::schema {

namespace {

using value::Kind;
using value::Value;

constexpr std::string_view kUnknownBlock = "a block cannot be unknown; only its arguments can be";

// The planned value of a part: as it was, as it is configured, as it is planned.
struct Versions {
  const Value& prior;  // null if there was none
  const Value& config;
  const Value& planned;
};

// The key of the item at a position of a map, or of an object that stands for one.
std::string_view key_at(const Value& v, std::size_t i) {
  return v.kind() == Kind::Map ? v.unmarked().map_keys()[i].unmarked().as_string()
                               : std::string_view(v.type().attributes()[i].name);
}

bool has_indexes(const Value& v) { return v.kind() == Kind::List || v.kind() == Kind::Tuple; }

class PlanCheck {
 public:
  explicit PlanCheck(std::span<const PathMarks> hidden) : findings_(hidden) {}

  void block(const Block& schema, const Versions& whole) {
    if (!check_presence(whole)) return;
    parts(Members(schema), whole);
  }

  std::vector<value::PathError> all() && { return std::move(findings_).all(); }

 private:
  // Whether both are there; if only one is, that is wrong.
  bool check_presence(const Versions& whole) {
    if (whole.planned.is_null() && !whole.config.is_null()) {
      findings_.add([] { return "it is configured, but planned to be absent"; });
    } else if (whole.config.is_null() && !whole.planned.is_null()) {
      findings_.add([] { return "it is planned to exist, but not configured"; });
    }
    return !whole.config.is_null() && !whole.planned.is_null();
  }

  void parts(const Members& members, const Versions& whole) {
    const Value planned = spread_out(whole.planned);
    const Value config = spread_out(whole.config);
    if (planned.is_same(config)) return;
    members.each([&](std::size_t i, const Attribute* attribute, const NestedBlock* nested) {
      const Value& planned_part = planned.unmarked().items()[i];
      const Value absent = Value::null(planned_part.type());
      const Value& prior =
          whole.prior.kind() == Kind::Object ? whole.prior.unmarked().items()[i] : absent;
      const Versions part{prior, config.unmarked().items()[i], planned_part};
      if (same_unrefined(part.planned, part.config)) return;
      findings_.at(attribute != nullptr ? attribute->name : nested->name, [&] {
        attribute != nullptr ? this->attribute(*attribute, part) : blocks(*nested, part);
      });
    });
  }

  void attribute(const Attribute& schema, const Versions& part) {
    const Value& prior = part.prior;
    const Value& config = part.config;
    const Value& planned = part.planned;
    // The provider may say that what it has means the same as what is configured.
    if (!prior.is_null() && !config.is_null() && same_unrefined(planned, prior)) return;
    if (schema.computed && (!schema.optional || config.is_null())) return;
    if (config.is_null() && planned.is_null()) return;
    const bool hidden = schema.sensitive || findings_.is_hidden();
    if (config.is_null()) {
      findings_.add([&] {
        if (hidden) return std::string("it is sensitive and planned, but neither set nor computed");
        return fmt::format("the planned value {}, but it is neither set nor computed",
                           in_words(planned));
      });
      return;
    }
    if (planned.is_null() && schema.write_only) return;
    if (schema.nested) return nested_attribute(*schema.nested, part);
    findings_.add([&] {
      if (hidden) return std::string("the planned value differs from the configured one");
      std::string text = fmt::format("the planned value {}, but the configured value {}",
                                     in_words(planned), in_words(config));
      if (!prior.is_null()) text += fmt::format(" and the value of before {}", in_words(prior));
      return text;
    });
  }

  void nested_attribute(const NestedType& type, const Versions& part) {
    if (!check_presence(part)) return;
    if (part.planned.is_unknown()) {
      findings_.add([] { return "it is configured, but planned to be unknown"; });
      return;
    }
    const Members members(type);
    switch (type.nesting) {
      case Nesting::Single:
      case Nesting::Group: return parts(members, part);
      case Nesting::List: return items_by_index(members, part);
      case Nesting::Map: return items_by_key(members, part);
      case Nesting::Set: return set_size(part);
    }
    base::broken_promise("a nesting out of range");
  }

  // Elements of a set have no keys to compare them by, so they are left to the provider;
  // unknown ones may turn out to be equal.
  void set_size(const Versions& part) {
    if (!part.config.wholly_known()) return;
    const std::size_t wanted = part.config.unmarked().size();
    const std::size_t most = part.planned.unmarked().size();
    const std::size_t least = part.planned.wholly_known() ? most : 1;
    if (wanted < least || wanted > most) differing_count(part);
  }

  void differing_count(const Versions& part) {
    findings_.add([&] {
      if (part.config.is_unknown()) {
        return fmt::format("{} are planned, but the number of blocks is not known yet",
                           part.planned.unmarked().size());
      }
      return fmt::format("{} are planned, but {} are configured", part.planned.unmarked().size(),
                         part.config.is_null() ? 0 : part.config.unmarked().size());
    });
  }

  void item(const Members& members, const Versions& one) {
    if (members.block != nullptr && one.planned.is_unknown()) {
      findings_.add([] { return std::string(kUnknownBlock); });
      return;
    }
    if (!check_presence(one)) return;
    parts(members, one);
  }

  void items_by_index(const Members& members, const Versions& part) {
    const std::size_t wanted = has_indexes(part.config) ? part.config.unmarked().size() : 0;
    if (part.config.is_unknown() || part.planned.unmarked().size() != wanted)
      return differing_count(part);
    const std::size_t before = has_indexes(part.prior) ? part.prior.unmarked().size() : 0;
    for (std::size_t i = 0; i < wanted; ++i) {
      const Value& planned = part.planned.unmarked().items()[i];
      const Value absent = Value::null(planned.type());
      const Value& prior = i < before ? part.prior.unmarked().items()[i] : absent;
      findings_.at(i, [&] { item(members, {prior, part.config.unmarked().items()[i], planned}); });
    }
  }

  void items_by_key(const Members& members, const Versions& part) {
    if (part.config.is_unknown()) return differing_count(part);
    const bool configured = has_keys(part.config);
    for (std::size_t i = 0; i < part.planned.unmarked().size(); ++i) {
      const std::string_view key = key_at(part.planned, i);
      const Value* config = configured ? part.config.unmarked().find(key) : nullptr;
      if (config == nullptr) {
        findings_.add([&] {
          return fmt::format("the key {} is planned, but not configured", base::quote_go(key));
        });
        continue;
      }
      const Value& planned = part.planned.unmarked().items()[i];
      const Value absent = Value::null(planned.type());
      const Value* before = has_keys(part.prior) ? part.prior.unmarked().find(key) : nullptr;
      findings_.at(Value::string(key), [&] {
        item(members, {before != nullptr ? *before : absent, *config, planned});
      });
    }
    for (std::size_t i = 0; configured && i < part.config.unmarked().size(); ++i) {
      const std::string_view key = key_at(part.config, i);
      if (part.planned.unmarked().find(key) != nullptr) continue;
      findings_.add([&] {
        return fmt::format("the key {} is configured, but not planned", base::quote_go(key));
      });
    }
  }

  void blocks(const NestedBlock& nested, const Versions& part) {
    if (part.config.is_unknown()) {
      // From a `dynamic` block over something unknown: the provider cannot know better.
      findings_.add(
          [] { return "a value is planned for a number of blocks that is not known yet"; });
      return;
    }
    if (part.planned.is_unknown()) {
      findings_.add([] { return std::string(kUnknownBlock); });
      return;
    }
    if (is_one_object(nested.nesting)) return block(*nested.block, part);
    if (part.planned.is_null()) {
      findings_.add(
          [] { return "a plan without such blocks must have an empty collection, not null"; });
      return;
    }
    const Members members(*nested.block);
    if (nested.nesting == Nesting::List) return items_by_index(members, part);
    if (nested.nesting == Nesting::Map) return items_by_key(members, part);
    for (const Value& element : part.planned.unmarked().items()) {
      if (!element.is_unknown()) continue;
      findings_.at(element, [&] { findings_.add([] { return std::string(kUnknownBlock); }); });
    }
  }

  Findings findings_;
};

}  // namespace

std::vector<value::PathError> check_planned(const Block& schema, const Value& prior,
                                            const Value& config, const Value& planned,
                                            std::span<const PathMarks> hidden) {
  PlanCheck check(hidden);
  check.block(schema, {prior, config, planned});
  return std::move(check).all();
}

}  // namespace tofu::schema
