// Values, problems and paths between our own types and those of the provider protocol.
//
// Pure functions. Texts that are not UTF-8 are mended, and a path ends where the plugin
// names nothing; values are read as strictly as everywhere.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "providers/proto/tfplugin6.pb.h"
#include "providers/provider.h"
#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::providers {

Problem to_problem(const wire6::Diagnostic& diagnostic);
void add_problems(const google::protobuf::RepeatedPtrField<wire6::Diagnostic>& from,
                  std::vector<Problem>& to);

void write_flat(const std::map<std::string, std::string>& flat, wire6::RawState& to);

value::Path to_path(const wire6::AttributePath& path);

// `v` has no marks.
base::Result<void> write_value(const value::Value& v, value::Type type, wire6::DynamicValue& to);
// An empty message is null. Texts and objects that one of `alike` has, too, are shared with it.
value::PathResult<value::Value> read_value(const wire6::DynamicValue& from, value::Type type,
                                           std::span<const value::Value> alike = {});

}  // namespace tofu::providers
