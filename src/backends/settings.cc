#include "backends/settings.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>

namespace tofu::backends {

namespace {

using value::Value;

// As Go reads them.
std::optional<bool> read_flag(std::string_view text) {
  for (const std::string_view each : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == each) return true;
  }
  for (const std::string_view each : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == each) return false;
  }
  return std::nullopt;
}

schema::Attribute attribute_of(const SettingSchema& setting) {
  schema::Attribute attribute;
  attribute.name = setting.name;
  attribute.type = setting.type;
  attribute.description = setting.about;
  attribute.optional = true;
  attribute.sensitive = setting.sensitive;
  attribute.deprecated = setting.deprecated;
  if (setting.inside.empty()) return attribute;
  schema::NestedType nested;
  for (const SettingSchema& each : setting.inside) {
    nested.attributes.push_back(attribute_of(each));
  }
  std::ranges::sort(nested.attributes, {}, &schema::Attribute::name);
  attribute.type = schema::type_of(nested);
  attribute.nested = std::make_shared<const schema::NestedType>(std::move(nested));
  return attribute;
}

}  // namespace

net::EnvironmentVariable environment_with(const VariableSettings& settings,
                                          net::EnvironmentVariable environment) {
  return
      [&settings, environment = std::move(environment)](std::string_view name) -> std::string_view {
        const auto found = settings.find(name);
        return found == settings.end() ? environment(name) : std::string_view(found->second);
      };
}

Settings::Settings(std::string_view kind, Value values, const net::EnvironmentVariable& environment,
                   diag::Diagnostics& diags)
    : kind_(kind),
      values_(std::move(values)),
      environment_(environment),
      diags_(diags),
      errors_(diags.error_count()) {}

const Value* Settings::find(std::string_view name) const {
  const Value* found = values_.unmarked().find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool Settings::has(std::string_view name) const { return find(name) != nullptr; }

std::string Settings::first_variable(Variables variables) const {
  for (const std::string_view name : variables) {
    if (const std::string_view found = environment_(name); !found.empty()) {
      return std::string(found);
    }
  }
  return {};
}

void Settings::refuse(std::string_view name, std::string_view why) const {
  diags_.error("Invalid backend settings")
      .detail(fmt::format("The setting \"{}{}\" of the backend {:?} cannot be used: {}.", path_,
                          name, kind_, why));
}

std::string Settings::text(std::string_view name, Variables variables,
                           std::string_view usual) const {
  if (const Value* found = find(name)) return std::string(found->unmarked().as_string());
  std::string variable = first_variable(variables);
  return variable.empty() ? std::string(usual) : variable;
}

std::string Settings::needed_text(std::string_view name, Variables variables) const {
  std::string found = text(name, variables);
  if (!found.empty()) return found;
  diags_.error("Missing backend setting")
      .detail(fmt::format("The backend {:?} needs the setting \"{}{}\"{}.", kind_, path_, name,
                          variables.size() == 0 ? std::string()
                                                : fmt::format(" (or the environment variable {})",
                                                              *variables.begin())));
  return {};
}

bool Settings::flag(std::string_view name, Variables variables, bool usual) const {
  if (const Value* found = find(name)) return found->unmarked().as_bool();
  const std::string text = first_variable(variables);
  if (text.empty()) return usual;
  if (const auto read = read_flag(text)) return *read;
  refuse(name, "its environment variable is neither true nor false");
  return usual;
}

std::int64_t Settings::number(std::string_view name, Variables variables,
                              std::int64_t usual) const {
  if (const Value* found = find(name)) {
    if (const auto whole = found->unmarked().as_number().to_int64()) return *whole;
    refuse(name, "it is not a whole number");
    return usual;
  }
  const std::string text = first_variable(variables);
  if (text.empty()) return usual;
  std::int64_t read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error == std::errc() && end == text.data() + text.size()) return read;
  refuse(name, "its environment variable is not a whole number");
  return usual;
}

std::vector<std::pair<std::string, std::string>> Settings::pairs(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> all;
  const Value* found = find(name);
  if (found == nullptr) return all;
  value::for_each_element(found->unmarked(), [&](const Value& key, const Value& item) {
    if (item.is_null()) return refuse(name, "a value in it is null");
    all.emplace_back(key.unmarked().as_string(), item.unmarked().as_string());
  });
  return all;
}

std::vector<std::string> Settings::list(std::string_view name) const {
  std::vector<std::string> all;
  const Value* found = find(name);
  if (found == nullptr) return all;
  value::for_each_element(found->unmarked(), [&](const Value&, const Value& item) {
    if (item.is_null()) return refuse(name, "a value in it is null");
    all.emplace_back(item.unmarked().as_string());
  });
  return all;
}

std::optional<Settings> Settings::inside(std::string_view name) const {
  const Value* found = find(name);
  if (found == nullptr) return std::nullopt;
  const auto kind = found->unmarked().kind();
  if (kind == value::Kind::List || kind == value::Kind::Set) {
    if (found->unmarked().items().empty()) return std::nullopt;
    found = &found->unmarked().items()[0];
  }
  Settings nested(kind_, *found, environment_, diags_);
  nested.path_ = fmt::format("{}{}.", path_, name);
  return nested;
}

schema::Block settings_schema(std::vector<SettingSchema> settings) {
  schema::Block block;
  for (const SettingSchema& each : settings) {
    if (!each.block) {
      block.attributes.push_back(attribute_of(each));
      continue;
    }
    auto nested = std::make_shared<const schema::Block>(settings_schema(each.inside));
    block.blocks.push_back({std::string(each.name), std::move(nested), *each.block, 0, 1});
  }
  std::ranges::sort(block.attributes, {}, &schema::Attribute::name);
  return block;
}

}  // namespace tofu::backends
