#include "state/journal_record.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <utility>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "base/base64.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "base/overloaded.h"
#include "state/json_fields.h"
#include "state/state_file.h"

namespace tofu::state {

namespace {

using base::Error;
using base::JsonWriter;

// A state file with one thing in it.
void write_fragment(JsonWriter& writer, const State& fragment) {
  std::string text = state_text(fragment, Layout::Compact);
  text.pop_back();  // the new line at the end
  writer.key("state");
  writer.raw(text);
}

void write_subject(JsonWriter& writer, const addrs::AbsResourceInstance& address,
                   const std::string& deposed_key, const addrs::AbsProviderInstance& provider) {
  writer.field("address", address.to_string());
  if (!deposed_key.empty()) writer.field("deposed", deposed_key);
  writer.field("provider", provider.to_string());
}

void write(JsonWriter& writer, const JournalBegin& begin) {
  writer.field("record", "begin");
  writer.field("lineage", begin.lineage);
  writer.field("serial", begin.serial);
  if (begin.is_new) writer.field("new", true);
  writer.field("workspace", begin.workspace);
  writer.field("backend", begin.backend);
  writer.field("version", begin.version);
  writer.field("plan", begin.plan);
}

void write(JsonWriter& writer, const JournalIntent& intent) {
  writer.field("record", "intent");
  write_subject(writer, intent.address, intent.deposed_key, intent.provider);
  writer.field("action", action_word(intent.action));
  if (!intent.private_data.empty()) {
    writer.field("private", base::base64_encode(intent.private_data));
  }
  writer.field("time", intent.time);
}

void write(JsonWriter& writer, const JournalDone& done) {
  writer.field("record", "done");
  write_subject(writer, done.address, done.deposed_key, done.provider);
  if (!done.object) return;
  State fragment;
  fragment.set_object(done.address, done.deposed_key, done.object, done.provider);
  write_fragment(writer, fragment);
}

void write(JsonWriter& writer, const JournalProvisioning& provisioning) {
  writer.field("record", "provisioning");
  write_subject(writer, provisioning.address, provisioning.deposed_key, provisioning.provider);
  writer.field("action", action_word(provisioning.action));
  if (provisioning.ended) writer.field("ended", true);
  writer.field("time", provisioning.time);
}

void write(JsonWriter& writer, const JournalLost& lost) {
  writer.field("record", "lost");
  write_subject(writer, lost.address, lost.deposed_key, lost.provider);
  writer.field("action", action_word(lost.action));
  writer.field("time", lost.time);
}

void write(JsonWriter& writer, const JournalOutput& output) {
  writer.field("record", "output");
  writer.field("name", output.name);
  if (!output.output) return;
  State fragment;
  fragment.outputs.emplace(output.name, *output.output);
  write_fragment(writer, fragment);
}

void write(JsonWriter& writer, const JournalCheck& check) {
  writer.field("record", "check");
  State fragment;
  fragment.checks.push_back(check.result);
  write_fragment(writer, fragment);
}

void write(JsonWriter& writer, const JournalSaving& saving) {
  writer.field("record", "saving");
  writer.field("serial", saving.serial);
  writer.field("digest", saving.digest);
}

void write(JsonWriter& writer, const JournalEnd& end) {
  writer.field("record", "end");
  writer.field("serial", end.serial);
}

// Every field that some record has.
struct Fields {
  std::string record, lineage, workspace, backend, version, plan, address, deposed, provider,
      action, private_text, time, name, digest;
  std::uint64_t serial = 0;
  bool is_new = false;
  bool ended = false;
  std::string_view state;

