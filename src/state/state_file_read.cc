#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/json_layout.h"
#include "state/json_fields.h"
#include "state/state_file.h"
#include "state/upgrade.h"
#include "state/version4_reader.h"
#include "state/version_text.h"

namespace tofu::state {

namespace {

constexpr std::string_view kNotSupported = "Unsupported state file format";

// The fields that are read before the format is known.
struct Header {
  std::optional<std::uint64_t> version = {};
  std::string written_by = {};
  bool encrypted = false;
  std::string fault = {};
};

Header read_header(std::string_view text) {
  Header header;
  JsonFields fields(text);
  fields.members("state", [&](std::string_view name) {
    if (is_field(name, "version")) {
      std::uint64_t version = 0;
      const bool is_null = fields.peek() == 'n';
      fields.number("version", version);
      if (!is_null && fields.fault().empty()) header.version = version;
    } else if (is_field(name, "terraform_version") && fields.peek() == '"') {
      fields.text("terraform_version", header.written_by);
    } else if (is_field(name, "encryption_version") && fields.peek() == '"') {
      std::string version;
      fields.text("encryption_version", version);
      header.encrypted = !version.empty();
    } else {
      fields.skip();
    }
  });
  header.fault = fields.fault();
  return header;
}

std::nullopt_t refuse(diag::Diagnostics& diags, std::string_view summary, std::string detail) {
  diags.error(std::string(summary)).detail(std::move(detail));
  return std::nullopt;
}

std::nullopt_t refuse_header(const Header& header, diag::Diagnostics& diags) {
  if (!header.fault.empty()) {
    return refuse(diags, kNotSupported, fmt::format("This is not a state file: {}.", header.fault));
  }
  if (header.encrypted) {
    return refuse(diags, kNotSupported,
                  "The state file is encrypted. Configure the encryption that it was written with "
                  "to read it.");
  }
  return refuse(diags, kNotSupported,
                "This is not a state file: it has no \"version\" that says which format it has.");
}

std::nullopt_t refuse_version(const Header& header, diag::Diagnostics& diags) {
  const std::string by = is_version(header.written_by)
                             ? fmt::format(" It was written by version {}.", header.written_by)
                             : " It may come from a newer version.";
  return refuse(
      diags, kNotSupported,
      fmt::format("The state file has format version {}; versions 1 to 4 are supported.{}",
                  *header.version, by));
}

}  // namespace

diag::Checked<State> read_state(std::string_view text, diag::Diagnostics& diags) {
  return read_large_state(std::string(text), diags);
}

diag::Checked<State> read_large_state(std::string text, diag::Diagnostics& diags) {
  if (text.starts_with("tfstate")) {
    return refuse(diags, kNotSupported,
                  "The state file has the binary format of Terraform before version 0.7. Upgrade "
                  "it with Terraform 0.6.16 first.");
  }
  auto compact = std::make_shared<std::string>(std::move(text));
  if (const auto fault = base::compact_json(*compact); !fault) {
    return refuse(diags, kNotSupported,
                  fmt::format("The state file is not valid JSON: {}, at byte {}.",
                              fault.error().what, fault.error().offset));
  }
  // Nearly every state begins so, and need not be walked through to find its version. Whether
  // another one follows, the reader sees.
  const Header header =
      compact->starts_with("{\"version\":4,") ? Header{.version = 4} : read_header(*compact);
  if (!header.version) return refuse_header(header, diags);
  if (*header.version == 0 || *header.version > 4) return refuse_version(header, diags);
  if (*header.version < 4) {
    auto upgraded = upgrade_to_version_4(*compact, static_cast<int>(*header.version));
    if (!upgraded) {
      return refuse(
          diags, "State file cannot be upgraded",
          fmt::format("The state file has format version {}, and upgrading it failed: {}.",
                      *header.version, upgraded.error().what));
    }
    compact->clear();
    if (const auto fault = base::append_compact_json(*compact, *upgraded); !fault) {
      return refuse(diags, "State file cannot be upgraded", fault.error().what + ".");
    }
  }
  return Version4Reader(std::move(compact), diags).read();
}

}  // namespace tofu::state
