#include "state/recovery.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/overloaded.h"
#include "base/shell_text.h"
#include "state/object_text.h"

namespace tofu::state {

std::string subject_text(const addrs::AbsResourceInstance& address,
                         const std::string& deposed_key) {
  if (deposed_key.empty()) return address.to_string();
  return fmt::format("{} (deposed object {})", address.to_string(), deposed_key);
}

namespace {

// The records of a subject that were not followed by their ends, by the subject's text.
using OpenRecords = std::map<std::string, std::size_t>;

// The objects of a journal's provisioners that had not all run.
OpenRecords open_provisioning(const Journal& journal) {
  OpenRecords open;
  for (std::size_t i = 0; i < journal.records.size(); ++i) {
    std::visit(base::Overloaded{
                   [&](const JournalProvisioning& one) {
                     const std::string text = subject_text(one.address, one.deposed_key);
                     if (one.ended) {
                       open.erase(text);
                     } else {
                       open.insert_or_assign(text, i);
                     }
                   },
                   [&](const JournalDone& done) {
                     open.erase(subject_text(done.address, done.deposed_key));
                   },
                   [](const auto&) {},
               },
               journal.records[i]);
  }
  return open;
}

std::vector<std::size_t> in_order(const OpenRecords& open) {
  std::vector<std::size_t> order;
  for (const auto& [text, index] : open) order.push_back(index);
  std::ranges::sort(order);
  return order;
}

// Which of the two says how things are.
enum class Rule : std::uint8_t { JournalWins, StateWins };

// Whether the instance has the object under another key: it was deposed since, or restored.
bool is_under_another_key(const State& state, const JournalDone& done, const Object& object) {
  const Instance* instance = state.instance(done.address);
  if (instance == nullptr) return false;
  const auto is_it = [&](const Object& other) { return other.attributes() == object.attributes(); };
  return (instance->current() != nullptr && is_it(*instance->current())) ||
         std::ranges::any_of(instance->deposed(),
                             [&](const auto& deposed) { return is_it(deposed.second); });
}

bool apply(const JournalDone& done, const Object& object, Rule rule, Recovery& recovery) {
  const Object* before = recovery.state.object(done.address, done.deposed_key);
  const bool same = before != nullptr ? *before == object : !object;
  if (same) return false;
  const std::string subject = subject_text(done.address, done.deposed_key);
  if (rule == Rule::StateWins && before != nullptr) {
    recovery.effects.push_back({subject, Effect::Keep, done.address});
    return false;
  }
  if (rule == Rule::StateWins && is_under_another_key(recovery.state, done, object)) return false;
  const Effect effect = before == nullptr ? Effect::Add : object ? Effect::Update : Effect::Remove;
  recovery.effects.push_back({subject, effect, done.address});
  recovery.state.set_object(done.address, done.deposed_key, object, done.provider);
  return true;
}

bool apply(State& state, const JournalOutput& record) {
  const auto before = state.outputs.find(record.name);
  if (!record.output) return state.outputs.erase(record.name) > 0;
  if (before != state.outputs.end() && before->second == *record.output) return false;
  state.outputs.insert_or_assign(record.name, *record.output);
  return true;
}

bool apply(State& state, const JournalCheck& check) {
  const auto before = std::ranges::find_if(state.checks, [&](const CheckResult& other) {
    return other.kind == check.result.kind && other.address == check.result.address;
  });
  if (before == state.checks.end()) {
    state.checks.push_back(check.result);
    return true;
  }
  if (*before == check.result) return false;
  *before = check.result;
  return true;
}

// The objects about which a provider was asked, as far as the journal has it.
std::set<addrs::AbsResourceInstance> begun_in(const Journal& journal) {
  std::set<addrs::AbsResourceInstance> begun;
  for (const JournalRecord& record : journal.records) {
    if (const auto* intent = std::get_if<JournalIntent>(&record)) begun.insert(intent->address);
  }
  return begun;
}

// Whether the journal has what is current of another address or key, too.
bool is_elsewhere_in(const Journal& journal, const JournalDone& done, const Object& object) {
  return std::ranges::any_of(journal.records, [&](const JournalRecord& record) {
    const auto* other = std::get_if<JournalDone>(&record);
    return other != nullptr && other->object && id_of(other->object) == id_of(object) &&
           (other->address != done.address || !other->deposed_key.empty());
  });
}

// Finds objects of a damaged journal that the state may have at another address, because their
// move was in the damaged record: with both in the state, the next plan would destroy the object.
class UnseenMoves {
 public:
  UnseenMoves(const State& state, const Journal& journal) : state_(state) {
    std::set<addrs::AbsResourceInstance> told;
    for (const JournalRecord& record : journal.records) {
      const auto* intent = std::get_if<JournalIntent>(&record);
      if (intent != nullptr && intent->action == Action::Create) created_.insert(intent->address);
      const auto* done = std::get_if<JournalDone>(&record);
      if (done != nullptr && done->deposed_key.empty()) told.insert(done->address);
    }
    for (const Resource* resource : state.resources_by_address()) {
      if (resource->address().object.mode != addrs::ResourceMode::Managed) continue;
      resource->for_each([&](const Instance& instance) {
        const auto address = addrs::instance_of(resource->address(), instance.key());
        if (instance.current() != nullptr && !told.contains(address)) {
          add(address, id_of(*instance.current()));
        }
      });
    }
  }