  std::string* text(std::string_view field) {
    if (field == "record") return &record;
    if (field == "lineage") return &lineage;
    if (field == "workspace") return &workspace;
    if (field == "backend") return &backend;
    if (field == "version") return &version;
    if (field == "plan") return &plan;
    if (field == "address") return &address;
    if (field == "deposed") return &deposed;
    if (field == "provider") return &provider;
    if (field == "action") return &action;
    if (field == "private") return &private_text;
    if (field == "time") return &time;
    if (field == "name") return &name;
    if (field == "digest") return &digest;
    return nullptr;
  }
};

struct Subject {
  addrs::AbsResourceInstance address;
  addrs::AbsProviderInstance provider;
};

base::Result<Subject> subject_of(const Fields& fields) {
  diag::Diagnostics unused;
  auto address = addrs::parse_text(fields.address, addrs::parse_abs_resource_instance, unused);
  if (!address) return Error{fmt::format("\"{}\" is not an address", fields.address)};
  auto provider = addrs::parse_text(fields.provider, addrs::parse_abs_provider_instance, unused);
  if (!provider) return Error{fmt::format("\"{}\" is not a provider", fields.provider)};
  return Subject{std::move(*address), std::move(*provider)};
}

base::Result<State> fragment_of(const Fields& fields) {
  diag::Diagnostics diags;
  auto state = read_state(fields.state, diags);
  if (state) return std::move(*state);
  return Error{"the planned state cannot be read: " + diags.items().front().detail};
}

base::Result<Action> action_of(const Fields& fields) {
  for (const Action action : {Action::Create, Action::Update, Action::Delete}) {
    if (fields.action == action_word(action)) return action;
  }
  return Error{fmt::format("\"{}\" is not an action", fields.action)};
}

base::Result<JournalRecord> to_intent(const Fields& fields) {
  auto subject = subject_of(fields);
  if (!subject) return std::move(subject).error();
  auto private_data = base::base64_decode(fields.private_text);
  if (!private_data) return Error{"private data is not base64"};
  const auto action = action_of(fields);
  if (!action) return action.error();
  return JournalRecord(JournalIntent{std::move(subject->address), fields.deposed, *action,
                                     std::move(subject->provider), std::move(*private_data),
                                     fields.time});
}

base::Result<JournalRecord> to_provisioning(const Fields& fields) {
  auto subject = subject_of(fields);
  if (!subject) return std::move(subject).error();
  const auto action = action_of(fields);
  if (!action) return action.error();
  if (*action == Action::Update) return Error{"nothing is provisioned by an update"};
  return JournalRecord(JournalProvisioning{std::move(subject->address), fields.deposed,
                                           std::move(subject->provider), *action, fields.ended,
                                           fields.time});
}

base::Result<JournalRecord> to_lost(const Fields& fields) {
  auto subject = subject_of(fields);
  if (!subject) return std::move(subject).error();
  const auto action = action_of(fields);
  if (!action) return action.error();
  return JournalRecord(JournalLost{std::move(subject->address), fields.deposed,
                                   std::move(subject->provider), *action, fields.time});
}

base::Result<JournalRecord> to_done(const Fields& fields) {
  auto subject = subject_of(fields);
  if (!subject) return std::move(subject).error();
  JournalDone done{std::move(subject->address), fields.deposed, std::move(subject->provider)};
  if (fields.state.empty()) return JournalRecord(std::move(done));
  const auto fragment = fragment_of(fields);
  if (!fragment) return fragment.error();
  const Object* object = fragment->object(done.address, done.deposed_key);
  if (object == nullptr) return Error{"the object of a record has another address"};
  done.object = *object;
  return JournalRecord(std::move(done));
}

base::Result<JournalRecord> to_output(const Fields& fields) {
  JournalOutput output{fields.name, std::nullopt};
  if (fields.state.empty()) return JournalRecord(std::move(output));
  const auto fragment = fragment_of(fields);
  if (!fragment) return fragment.error();
  const auto found = fragment->outputs.find(fields.name);
  if (found == fragment->outputs.end()) return Error{"the output of a record has another name"};
  output.output = found->second;
  return JournalRecord(std::move(output));
}

base::Result<JournalRecord> to_check(const Fields& fields) {
  const auto fragment = fragment_of(fields);
  if (!fragment) return fragment.error();
  if (fragment->checks.size() != 1) return Error{"a record of a check has one result"};
  return JournalRecord(JournalCheck{fragment->checks.front()});
}

base::Result<JournalRecord> to_begin(const Fields& fields) {
  return JournalRecord(JournalBegin{fields.lineage, fields.serial, fields.is_new, fields.workspace,
                                    fields.backend, fields.version, fields.plan});
}

base::Result<JournalRecord> to_saving(const Fields& fields) {
  return JournalRecord(JournalSaving{fields.serial, fields.digest});
}

base::Result<JournalRecord> to_end(const Fields& fields) {
  return JournalRecord(JournalEnd{fields.serial});
}

using Maker = base::Result<JournalRecord> (*)(const Fields&);

// Null for a kind of record that this version does not know.
Maker maker_of(std::string_view kind) {
  if (kind == "begin") return to_begin;
  if (kind == "intent") return to_intent;
  if (kind == "done") return to_done;
  if (kind == "provisioning") return to_provisioning;
  if (kind == "lost") return to_lost;
  if (kind == "output") return to_output;
  if (kind == "check") return to_check;
  if (kind == "saving") return to_saving;
  if (kind == "end") return to_end;
  return nullptr;
}

}  // namespace

std::string_view action_word(Action action) {
  switch (action) {
    case Action::Create: return "create";
    case Action::Update: return "update";
    case Action::Delete: return "delete";
  }
  base::broken_promise("action out of range");
}

std::string encode_record(const JournalRecord& record) {
  std::string json;
  JsonWriter writer(json);
  writer.begin_object();
  std::visit([&](const auto& one) { write(writer, one); }, record);
  writer.end_object();
  return json;
}

base::Result<DecodedRecord> decode_record(std::string_view json) {
  std::string compact;
  if (const auto fault = base::append_compact_json(compact, json); !fault) {
    return Error{fault.error().what};
  }
  Fields fields;
  JsonFields reader(compact);
  reader.members("record", [&](std::string_view name) {
    if (std::string* text = fields.text(name)) {
      reader.text(std::string(name), *text);
    } else if (name == "serial") {
      reader.number("serial", fields.serial);
    } else if (name == "new") {
      reader.boolean("new", fields.is_new);
    } else if (name == "ended") {
      reader.boolean("ended", fields.ended);
    } else if (name == "state") {
      fields.state = reader.raw();
    } else {
      reader.skip();
    }
  });
  if (!reader.fault().empty()) return Error{reader.fault()};
  const auto make = maker_of(fields.record);
  if (make == nullptr) return DecodedRecord{std::nullopt, fields.record};
  auto record = make(fields);
  if (!record) return std::move(record).error();
  return DecodedRecord{std::move(*record)};
}

std::string content_digest(const State& state) {
  State bare = state;
  bare.lineage.clear();
  bare.serial = 0;
  bare.terraform_version.clear();
  const std::unique_ptr<EVP_MD_CTX, decltype(&::EVP_MD_CTX_free)> context(::EVP_MD_CTX_new(),
                                                                          &::EVP_MD_CTX_free);
  ::EVP_DigestInit_ex(context.get(), ::EVP_sha256(), nullptr);
  write_state(bare, Layout::Compact, [&](std::string_view piece) {
    return ::EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  });
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  ::EVP_DigestFinal_ex(context.get(), digest, &length);
  return base::base64_encode({reinterpret_cast<const char*>(digest), length});
}

}  // namespace tofu::state
