#include "state/recovery.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "base/overloaded.h"

namespace tofu::state {

namespace {

std::string text_of(const addrs::AbsResourceInstance& address, const std::string& deposed_key) {
  if (deposed_key.empty()) return address.to_string();
  return fmt::format("{} (deposed object {})", address.to_string(), deposed_key);
}

bool apply(State& state, const JournalDone& done, std::set<std::string>& recovered) {
  const Object* before = state.object(done.address, done.deposed_key);
  const bool same = before != nullptr ? *before == done.object : !done.object;
  if (same) return false;
  state.set_object(done.address, done.deposed_key, done.object, done.provider);
  recovered.insert(text_of(done.address, done.deposed_key));
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

// Only the last word about each thing counts, so that a state which went through all
// of them is not changed back and forth.
std::vector<const JournalRecord*> last_words(const Journal& journal) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < journal.records.size(); ++i) {
    std::visit(base::Overloaded{
                   [&](const JournalDone& done) {
                     last["d" + text_of(done.address, done.deposed_key)] = i;
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

void apply_all(const Journal& journal, Recovery& recovery) {
  std::set<std::string> recovered;
  for (const JournalRecord* record : last_words(journal)) {
    const bool changed = std::visit(
        base::Overloaded{
            [&](const JournalDone& done) { return apply(recovery.state, done, recovered); },
            [&](const JournalOutput& output) { return apply(recovery.state, output); },
            [&](const JournalCheck& check) { return apply(recovery.state, check); },
            [](const auto&) { return false; },
        },
        *record);
    recovery.changed = recovery.changed || changed;
  }
  recovery.recovered.assign(recovered.begin(), recovered.end());
}

std::vector<InFlight> calls_in_flight(const Journal& journal) {
  std::map<std::string, std::size_t> open;  // the subject's text to the number of its intent
  for (std::size_t i = 0; i < journal.records.size(); ++i) {
    if (const auto* intent = std::get_if<JournalIntent>(&journal.records[i])) {
      open.insert_or_assign(text_of(intent->address, intent->deposed_key), i);
    } else if (const auto* done = std::get_if<JournalDone>(&journal.records[i])) {
      open.erase(text_of(done->address, done->deposed_key));
    }
  }
  std::vector<std::size_t> order;
  for (const auto& [text, index] : open) order.push_back(index);
  std::ranges::sort(order);
  std::vector<InFlight> calls;
  for (const std::size_t index : order) {
    const auto& intent = std::get<JournalIntent>(journal.records[index]);
    calls.push_back({intent.address, intent.deposed_key, intent.action, intent.time});
  }
  return calls;
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
  if (state == nullptr) return journal + ", but there is no state";
  return fmt::format("{}, but the state has serial {} of the lineage \"{}\"", journal,
                     state->serial, state->lineage);
}

}  // namespace

Recovery recover(const State* state, const Journal& journal) {
  Recovery recovery;
  if (state != nullptr) recovery.state = *state;
  // An end after damage may belong to what is lost, but a state was stored then.
  if (journal.records.empty() || journal.has_ended()) return recovery;
  recovery.in_flight = calls_in_flight(journal);

  const JournalBegin& begin = *journal.begin();
  if (state == nullptr) {
    recovery.state.lineage = begin.lineage;
    recovery.state.serial = begin.serial;
  }
  apply_all(journal, recovery);
  if (is_of_this_run(state, journal)) {
    recovery.verdict = Verdict::Apply;
  } else if (state != nullptr && state->lineage == begin.lineage && state->serial > begin.serial &&
             !recovery.changed) {
    recovery.verdict = Verdict::Contained;
  } else {
    recovery.verdict = Verdict::Conflict;
    recovery.conflict = describe_conflict(state, begin);
  }
  if (recovery.changed) ++recovery.state.serial;
  return recovery;
}

}  // namespace tofu::state
