// Evaluates a whole program with unknown inputs, to find errors that are independent of the inputs.
//
// Every error is reported once, at its cause: the dependents of an object with an error are
// skipped.
#pragma once

#include <functional>
#include <string>

#include "addrs/provider.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "functions/table.h"

namespace tofu::eval {

// A block that makes sense by its schema: what its provider says of it is for the caller
// to ask.
struct ConfiguredBlock {
  ObjectId object;
  addrs::Provider provider;
  addrs::ResourceMode mode = addrs::ResourceMode::Managed;
  std::string type;     // empty: the configuration of the provider itself
  value::Value config;  // without marks, as far as it is known
  const syntax::Body* body;
  std::string address;
  const config::Module* module;  // in whose files it stands
};
using OnBlock = std::function<void(ConfiguredBlock block)>;

// `program` was compiled without errors. Returns the warnings that were reported, for later stages:
// what may still turn out null was not.
Deprecations validate(const Program& program, const functions::Table& functions,
                      const RunInfo& facts, diag::Diagnostics& diags,
                      DeprecationLevel deprecation = DeprecationLevel::All,
                      const OnBlock& on_block = {});

// Whether a value that a deprecated variable is given is worth a warning: what may still
// turn out null is not.
bool is_definitely_set(const value::Value& v);

}  // namespace tofu::eval
