#include "runs/plan_file.h"

#include <chrono>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "archive/zip_parts.h"
#include "base/ascii.h"
#include "base/file.h"
#include "config/provider_requirements.h"
#include "encryption/envelope.h"
#include "plans/plan_codec.h"
#include "state/state_file.h"
#include "value/pack.h"

namespace tofu::runs {

namespace {

constexpr std::string_view kAbout =
    "about";  // the version of the format, the workspace, the backend
constexpr std::string_view kPlan = "plan";
constexpr std::string_view kPrior = "tfstate";
constexpr std::string_view kPrevious = "tfstate-prev";
constexpr std::string_view kConfiguration = "configuration";
constexpr std::string_view kSchemas = "schemas";
constexpr std::string_view kLockFile = ".terraform.lock.hcl";

constexpr std::uint64_t kVersion = 3;
constexpr std::size_t kMaxParts = 16;
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;

void report_damage(const std::string& path, std::string_view why, diag::Diagnostics& diags) {
  diags.error("Cannot read the saved plan")
      .detail(fmt::format("{} is not a plan that this version can apply: {}.", path, why));
}

// States have a serial outside of what is encrypted, plans have not.
bool is_encrypted_plan(std::string_view bytes) {
  if (!base::trimmed(bytes).starts_with('{')) return false;
  const auto envelope = encryption::read_envelope(bytes);
  return envelope && !envelope->identity.serial && envelope->identity.lineage.empty();
}

// Whether a value of the type `actual` is what `wanted`, which may have parts that are
// open, describes.
bool fits(value::Type actual, value::Type wanted) {
  if (wanted.is_dynamic() || actual == wanted) return true;
  if (actual.kind() != wanted.kind()) return false;
  switch (wanted.kind()) {
    case value::TypeKind::List:
    case value::TypeKind::Set:
    case value::TypeKind::Map: return fits(actual.element(), wanted.element());
    case value::TypeKind::Tuple: {
      const auto a = actual.elements();
      const auto b = wanted.elements();
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!fits(a[i], b[i])) return false;
      }
      return true;
    }
    case value::TypeKind::Object: {
      const auto a = actual.attributes();
      const auto b = wanted.attributes();
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].name != b[i].name || !fits(a[i].type, b[i].type)) return false;
      }
      return true;
    }
    case value::TypeKind::Dynamic:
    case value::TypeKind::Bool:
    case value::TypeKind::Number:
    case value::TypeKind::String:
    case value::TypeKind::Capsule: return false;
  }
  return false;
}

const schema::TypeSchemas& types_of(const schema::ProviderSchema& schema,
                                    addrs::ResourceMode mode) {
  switch (mode) {
    case addrs::ResourceMode::Managed: return schema.resources;
    case addrs::ResourceMode::Data: return schema.data_sources;
    case addrs::ResourceMode::Ephemeral: return schema.ephemeral_resources;
  }
  return schema.resources;
}

// Views read an object by its schema, and rely on it being one.
bool objects_fit(const plans::Plan& plan, const std::vector<plans::ResourceChange>& changes,
                 const schema::KeptSchemas& schemas) {
  for (const plans::ResourceChange& change : changes) {
    const plans::ResourceRow& row = plan.addresses[change.resource];
    const schema::ProviderSchema* provider = schemas.find(row.provider.to_string());
    if (provider == nullptr) continue;
    const auto& types = types_of(*provider, row.resource.mode);
    const auto found = types.find(row.resource.type);
    if (found == types.end()) continue;
    const value::Type type = found->second.block.implied_type();
    for (const value::Value* v : {&change.before, &change.after}) {
      if (!v->is_null() && !fits(v->type(), type)) return false;
    }
  }
  return true;
}

// Takes the part, which may be large, out of `parts`. Empty if there is none.
std::string take(archive::ZipParts& parts, std::string_view name) {
  const auto found = parts.find(name);
  return found == parts.end() ? std::string() : std::move(parts.extract(found).mapped());
}

std::optional<state::State> take_state(archive::ZipParts& parts, std::string_view name,
                                       diag::Diagnostics& diags) {
  if (!parts.contains(name)) return std::nullopt;
  return state::read_large_state(take(parts, name), diags);
}

