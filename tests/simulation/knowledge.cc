#include "tests/simulation/knowledge.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <variant>

#include "addrs/text.h"
#include "base/overloaded.h"
#include "diag/diagnostic.h"
#include "state/encryption.h"
#include "state/journal.h"
#include "state/recovery.h"
#include "state/state_file.h"

namespace tofu::simulation {

namespace {

// The text behind `"name":`, with or without a blank, up to a comma, a quote or a line's end.
std::string_view member(std::string_view json, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  const std::size_t at = json.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = json.substr(at + key.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with('"')) {
    rest.remove_prefix(1);
    return rest.substr(0, rest.find('"'));
  }
  return rest.substr(0, rest.find_first_of(",\n}"));
}

std::string id_of(const state::Object& object) {
  return std::string(member(object.attributes(), "id"));
}

using Objects = std::map<std::string, std::string>;  // the IDs, by address and deposed key

template <class Visit>
void for_each_object(const state::State& state, const Visit& visit) {
  for (const state::Resource* resource : state.resources()) {
    resource->for_each([&](const state::Instance& instance) {
      const auto address = addrs::instance_of(resource->address(), instance.key());
      if (instance.current() != nullptr) visit(address, std::string(), *instance.current());
      for (const auto& [key, object] : instance.deposed()) visit(address, key, object);
    });
  }
}

// Whether the journal goes on from this state, so that what it says comes after.
bool follows(const state::Journal& journal, const StateHead& head, bool has_state) {
  const state::JournalBegin* begin = journal.begin();
  if (begin == nullptr) return false;
  if (!has_state) return true;
  if (begin->lineage != head.lineage) return false;
  if (begin->serial == head.serial && !begin->is_new) return true;
  return std::ranges::any_of(journal.records, [&](const state::JournalRecord& record) {
    const auto* saving = std::get_if<state::JournalSaving>(&record);
    return saving != nullptr && saving->serial == head.serial;
  });
}

void read_journal(std::string_view bytes, const StateHead& head, bool has_state, Objects& objects,
                  Knowledge& knowledge) {
  const state::Journal journal = state::read_journal(bytes, state::no_encryption());
  if (journal.has_ended()) return;
  const bool comes_after = follows(journal, head, has_state);
  std::set<std::string> open;
  for (const state::JournalRecord& record : journal.records) {
    std::visit(
        base::Overloaded{
            [&](const state::JournalIntent& intent) { open.insert(intent.address.to_string()); },
            [&](const state::JournalLost& lost) { open.insert(lost.address.to_string()); },
            [&](const state::JournalDone& done) {
              const std::string subject = state::subject_text(done.address, done.deposed_key);
              if (done.deposed_key.empty()) open.erase(done.address.to_string());
              if (comes_after) {
                objects[subject] = done.object ? id_of(done.object) : std::string();
              } else if (done.object) {
                knowledge.ids.insert(id_of(done.object));
              }
            },
            [](const auto&) {},
        },
        record);
  }
  knowledge.in_flight.merge(open);
}

state::State parsed(std::string_view text) {
  diag::Diagnostics diags;
  if (text.empty()) return {};
  auto state = state::read_state(text, diags);
  return state ? std::move(*state) : state::State();
}

void collect(const value::Value& value, std::set<std::string>& texts) {
  if (value.is_null() || value.is_unknown()) return;
  if (value.kind() == value::Kind::String) {
    texts.emplace(value.plain().as_string());
    return;
  }
  for (const value::Value& item : value.plain().items()) collect(item, texts);
}

}  // namespace

StateHead head_of(std::string_view state) {
  StateHead head;
  const std::string_view serial = member(state, "serial");
  (void)std::from_chars(serial.data(), serial.data() + serial.size(), head.serial);
  head.lineage = member(state, "lineage");
  return head;
}

Knowledge knowledge_of(std::string_view state, const SimulatedDisk& disk) {
  Knowledge knowledge;
  Objects objects;
  const StateHead head = head_of(state);
  for_each_object(parsed(state),
                  [&](const auto& address, const std::string& key, const state::Object& object) {
                    objects[state::subject_text(address, key)] = id_of(object);
                  });
  for (const auto& [path, inode] : disk.names()) {
    // One that was damaged was used before it was put aside.
    if (path.find(".journal") == std::string::npos || path.ends_with(".damaged")) continue;
    read_journal(inode->content, head, !state.empty(), objects, knowledge);
  }
  if (const std::string_view errored = disk.content("errored.tfstate"); !errored.empty()) {
    knowledge.ids.merge(object_ids(parsed(errored)));
  }
  for (auto& [subject, id] : objects) knowledge.ids.insert(std::move(id));
  return knowledge;
}

std::string describe_files(const SimulatedDisk& disk) {
  std::string text;
  for (const auto& [path, inode] : disk.names()) {
    text += fmt::format("{}: {} bytes", path, inode->content.size());
    if (path.find(".journal") == std::string::npos) {
      text += fmt::format(", serial {}\n", head_of(inode->content).serial);
      continue;
    }
    const auto journal = state::read_journal(inode->content, state::no_encryption());
    if (journal.damage) text += fmt::format(", damaged at {}", journal.damage->offset);
    text += '\n';
    for (const state::JournalRecord& record : journal.records) {
      text += "  " + state::encode_record(record).substr(0, 200) + "\n";
    }
  }
  return text;
}

std::set<std::string> object_ids(const state::State& state) {
  std::set<std::string> ids;
  for_each_object(state, [&](const auto&, const std::string&, const state::Object& object) {
    ids.insert(id_of(object));
  });
  return ids;
}

std::set<std::string> good_ids(std::string_view state) {
  std::set<std::string> ids;
  for_each_object(parsed(state),
                  [&](const auto&, const std::string& key, const state::Object& object) {
                    if (key.empty() && object.status() == state::ObjectStatus::Ready)
                      ids.insert(id_of(object));
                  });
  return ids;
}

bool is_sensitive(const state::Output& output) { return output.sensitive; }

std::set<std::string> texts_in(const state::Output& output) {
  std::set<std::string> texts;
  collect(output.value, texts);
  return texts;
}

}  // namespace tofu::simulation