  // Where the state may contain the result that `done` records.
  std::optional<addrs::AbsResourceInstance> origin_of(const JournalDone& done) const {
    const Object* before = state_.object(done.address);
    if (!done.object || !done.deposed_key.empty() || created_.contains(done.address) ||
        done.address.object.resource.mode != addrs::ResourceMode::Managed ||
        (before != nullptr && id_of(*before) == id_of(done.object))) {
      return std::nullopt;
    }
    const std::string id = id_of(done.object);
    const std::string& type = done.address.object.resource.type;
    if (id.empty()) return in(of_type_, type);
    const auto found = in(by_id_, id);
    return found ? found : in(without_id_, type);
  }

 private:
  using Places = std::map<std::string, addrs::AbsResourceInstance>;

  void add(const addrs::AbsResourceInstance& address, const std::string& id) {
    const std::string& type = address.object.resource.type;
    of_type_.emplace(type, address);
    if (id.empty()) {
      without_id_.emplace(type, address);
    } else {
      by_id_.emplace(id, address);
    }
  }

  static std::optional<addrs::AbsResourceInstance> in(const Places& places,
                                                      const std::string& name) {
    const auto found = places.find(name);
    if (found == places.end()) return std::nullopt;
    return found->second;
  }

  const State& state_;
  std::set<addrs::AbsResourceInstance> created_;
  // The first of each. An object without an id may be any of its resource type.
  Places by_id_;
  Places without_id_;
  Places of_type_;
};

// As a clause; empty if there is nothing unclear.
std::string describe_ambiguity(const State& state, const Journal& journal) {
  if (!journal.damage) return {};
  const UnseenMoves moves(state, journal);
  for (const JournalRecord& record : journal.records) {
    const auto* done = std::get_if<JournalDone>(&record);
    const auto origin = done == nullptr ? std::nullopt : moves.origin_of(*done);
    if (!origin) continue;
    return fmt::format(
        "it is damaged at byte {}, and its object {} may be the one that the state has as {}, "
        "moved in the damaged record. If it is, run \"tofu state rm {}\" once the state has "
        "both, or the next plan destroys the object",
        journal.damage->offset, done->address.to_string(), origin->to_string(),
        base::shell_quoted(origin->to_string()));
  }
  return {};
}

// An object of which the journal does not say how it came to be in the place of another may be
// its successor: the other one is deposed then, so that it is not forgotten if it still exists.
void keep_displaced(const JournalDone& done, const Journal& journal, State& state) {
  const Object* before = state.object(done.address);
  if (!done.deposed_key.empty() || !done.object || before == nullptr ||
      id_of(*before) == id_of(done.object) || is_elsewhere_in(journal, done, *before)) {
    return;
  }
  std::string key;
  for (int number = 1; key.empty() || state.object(done.address, key) != nullptr; ++number) {
    key = fmt::format("{:08x}", number);
  }
  const Object kept = *before;
  state.set_object(done.address, key, kept, done.provider);
}

// Only the last word about each thing counts, so that a state which went through all
// of them is not changed back and forth.
std::vector<const JournalRecord*> last_words(const Journal& journal) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < journal.records.size(); ++i) {
    std::visit(base::Overloaded{
                   [&](const JournalDone& done) {
                     last["d" + subject_text(done.address, done.deposed_key)] = i;
                   },
                   [&](const JournalOutput& output) { last["o" + output.name] = i; },
                   [&](const JournalCheck& check) { last["c" + check.result.address] = i; },
                   [](const auto&) {},
               },
               journal.records[i]);
  }
  std::vector<std::size_t> order;
  for (const auto& [name, index] : last) order.push_back(index);
  std::ranges::sort(order);
  std::vector<const JournalRecord*> words;
  for (const std::size_t index : order) words.push_back(&journal.records[index]);
  return words;
}