void add_state(archive::ZipWriter& zip, std::string_view name, const state::State& state) {
  zip.part(name);
  state::write_state(state, state::Layout::Compact, [&](std::string_view piece) {
    zip.append(piece);
    return true;
  });
}

bool are_same(const state::State& a, const state::State& b) {
  return a.lineage == b.lineage && a.serial == b.serial &&
         a.terraform_version == b.terraform_version && state::same_content(a, b);
}

// The disk is not waited for: after a crash the plan is made again.
base::Result<void> replace_private_file(const std::string& path, std::string_view bytes) {
  base::remove_abandoned_replacements(path, std::chrono::hours(1));
  auto file = base::FileReplacement::begin(path, 0600, base::Permissions::New);
  if (!file) return std::move(file).error();
  if (auto written = file->append(bytes); !written) return written;
  return file->commit(base::Sync::No);
}

std::string_view part(const archive::ZipParts& parts, std::string_view name) {
  const auto found = parts.find(name);
  return found == parts.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

schema::KeptSchemas used_schemas(const engine::Planned& planned, const config::Tree& tree,
                                 const schema::ProviderSchemas& schemas) {
  // Filled with insert(), which unlike emplace() allocates nothing for what is there already.
  std::set<std::pair<addrs::ResourceMode, std::string_view>> types;
  std::set<addrs::Provider> providers;
  const plans::Addresses& addresses = planned.plan.addresses;
  for (std::uint32_t i = 0; i < addresses.resource_count(); ++i) {
    const plans::ResourceRow& row = addresses[plans::ResourceId{i}];
    types.insert({row.resource.mode, row.resource.type});
    providers.insert(row.provider);
  }
  for (const state::State* state : {&planned.prior, &planned.previous}) {
    for (const state::Resource* resource : state->resources()) {
      types.insert({resource->address().object.mode, resource->address().object.type});
      providers.insert(resource->provider().provider);
    }
  }
  for (const config::TreeNode& node : tree.nodes) {
    for (const auto mode : {addrs::ResourceMode::Managed, addrs::ResourceMode::Data,
                            addrs::ResourceMode::Ephemeral}) {
      for (const config::Resource& resource : node.module->resources(mode)) {
        types.insert({mode, resource.type});
      }
    }
  }
  config::ProviderRequirements needed;
  config::add_requirements(tree, needed);
  for (const auto& [provider, constraints] : needed) providers.insert(provider);

  schema::KeptSchemas kept;
  for (const addrs::Provider& provider : providers) {
    const std::string address = provider.to_string();
    const schema::ProviderSchema* schema = schemas.find(address);
    if (schema == nullptr) continue;
    schema::ProviderSchema& out = kept.providers[address];
    out.provider = schema->provider;
    out.provider_meta = schema->provider_meta;
    const auto keep = [&](addrs::ResourceMode kept_mode, schema::TypeSchemas& into) {
      const schema::TypeSchemas& all = types_of(*schema, kept_mode);
      for (const auto& [mode, type] : types) {
        if (mode != kept_mode) continue;
        if (const auto found = all.find(type); found != all.end()) {
          into.emplace(std::string(type), found->second);
        }
      }
    };
    keep(addrs::ResourceMode::Managed, out.resources);
    keep(addrs::ResourceMode::Data, out.data_sources);
    keep(addrs::ResourceMode::Ephemeral, out.ephemeral_resources);
  }
  return kept;
}

diag::Checked<void> write_plan_file(const std::string& path, const engine::Planned& planned,
                                    const PlanContext& context, workdir::PlanEncryption encryption,
                                    diag::Diagnostics& diags) {
  value::PackWriter about;
  about.number(kVersion);
  about.text(context.workspace);
  about.text(context.backend ? context.backend->type : "");
  about.text(context.backend ? context.backend->settings : "");
  archive::ZipWriter zip;
  const auto add = [&](std::string_view name, std::string_view content) {
    zip.part(name);
    zip.append(content);
  };
  add(kAbout, about.finish());
  zip.part(kPlan);
  plans::encode_plan(planned.plan, [&](std::string_view piece) { zip.append(piece); });
  add_state(zip, kPrior, planned.prior);
  // Mostly nothing was found to be different from what the run before left.
  if (!are_same(planned.prior, planned.previous)) add_state(zip, kPrevious, planned.previous);
  add(kConfiguration, context.configuration.encode());
  add(kSchemas, schema::encode_schemas(context.schemas));
  if (!context.lock_file.empty()) add(kLockFile, context.lock_file);
  const std::uint64_t size = zip.size();
  if (size > kMaxBytes) {
    diags.error("Cannot save the plan")
        .detail(
            fmt::format("The plan and its states have {} bytes, more than the limit of {}. Plan "
                        "fewer resources at a time with -target, or apply without saving the plan.",
                        size, kMaxBytes));
    return false;
  }
  auto bytes = zip.finish();
  if (bytes && !encryption.get().is_plain()) bytes = encryption.get().encrypt(*bytes);
  const base::Result<void> written =
      bytes ? replace_private_file(path, *bytes) : base::Result<void>(bytes.error());
  if (written) return true;
  diags.error("Cannot save the plan")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

diag::Checked<PlanFile> read_plan_bytes(std::string_view bytes, const std::string& path,
                                        workdir::PlanEncryption encryption,
                                        diag::Diagnostics& diags) {
  const auto refuse = [&](std::string_view why) -> std::optional<PlanFile> {
    report_damage(path, why, diags);
    return std::nullopt;
  };
  std::string decrypted;
  if (!encryption.get().is_plain()) {
    auto text = encryption.get().decrypt(bytes);
    if (!text) return refuse(text.error().what);
    decrypted = std::move(*text);
    bytes = decrypted;
  } else if (is_encrypted_plan(bytes)) {
    return refuse("it is encrypted, and the configuration has no plan encryption settings");
  }
  auto parts = archive::read_zip(bytes, kMaxParts, kMaxBytes);
  if (!parts) return refuse(parts.error().what);
  value::PackReader about(part(*parts, kAbout));
  if (about.number() != kVersion)
    return refuse("it was created by another version or another program");
  PlanFile file;
  file.context.workspace = about.text();
  workdir::BackendRecord backend;
  backend.type = about.text();
  backend.settings = about.text();
  if (!backend.type.empty()) file.context.backend = std::move(backend);
  if (about.failed() || !about.at_end()) return refuse("it is damaged");

  auto configuration = SavedConfiguration::decode(part(*parts, kConfiguration));
  auto schemas = schema::decode_schemas(part(*parts, kSchemas));
  if (!configuration || !schemas) return refuse("it is damaged");
  auto plan = plans::decode_plan(take(*parts, kPlan), diags);
  auto prior = plan ? take_state(*parts, kPrior, diags) : std::nullopt;
  std::optional<state::State> previous = prior;  // unless it was different
  if (prior && parts->contains(kPrevious)) previous = take_state(*parts, kPrevious, diags);
  if (!previous) return diags.has_errors() ? std::nullopt : refuse("a part is missing");
  if (!objects_fit(*plan, plan->changes, *schemas) || !objects_fit(*plan, plan->drift, *schemas)) {
    return refuse("an object in it does not match its schema");
  }
  file.planned = {std::move(*plan), std::move(*previous), std::move(*prior)};
  file.context.configuration = std::move(*configuration);
  file.context.schemas = std::move(*schemas);
  file.context.lock_file = part(*parts, kLockFile);
  return file;
}

std::optional<PlanFile> read_plan_file(const std::string& path, workdir::PlanEncryption encryption,
                                       diag::Diagnostics& diags) {
  const auto bytes = base::read_file(path, kMaxBytes);
  if (bytes) return read_plan_bytes(*bytes, path, encryption, diags);
  diags.error("Cannot read the saved plan")
      .detail(fmt::format("Reading {} failed: {}.", path, bytes.error().what));
  return std::nullopt;
}

std::optional<SavedConfiguration> read_plan_configuration(std::string_view bytes) {
  const auto parts = archive::read_zip(bytes, kMaxParts, kMaxBytes);
  if (!parts || value::PackReader(part(*parts, kAbout)).number() != kVersion) return std::nullopt;
  return SavedConfiguration::decode(part(*parts, kConfiguration));
}

bool looks_like_plan(std::string_view bytes) {
  return bytes.starts_with("PK") || is_encrypted_plan(bytes);
}

}  // namespace tofu::runs
