// Evaluating a whole program with unknown inputs, to find what cannot work
// whatever the inputs are.
//
// Every mistake is reported once, at its cause: an object that waits for one with
// a mistake is passed over.
#pragma once

#include "diag/diagnostic.h"
#include "eval/deprecation.h"
#include "eval/names.h"
#include "eval/program.h"
#include "functions/table.h"

namespace tofu::eval {

// `program` was compiled without errors.
void validate(const Program& program, const functions::Table& functions, const Facts& facts,
              diag::Diagnostics& diags, DeprecationLevel deprecation = DeprecationLevel::All);

}  // namespace tofu::eval
