// Configurations of histories, compiled. Each text is compiled once: histories differ in the values
// of variables far more often.
#pragma once

#include <optional>
#include <string>

#include "config/tree.h"
#include "diag/source.h"
#include "eval/program.h"
#include "functions/table.h"

namespace tofu::simulation {

struct Compiled {
  diag::SourceMap sources = {};
  config::Tree tree = {};
  std::optional<eval::Program> program = {};
};

// The program of a root module, which has to be without errors.
const Compiled& compiled(const std::string& text);
const functions::Table& function_table();

}  // namespace tofu::simulation