void apply_all(const Journal& journal, Rule rule, Recovery& recovery) {
  const OpenRecords provisioning = open_provisioning(journal);
  const auto is_tainted = [&](const JournalDone& done) {
    const auto found = provisioning.find(subject_text(done.address, done.deposed_key));
    return found != provisioning.end() && done.object &&
           std::get<JournalProvisioning>(journal.records[found->second]).action == Action::Create;
  };
  const bool is_damaged = journal.damage && rule == Rule::JournalWins;
  const auto begun = is_damaged ? begun_in(journal) : std::set<addrs::AbsResourceInstance>();
  for (const JournalRecord* record : last_words(journal)) {
    const bool changed = std::visit(
        base::Overloaded{
            [&](const JournalDone& done) {
              if (is_damaged && !begun.contains(done.address)) {
                keep_displaced(done, journal, recovery.state);
              }
              return apply(
                  done,
                  is_tainted(done) ? done.object.with_status(ObjectStatus::Tainted) : done.object,
                  rule, recovery);
            },
            [&](const JournalOutput& output) {
              return rule == Rule::JournalWins && apply(recovery.state, output);
            },
            [&](const JournalCheck& check) {
              return rule == Rule::JournalWins && apply(recovery.state, check);
            },
            [](const auto&) { return false; },
        },
        *record);
    recovery.changed = recovery.changed || changed;
  }
  std::ranges::sort(recovery.effects, [](const ObjectEffect& a, const ObjectEffect& b) {
    return a.address == b.address ? a.subject < b.subject : a.address < b.address;
  });
  for (const ObjectEffect& one : recovery.effects) {
    if (one.effect != Effect::Keep) recovery.recovered.push_back(one.subject);
  }
}

std::vector<InFlight> calls_in_flight(const Journal& journal) {
  OpenRecords open;
  for (std::size_t i = 0; i < journal.records.size(); ++i) {
    std::visit(base::Overloaded{
                   [&](const JournalIntent& intent) {
                     open.insert_or_assign(subject_text(intent.address, intent.deposed_key), i);
                   },
                   [&](const JournalLost& lost) {
                     // The intent says since when.
                     open.emplace(subject_text(lost.address, lost.deposed_key), i);
                   },
                   [&](const JournalDone& done) {
                     open.erase(subject_text(done.address, done.deposed_key));
                   },
                   [](const auto&) {},
               },
               journal.records[i]);
  }
  std::vector<InFlight> calls;
  for (const std::size_t index : in_order(open)) {
    if (const auto* intent = std::get_if<JournalIntent>(&journal.records[index])) {
      calls.push_back({intent->address, intent->deposed_key, intent->action, intent->time});
    } else {
      const auto& lost = std::get<JournalLost>(journal.records[index]);
      calls.push_back({lost.address, lost.deposed_key, lost.action, lost.time});
    }
  }
  return calls;
}

std::vector<HalfProvisioned> half_provisioned(const Journal& journal) {
  std::vector<HalfProvisioned> objects;
  for (const std::size_t index : in_order(open_provisioning(journal))) {
    const auto& one = std::get<JournalProvisioning>(journal.records[index]);
    objects.push_back({one.address, one.deposed_key, one.action, one.time});
  }
  return objects;
}

// Whether the run began with this state, or stored it on its way.
bool is_of_this_run(const State* state, const Journal& journal) {
  const JournalBegin& begin = *journal.begin();
  if (state == nullptr) return begin.is_new;
  if (state->lineage != begin.lineage) return false;
  if (state->serial == begin.serial && !begin.is_new) return true;
  const auto saved = std::ranges::find_if(journal.records, [&](const JournalRecord& record) {
    const auto* saving = std::get_if<JournalSaving>(&record);
    return saving != nullptr && saving->serial == state->serial;
  });
  return saved != journal.records.end() &&
         std::get<JournalSaving>(*saved).digest == content_digest(*state);
}

std::string describe_conflict(const State* state, const JournalBegin& begin) {
  const std::string journal = fmt::format(
      "the journal is of a run on serial {} of the lineage \"{}\"", begin.serial, begin.lineage);
  if (state == nullptr) return journal + ", but no state exists";
  return fmt::format("{}, but the state has serial {} of the lineage \"{}\"", journal,
                     state->serial, state->lineage);
}

