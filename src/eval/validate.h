// Evaluating a whole program with unknown inputs, to find what cannot work
// whatever the inputs are.
//
// Every mistake is reported once, at its cause: an object that waits for one with
// a mistake is passed over.
#pragma once

#include <functional>
#include <string>

#include "addrs/provider.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "eval/names.h"
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

// `program` was compiled without errors. Gives what was warned about, for whoever goes on
// with the program: what may still turn out null was not.
Deprecations validate(const Program& program, const functions::Table& functions, const Facts& facts,
                      diag::Diagnostics& diags,
                      DeprecationLevel deprecation = DeprecationLevel::All,
                      const OnBlock& on_block = {});

// Whether a value that a deprecated variable is given is worth a warning: what may still
// turn out null is not.
bool is_certainly_given(const value::Value& v);

}  // namespace tofu::eval
