// What has to be known of a module before the modules it calls can be looked for:
// sources and versions of its calls, the instances of its providers, and that the
// variables it calls constant are.
//
// Everything is evaluated even if some of it fails, so that all mistakes of a
// module come in one run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "config/module.h"
#include "config/static_eval.h"
#include "config/version.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "value/value.h"

namespace tofu::config {

// A module call with its early arguments settled.
struct SettledCall {
  const ModuleCall* call = nullptr;
  std::optional<addrs::ModuleSource> source;  // absent: reported why
  std::optional<Constraints> version;
};

// By name, so that what is reported does not depend on the order of files.
std::vector<SettledCall> settle_calls(StaticEvaluator& statics, diag::Diagnostics& diags);

// By "name.alias", and within by instance key: what each.value is.
using ProviderInstances = std::map<std::string, std::map<std::string, value::Value>>;
ProviderInstances settle_provider_instances(StaticEvaluator& statics, diag::Diagnostics& diags);
// The instances of one, whose for_each came to `given`. What is wrong with that is reported.
std::map<std::string, value::Value> settle_instances(const syntax::Expr& for_each,
                                                     const value::Value& given,
                                                     diag::Diagnostics& diags);

// `call` is where the module is called; absent for the root.
void check_constant_variables(StaticEvaluator& statics, std::optional<diag::SourceRange> call,
                              diag::Diagnostics& diags);

}  // namespace tofu::config
