// The rules of the program.
//
// Each stands once here, under the name that the code uses, and has a section in docs/lint.md.
// A new rule is also added to the table in rules.cc.
#pragma once

#include <span>

#include "lint/rule.h"

namespace tofu::lint {

inline constexpr std::string_view kConfusing = "core:confusing";
inline constexpr std::string_view kImprovement = "core:improvement";
inline constexpr std::string_view kNoConverge = "core:noconverge";
inline constexpr std::string_view kUnused = "tofu:unused";
inline constexpr std::string_view kOutdated = "tofu:outdated";
inline constexpr std::string_view kSuspicious = "tofu:suspicious";
inline constexpr std::string_view kClarity = "tofu:clarity";
inline constexpr std::string_view kDocumented = "tofu:documented";
inline constexpr std::string_view kPinned = "tofu:pinned";
inline constexpr std::string_view kSecurity = "tofu:security";

inline constexpr Rule kNoTypeVariable{.id = "core:no-type-variable",
                                      .group = kConfusing,
                                      .severity = Severity::Warning,
                                      .summary = "Variable with no type",
                                      .help = "A variable without a type accepts every value."};
inline constexpr Rule kCountInsteadEnabled{
    .id = "core:count-instead-enabled",
    .group = kImprovement,
    .severity = Severity::Warning,
    .summary = "Could use enabled instead of count",
    .help = "A count that is 0 or 1 says less clearly what \"enabled\" says."};
inline constexpr Rule kUnusedVariable{.id = "core:unused-variable",
                                      .group = kImprovement,
                                      .severity = Severity::Warning,
                                      .summary = "Input variable not used",
                                      .help = "No expression of the module uses the variable."};
inline constexpr Rule kUnusedLocal{.id = "core:unused-local",
                                   .group = kImprovement,
                                   .severity = Severity::Warning,
                                   .summary = "Local value not used",
                                   .help = "No expression of the module uses the local value."};
inline constexpr Rule kImpureFunction{
    .id = "core:impurefunc",
    .group = kNoConverge,
    .severity = Severity::Warning,
    .summary = "Impure function used where convergence is expected",
    .help = "A resource argument that depends on timestamp, uuid or bcrypt differs in every plan."};
inline constexpr Rule kUnusedData{.id = "tofu:unused-data",
                                  .group = kUnused,
                                  .severity = Severity::Warning,
                                  .summary = "Data source not used",
                                  .help = "Reading costs time and nothing uses the result."};
inline constexpr Rule kUnusedProvider{.id = "tofu:unused-provider",
                                      .group = kUnused,
                                      .severity = Severity::Warning,
                                      .summary = "Required provider not used",
                                      .help = "init downloads a provider that nothing uses."};
inline constexpr Rule kUnusedProviderConfig{
    .id = "tofu:unused-provider-alias",
    .group = kUnused,
    .severity = Severity::Warning,
    .summary = "Provider configuration not used",
    .help = "No resource, call or function uses the alias."};
inline constexpr Rule kUnusedSymbols{
    .id = "tofu:unused-symbols",
    .group = kUnused,
    .severity = Severity::Warning,
    .summary = "Symbol library not used",
    .help = "The module imports a library and uses no symbol of it."};
inline constexpr Rule kUnusedOutput{.id = "tofu:unused-output",
                                    .group = kUnused,
                                    .severity = Severity::Notice,
                                    .summary = "Module output not used",
                                    .help = "No call of the local module reads the output."};
inline constexpr Rule kUnusedIgnore{.id = "tofu:unused-ignore",
                                    .group = kUnused,
                                    .severity = Severity::Warning,
                                    .summary = "Ignore comment without effect",
                                    .help = "A comment suppresses a finding that does not exist."};
inline constexpr Rule kInterpolationOnly{
    .id = "tofu:interpolation-only",
    .group = kOutdated,
    .severity = Severity::Warning,
    .summary = "Redundant interpolation",
    .help = "Quotes and ${ } around a whole expression have no effect since Terraform 0.12.",
    .has_fix = true};
inline constexpr Rule kLegacyIndex{.id = "tofu:legacy-index",
                                   .group = kOutdated,
                                   .severity = Severity::Warning,
                                   .summary = "Legacy index syntax",
                                   .help = "`a.0` is the old form of `a[0]`.",
                                   .has_fix = true};
inline constexpr Rule kLegacySplat{.id = "tofu:legacy-splat",
                                   .group = kOutdated,
                                   .severity = Severity::Warning,
                                   .summary = "Legacy splat syntax",
                                   .help = "`a.*.b` is the old form of `a[*].b`.",
                                   .has_fix = true};
inline constexpr Rule kLookupWithoutDefault{.id = "tofu:lookup-without-default",
                                            .group = kOutdated,
                                            .severity = Severity::Warning,
                                            .summary = "Call of lookup without a default",
                                            .help = "`lookup(m, k)` is the old form of `m[k]`.",
                                            .has_fix = true};
inline constexpr Rule kCommentSyntax{.id = "tofu:comment-syntax",
                                     .group = kOutdated,
                                     .severity = Severity::Notice,
                                     .summary = "Comment that begins with //",
                                     .help = "The usual form of a comment begins with #.",
                                     .has_fix = true};
inline constexpr Rule kDeprecatedType{
    .id = "tofu:superseded-type",
    .group = kOutdated,
    .severity = Severity::Warning,
    .summary = "Type with a successor in the language",
    .help =
        "null_resource, null_data_source and template_file are replaced by parts of the language."};
inline constexpr Rule kEmptyListEquality{
    .id = "tofu:empty-list-equality",
    .group = kSuspicious,
    .severity = Severity::Warning,
    .summary = "Comparison with an empty list",
    .help = "A list is never equal to [], because their types differ."};
inline constexpr Rule kConstantCondition{
    .id = "tofu:constant-condition",
    .group = kSuspicious,
    .severity = Severity::Warning,
    .summary = "Condition with a constant result",
    .help = "The condition has the same result for all values."};
inline constexpr Rule kSameBranches{
    .id = "tofu:same-branches",
    .group = kSuspicious,
    .severity = Severity::Warning,
    .summary = "Conditional with equal results",
    .help = "Both results of a conditional are the same expression."};
inline constexpr Rule kDuplicateKey{
    .id = "tofu:duplicate-key",
    .group = kSuspicious,
    .severity = Severity::Error,
    .summary = "Key given twice",
    .help = "An object has a key twice, and the first value is lost."};
inline constexpr Rule kShadowedName{.id = "tofu:shadowed-name",
                                    .group = kSuspicious,
                                    .severity = Severity::Warning,
                                    .summary = "Name hides another one",
                                    .help = "A `for` binds a name that has a meaning around it."};
inline constexpr Rule kDuplicateResource{.id = "tofu:duplicate-resource",
                                         .group = kSuspicious,
                                         .severity = Severity::Warning,
                                         .summary = "Resource declared twice",
                                         .help = "Two blocks of one type have the same content."};
inline constexpr Rule kRedundantConditional{.id = "tofu:redundant-conditional",
                                            .group = kClarity,
                                            .severity = Severity::Warning,
                                            .summary = "Redundant conditional",
                                            .help = "`c ? true : false` is `c`.",
                                            .has_fix = true};
inline constexpr Rule kBoolComparison{.id = "tofu:bool-comparison",
                                      .group = kClarity,
                                      .severity = Severity::Notice,
                                      .summary = "Comparison with true or false",
                                      .help = "`c == true` is `c`."};
inline constexpr Rule kCountOverList{
    .id = "tofu:count-over-list",
    .group = kClarity,
    .severity = Severity::Warning,
    .summary = "Count over a list",
    .help = "Removing an element changes the index of all later instances."};
inline constexpr Rule kDynamicConstant{.id = "tofu:dynamic-constant",
                                       .group = kClarity,
                                       .severity = Severity::Warning,
                                       .summary = "Dynamic block over a constant",
                                       .help = "Blocks that are known can be written out."};
inline constexpr Rule kWideIgnoreChanges{
    .id = "tofu:wide-ignore-changes",
    .group = kClarity,
    .severity = Severity::Warning,
    .summary = "All changes ignored",
    .help = "ignore_changes = all hides every change of the configuration."};
inline constexpr Rule kRedundantDependsOn{
    .id = "tofu:redundant-depends-on",
    .group = kClarity,
    .severity = Severity::Warning,
    .summary = "Redundant dependency",
    .help = "A reference in the same block implies the dependency already."};
inline constexpr Rule kVariableDescription{
    .id = "tofu:variable-description",
    .group = kDocumented,
    .severity = Severity::Notice,
    .summary = "Variable without a description",
    .help = "Descriptions appear in prompts and documentation."};
inline constexpr Rule kOutputDescription{.id = "tofu:output-description",
                                         .group = kDocumented,
                                         .severity = Severity::Notice,
                                         .summary = "Output without a description",
                                         .help = "Descriptions appear in documentation."};
inline constexpr Rule kNaming{
    .id = "tofu:naming",
    .group = kDocumented,
    .severity = Severity::Notice,
    .summary = "Name not in snake case",
    .help = "Names of lower-case words with underscores are the convention."};
inline constexpr Rule kRequiredVersion{
    .id = "tofu:required-version",
    .group = kPinned,
    .severity = Severity::Warning,
    .summary = "No required version",
    .help = "The module does not say which versions it is written for."};
inline constexpr Rule kProviderSource{.id = "tofu:provider-source",
                                      .group = kPinned,
                                      .severity = Severity::Warning,
                                      .summary = "Provider without a source",
                                      .help = "The source is guessed from the name."};
inline constexpr Rule kProviderVersion{
    .id = "tofu:provider-version",
    .group = kPinned,
    .severity = Severity::Warning,
    .summary = "Provider without a version constraint",
    .help = "Every version is accepted, also one that is not compatible."};
inline constexpr Rule kModuleVersion{
    .id = "tofu:module-version",
    .group = kPinned,
    .severity = Severity::Warning,
    .summary = "Module without a fixed version",
    .help = "The module can change without a change of this configuration."};
inline constexpr Rule kProviderInModule{.id = "tofu:provider-in-module",
                                        .group = kPinned,
                                        .severity = Severity::Warning,
                                        .summary = "Provider configuration in a called module",
                                        .help =
                                            "A module with its own provider configuration cannot "
                                            "be called with count, for_each or depends_on."};
inline constexpr Rule kSecretLiteral{.id = "tofu:secret-literal",
                                     .group = kSecurity,
                                     .severity = Severity::Error,
                                     .summary = "Secret in the configuration",
                                     .help = "A secret is written out in a file."};
inline constexpr Rule kSensitiveVariable{.id = "tofu:sensitive-variable",
                                         .group = kSecurity,
                                         .severity = Severity::Warning,
                                         .summary = "Variable for a secret not marked sensitive",
                                         .help = "The value appears in plans and logs."};
inline constexpr Rule kSensitiveDefault{
    .id = "tofu:sensitive-default",
    .group = kSecurity,
    .severity = Severity::Error,
    .summary = "Default of a sensitive variable",
    .help = "The default of a secret is written out in a file."};
inline constexpr Rule kSensitiveOutput{.id = "tofu:sensitive-output",
                                       .group = kSecurity,
                                       .severity = Severity::Warning,
                                       .summary = "Sensitive output not marked",
                                       .help = "The output has the value of a sensitive variable.",
                                       .has_fix = true};
inline constexpr Rule kCommandInterpolation{
    .id = "tofu:command-interpolation",
    .group = kSecurity,
    .severity = Severity::Warning,
    .summary = "Value inserted into a shell command",
    .help = "A value with special characters changes the command."};
inline constexpr Rule kInsecureSource{
    .id = "tofu:insecure-source",
    .group = kSecurity,
    .severity = Severity::Error,
    .summary = "Module source without encryption",
    .help = "The module is downloaded over a connection that can be changed on the way."};

// All of them, in the order of docs/lint.md.
std::span<const Rule* const> rules();

}  // namespace tofu::lint
