#include "encryption/envelope.h"

#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "state/json_fields.h"

namespace tofu::encryption {

namespace {

using state::is_field;

base::Result<std::string> compact(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  if (const auto fault = base::append_compact_json(text, bytes); !fault) {
    return base::Error{fmt::format("it is not valid JSON: {}, at byte {}", fault.error().what,
                                   fault.error().offset)};
  }
  return text;
}

// A text in base64. A null leaves it empty.
void read_base64(state::JsonFields& fields, std::string_view name, std::string& into) {
  std::string text;
  fields.text(name, text);
  auto bytes = base::base64_decode(text);
  if (bytes) {
    into = std::move(*bytes);
  } else {
    fields.fail(name, "text in base64");
  }
}

void read_metadata(state::JsonFields& fields, Metadata& into) {
  fields.members("meta", [&](std::string_view provider) {
    const std::string key(provider);
    read_base64(fields, "meta", into[key]);
  });
}

bool read_identity(state::JsonFields& fields, std::string_view name, StateIdentity& into) {
  if (is_field(name, "serial")) {
    const bool is_null = fields.peek() == 'n';
    std::uint64_t serial = 0;
    fields.number("serial", serial);
    if (!is_null) into.serial = serial;
    return true;
  }
  if (is_field(name, "lineage")) {
    fields.text("lineage", into.lineage);
    return true;
  }
  return false;
}

}  // namespace

base::Result<Envelope> read_envelope(std::string_view bytes) {
  const auto text = compact(bytes);
  if (!text) return text.error();
  Envelope envelope;
  state::JsonFields fields(*text);
  fields.members("file", [&](std::string_view name) {
    if (read_identity(fields, name, envelope.identity)) return;
    if (is_field(name, "meta")) {
      read_metadata(fields, envelope.metadata);
    } else if (is_field(name, "encrypted_data")) {
      read_base64(fields, "encrypted_data", envelope.data);
    } else if (is_field(name, "encryption_version")) {
      fields.text("encryption_version", envelope.version);
    } else {
      fields.skip();
    }
  });
  if (!fields.fault().empty()) return base::Error{fields.fault()};
  if (envelope.version.empty()) return base::Error{"it has no \"encryption_version\""};
  return envelope;
}

bool is_envelope(std::string_view bytes) {
  return base::trimmed(bytes).starts_with('{') && read_envelope(bytes).ok();
}

std::string envelope_text(const std::optional<StateIdentity>& identity, const Metadata& metadata,
                          std::string_view data) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  if (identity) {
    json.key("serial");
    if (identity->serial) {
      json.number(*identity->serial);
    } else {
      json.null();
    }
    json.field("lineage", identity->lineage);
  }
  json.key("meta");
  json.begin_object();
  for (const auto& [provider, bytes] : metadata) json.field(provider, base::base64_encode(bytes));
  json.end_object();
  json.field("encrypted_data", base::base64_encode(data));
  json.field("encryption_version", kEnvelopeVersion);
  json.end_object();
  return text;
}

base::Result<PlainState> read_plain_state(std::string_view bytes) {
  const auto text = compact(bytes);
  if (!text) return text.error();
  PlainState state;
  state::JsonFields fields(*text);
  fields.members("state", [&](std::string_view name) {
    if (read_identity(fields, name, state.identity)) return;
    if (is_field(name, "terraform_version")) {
      fields.text("terraform_version", state.terraform_version);
    } else {
      fields.skip();
    }
  });
  if (!fields.fault().empty()) return base::Error{fields.fault()};
  return state;
}

}  // namespace tofu::encryption
