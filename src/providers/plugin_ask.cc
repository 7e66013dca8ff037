#include "providers/plugin_ask.h"

#include "value/msgpack.h"

namespace tofu::providers {

using value::Value;

Problem to_problem(const PluginFailure& failure) {
  return problem(failure.summary, failure.detail);
}

void RequestWriter::value(const Value& v, value::Type type, wire6::DynamicValue& to) {
  const auto written = write_value(v, type, to);
  if (written) return;
  problems_.push_back(problem("A value cannot be sent to a provider",
                              fmt::format("A value for the provider {} cannot be encoded: {}.",
                                          provider_, written.error().what)));
}

void RequestWriter::identity(const Identity& identity, const PluginType& type,
                             wire6::ResourceIdentityData& to) {
  if (!identity.is_null() && type.identity)
    value(identity, *type.identity, *to.mutable_identity_data());
}

void RequestWriter::meta(const Value& meta, const PluginTypes& types, wire6::DynamicValue& to) {
  if (!types.provider_meta()) return;
  const value::Type type = *types.provider_meta();
  value(meta.is_null() ? Value::null(type) : meta, type, to);
}

void RequestWriter::no_such_type(const std::string& type) {
  problems_.push_back(
      problem("The provider has no such type",
              fmt::format("The provider {} does not have the type {:?}.", provider_, type)));
}

void AnswerReader::wrong(std::string_view what, const value::Path& path) {
  Problem made = problem(
      "A provider returned an invalid answer",
      fmt::format(
          "The response of the provider {} to {} is invalid: {}. This is a bug in the provider.",
          provider_, method_, what));
  made.attribute = path;
  problems_.push_back(std::move(made));
}

bool AnswerReader::value(const wire6::DynamicValue& from, value::Type type, Value& to,
                         std::span<const Value> alike) {
  auto read = read_value(from, type, alike);
  if (!read) {
    wrong(value::to_string(read.error()), read.error().path);
    return false;
  }
  to = std::move(*read);
  return true;
}

bool AnswerReader::object(const wire6::DynamicValue& from, const PluginType& type, Value& to,
                          std::span<const Value> alike) {
  if (!value(from, type.object, to, alike)) return false;
  if (type.write_only.empty()) return true;
  for (const value::Path& path : type.write_only.paths(to)) {
    const auto found = value::follow(to, path);
    if (!found || found->is_null()) continue;
    wrong(fmt::format("{} is write-only, so it must be null", value::to_string(path)), path);
  }
  return true;
}

void AnswerReader::identity(bool is_there, const wire6::ResourceIdentityData& from,
                            const PluginType& type, Identity& to) {
  if (is_there && from.has_identity_data() && type.identity) {
    value(from.identity_data(), *type.identity, to);
  }
}

void AnswerReader::deferred(bool is_there) {
  if (!is_there) return;
  problems_.push_back(
      problem("A provider wants to do this later",
              fmt::format("The provider {} deferred its answer to {}, which this program did not "
                          "offer. This is a bug in the provider.",
                          provider_, method_)));
}

}  // namespace tofu::providers
