// The values of a module that are needed before its child modules can be located: sources and
// versions of its calls, the instances of its providers, and that the variables it calls constant
// are.
//
// Everything is evaluated even if some of it fails, so that all errors of a module are reported in
// one run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "addrs/version.h"
#include "config/library_needs.h"
#include "config/module.h"
#include "config/static_eval.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "value/value.h"

namespace tofu::config {

// A module call with its early arguments settled.
struct SettledCall {
  const ModuleCall* call = nullptr;
  std::optional<addrs::ModuleSource> source;  // absent: reported why
  std::optional<addrs::Constraints> version;
};

// By name, so that what is reported does not depend on the order of files. Values that need an
// omitted library stay absent, here and below.
std::vector<SettledCall> settle_calls(StaticEvaluator& statics, const NeedsLeftOut& needs_left_out,
                                      diag::Diagnostics& diags);

// By "name.alias", and within by instance key: what each.value is.
using ProviderInstances = std::map<std::string, std::map<std::string, value::Value>>;
ProviderInstances settle_provider_instances(StaticEvaluator& statics,
                                            const NeedsLeftOut& needs_left_out,
                                            diag::Diagnostics& diags);
// The instances of one, whose for_each came to `given`. Problems are reported.
std::map<std::string, value::Value> settle_instances(const syntax::Expr& for_each,
                                                     const value::Value& given,
                                                     diag::Diagnostics& diags);

// `call` is where the module is called; absent for the root.
void check_constant_variables(StaticEvaluator& statics, const NeedsLeftOut& needs_left_out,
                              std::optional<diag::SourceRange> call, diag::Diagnostics& diags);

}  // namespace tofu::config
