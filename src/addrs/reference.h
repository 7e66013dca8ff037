// References: what the beginning of a traversal in an expression names.
//
// Only the shape is decided here, with what little the address layer may ask of
// the module the expression stands in (ParseRefContext); whether the object
// exists is found out where references are bound. Nothing here knows of
// configuration.
//
// A new root name takes effect only in modules that opted into its feature;
// elsewhere it stays a resource type, or old modules would change their meaning.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "addrs/objects.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "features/features.h"
#include "syntax/ast.h"

namespace tofu::addrs {

// The properties of a module that reference parsing depends on.
class ParseRefContext {
 public:
  virtual ~ParseRefContext() = default;
  virtual bool feature_enabled(features::Feature feature) const = 0;
  virtual bool has_any_managed_resource_of_type(std::string_view type) const = 0;
  virtual bool has_managed_resource(std::string_view type, std::string_view name) const = 0;
};

// Answers no to everything: the language without optional features.
const ParseRefContext& baseline();

// A Resource stands for all its instances or for its only one, and a ModuleCall
// likewise: the binder settles which.
using Subject = std::variant<Resource, ResourceInstance, InputVariable, LocalValue, ModuleCall,
                             ModuleCallInstance, ModuleCallOutput, CountAttr, EachAttr, PathAttr,
                             TerraformAttr, Self, FeatureBlock, OutputValue, Check, Run>;

std::string to_string(const Subject& subject);

struct Reference {
  Subject subject;
  diag::SourceRange range;                           // of the steps that name the subject
  std::span<const syntax::TraversalStep> remaining;  // of the parsed traversal

  std::string to_string() const;  // the subject and the remaining steps
};

diag::Checked<Reference> parse_reference(const syntax::Traversal& traversal,
                                         const ParseRefContext& context, diag::Diagnostics& diags);

// The same in a test file, where `run`, `output` and `check` are roots as well.
std::optional<Reference> parse_test_reference(const syntax::Traversal& traversal,
                                              const ParseRefContext& context,
                                              diag::Diagnostics& diags);

// Reports that `traversal`, which begins with the feature's prefix and a name,
// refers to a block that is not there; says how to reach a resource of that
// name if there is one.
void report_undefined_block(features::Feature feature, const syntax::Traversal& traversal,
                            const ParseRefContext& context, diag::Diagnostics& diags);

// The traversal, or steps of one, as written in native syntax.
std::string to_text(const syntax::Traversal& traversal);
std::string to_text(std::span<const syntax::TraversalStep> steps);

}  // namespace tofu::addrs