// Calls in progress when a run was interrupted are settled where a newer state knows the object.
void leave_out_known(const State& state, Recovery& recovery) {
  std::erase_if(recovery.in_flight, [&](const InFlight& call) {
    return call.action != Action::Create || state.object(call.address, call.deposed_key) != nullptr;
  });
  std::erase_if(recovery.half_provisioned, [&](const HalfProvisioned& object) {
    return state.object(object.address, object.deposed_key) != nullptr;
  });
}

}  // namespace

Recovery recover(const State* state, const Journal& journal) {
  Recovery recovery;
  if (state != nullptr) recovery.state = *state;
  // An end after damage may belong to what is lost, but a state was stored then.
  if (journal.records.empty() || journal.has_ended()) return recovery;
  recovery.in_flight = calls_in_flight(journal);
  recovery.half_provisioned = half_provisioned(journal);

  const JournalBegin& begin = *journal.begin();
  if (state == nullptr) {
    recovery.state.lineage = begin.lineage;
    recovery.state.serial = begin.serial;
  }
  const bool is_same_lineage = state == nullptr || state->lineage == begin.lineage;
  const bool is_of_run = is_of_this_run(state, journal);
  const bool is_newer = !is_of_run && state != nullptr && is_same_lineage &&
                        (state->serial > begin.serial || begin.is_new);
  recovery.is_other_lineage = !is_same_lineage;
  const Rule rule = is_newer || !is_same_lineage ? Rule::StateWins : Rule::JournalWins;
  apply_all(journal, rule, recovery);
  if (is_newer) leave_out_known(*state, recovery);
  const std::string ambiguity =
      is_of_run && state != nullptr ? describe_ambiguity(*state, journal) : "";
  if (!ambiguity.empty()) {
    recovery.verdict = Verdict::Conflict;
    recovery.is_ambiguous = true;
    recovery.conflict = ambiguity;
  } else if (is_of_run) {
    recovery.verdict = Verdict::Apply;
  } else if (is_newer) {
    recovery.verdict = recovery.changed ? Verdict::Offer : Verdict::Contained;
  } else if (recovery.effects.empty() && recovery.in_flight.empty() && !recovery.changed) {
    recovery.verdict = Verdict::Contained;
  } else {
    recovery.verdict = Verdict::Conflict;
    recovery.conflict = describe_conflict(state, begin);
  }
  if (recovery.changed) {
    // A store refuses to write a state that has no next serial.
    recovery.state.serial = next_serial(recovery.state.serial).value_or(recovery.state.serial);
  }
  return recovery;
}

std::vector<JournalRecord> changed_objects(const State& from, const State& to) {
  std::vector<JournalRecord> records;
  // Each object of `all` that `other` has otherwise, as `to` has it.
  const auto compare = [&](const State& all, const State& other) {
    for (const Resource* resource : all.resources()) {
      if (resource->address().object.mode != addrs::ResourceMode::Managed) continue;
      if (resource == other.resource(resource->address())) continue;
      resource->for_each([&](const Instance& instance) {
        const auto address = addrs::instance_of(resource->address(), instance.key());
        const auto compare_object = [&](const std::string& deposed_key, const Object& object) {
          const Object* there = other.object(address, deposed_key);
          if (&all == &from ? there != nullptr : there != nullptr && *there == object) return;
          records.emplace_back(JournalDone{address, deposed_key, resource->provider_of(instance),
                                           &all == &from ? Object() : object});
        };
        if (instance.current() != nullptr) compare_object({}, *instance.current());
        for (const auto& [key, object] : instance.deposed()) compare_object(key, object);
      });
    }
  };
  compare(from, to);
  compare(to, from);
  return records;
}

bool contains_run(const State& state, const Journal& journal) {
  const JournalBegin* begin = journal.begin();
  if (begin == nullptr || state.lineage.empty() || state.lineage != begin->lineage ||
      state.serial < begin->serial) {
    return false;
  }
  Recovery with_journal;
  with_journal.state = state;
  with_journal.state.checks.clear();
  apply_all(journal, Rule::JournalWins, with_journal);
  if (with_journal.state.outputs != state.outputs) return false;
  // A journal that could not be written any more ends in the middle of what the state has whole.
  std::set<addrs::AbsResourceInstance> unfinished;
  for (const InFlight& call : calls_in_flight(journal)) unfinished.insert(call.address);
  for (const HalfProvisioned& object : half_provisioned(journal)) unfinished.insert(object.address);
  const bool is_newer = state.serial > begin->serial;
  return std::ranges::all_of(with_journal.effects, [&](const ObjectEffect& one) {
    return is_newer && (unfinished.contains(one.address) || one.effect == Effect::Remove);
  });
}

}  // namespace tofu::state
