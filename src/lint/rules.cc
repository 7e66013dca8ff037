#include "lint/rules.h"

namespace tofu::lint {

std::span<const Rule* const> rules() {
  static constexpr const Rule* kRules[] = {
      &kNoTypeVariable,     &kCountInsteadEnabled,  &kUnusedVariable,       &kUnusedLocal,
      &kImpureFunction,     &kUnusedData,           &kUnusedProvider,       &kUnusedProviderConfig,
      &kUnusedSymbols,      &kUnusedOutput,         &kUnusedIgnore,         &kInterpolationOnly,
      &kLegacyIndex,        &kLegacySplat,          &kLookupWithoutDefault, &kCommentSyntax,
      &kDeprecatedType,     &kEmptyListEquality,    &kConstantCondition,    &kSameBranches,
      &kDuplicateKey,       &kShadowedName,         &kDuplicateResource,    &kRedundantConditional,
      &kBoolComparison,     &kCountOverList,        &kDynamicConstant,      &kWideIgnoreChanges,
      &kRedundantDependsOn, &kVariableDescription,  &kOutputDescription,    &kNaming,
      &kRequiredVersion,    &kProviderSource,       &kProviderVersion,      &kModuleVersion,
      &kProviderInModule,   &kSecretLiteral,        &kSensitiveVariable,    &kSensitiveDefault,
      &kSensitiveOutput,    &kCommandInterpolation, &kInsecureSource,
  };
  return kRules;
}

}  // namespace tofu::lint
