#include "install/lock_file_read.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/constraints_text.h"
#include "addrs/provider.h"
#include "addrs/version.h"
#include "syntax/analysis.h"
#include "syntax/constants.h"

namespace tofu::install {

namespace {

const syntax::BodySchema& schema(bool version_required) {
  static const syntax::BodySchema kRequired{
      .attributes = {{"version", true}, {"constraints"}, {"hashes"}}, .blocks = {}};
  static const syntax::BodySchema kOptional{
      .attributes = {{"version"}, {"commit"}, {"constraints"}, {"hashes"}}, .blocks = {}};
  return version_required ? kRequired : kOptional;
}

// The address that the label is, in normal form.
diag::Checked<std::string> read_address(const syntax::Label& label, diag::Diagnostics& diags) {
  diag::Diagnostics unread;  // says how to write a source, which this is not
  const auto provider = addrs::parse_provider_source(label.text, std::nullopt, unread);
  std::string problem;
  if (!provider) {
    problem = "A provider is locked by its whole address: hostname/namespace/type.";
  } else if (provider->is_builtin()) {
    problem = fmt::format(
        "The provider {} is a part of this program, so it has no version that "
        "could be locked.",
        provider->to_string());
  } else if (provider->is_legacy()) {
    problem =
        fmt::format("The address {} is of a kind that cannot be locked.", provider->to_string());
  } else if (provider->to_string() != label.text) {
    problem =
        fmt::format("Write the whole address in its normal form: {:?}.", provider->to_string());
  } else {
    return provider->to_string();
  }
  diags.error("Unsuitable provider address").detail(std::move(problem)).at(label.range);
  return std::nullopt;
}

void report_version(const syntax::Expr& expr, std::string detail, diag::Diagnostics& diags) {
  diags.error("Unsuitable version in a lock file").detail(std::move(detail)).at(expr.range);
}

std::string provider_version(const syntax::Expr& expr, diag::Diagnostics& diags) {
  const auto text = syntax::constant_string(expr, diags);
  if (!text) return "";
  const auto version = addrs::Version::parse(*text);
  if (!version || !version->is_strict()) {
    report_version(
        expr, fmt::format("{:?} is not a version of a provider, such as \"1.2.3\".", *text), diags);
    return "";
  }
  if (version->to_string() != *text) {
    report_version(expr,
                   fmt::format("Versions must be in normal form here: {:?}.", version->to_string()),
                   diags);
  }
  return *text;
}

void report_constraints(const syntax::Expr& expr, std::string detail, diag::Diagnostics& diags) {
  diags.error("Unsuitable version constraints in a lock file")
      .detail(std::move(detail))
      .at(expr.range);
}

std::string provider_constraints(const syntax::Expr& expr, diag::Diagnostics& diags) {
  const auto text = syntax::constant_string(expr, diags);
  if (!text) return "";
  const auto constraints = addrs::Constraints::parse(*text);
  if (!constraints) {
    report_constraints(
        expr, fmt::format("These are not version constraints: {}.", constraints.error().what),
        diags);
    return "";
  }
  const std::string normal = addrs::constraints_text(constraints->all());
  if (normal != *text) {
    report_constraints(expr, fmt::format("Constraints must be in normal form here: {:?}.", normal),
                       diags);
  }
  return *text;
}

// One text, or a list of them where several calls differ.
std::vector<std::string> module_constraints(const syntax::Expr& expr, diag::Diagnostics& diags) {
  diag::Diagnostics unread;
  std::vector<const syntax::Expr*> items{&expr};
  if (const auto list = syntax::as_list(expr, unread)) items.assign(list->begin(), list->end());
  std::vector<std::string> all;
  for (const syntax::Expr* item : items) {
    auto text = syntax::constant_string(*item, diags);
    if (!text) continue;
    const auto constraints = addrs::Constraints::parse(*text);
    if (constraints && !constraints->empty()) {
      all.push_back(std::move(*text));
    } else {
      report_constraints(*item, fmt::format("{:?} is not a version constraint.", *text), diags);
    }
  }
  return all;
}

std::vector<std::string> read_hashes(const syntax::Expr& expr, diag::Diagnostics& diags) {
  std::vector<std::string> hashes;
  const auto items = syntax::as_list(expr, diags);
  if (!items) return hashes;
  if (items->empty()) {
    diags.error("Unsuitable hashes in a lock file")
        .detail("The list of hashes must not be empty; omit it if no hash is known.")
        .at(expr.range);
  }
  for (const syntax::Expr* item : *items) {
    auto text = syntax::constant_string(*item, diags);
    if (!text) continue;
    const std::size_t colon = text->find(':');
    if (colon == 0 || colon == std::string::npos) {
      // At the whole list, where OpenTofu reports it.
      diags.error("Unsuitable hashes in a lock file")
          .detail(fmt::format("{:?} is not a hash: it begins with its kind and a colon.", *text))
          .at(expr.range);
      continue;
    }
    hashes.push_back(std::move(*text));
  }
  std::ranges::sort(hashes);
  const auto same = std::ranges::unique(hashes);
  hashes.erase(same.begin(), same.end());
  return hashes;
}

}  // namespace

std::optional<NamedProviderLock> read_provider_lock(const syntax::Block& block,
                                                    diag::Diagnostics& diags) {
  auto address = read_address(block.labels[0], diags);
  if (!address) return std::nullopt;
  NamedProviderLock named{std::move(*address), {}};
  named.lock.range = block.range;
  const syntax::Content content = block.body.content(schema(true), diags);
  if (const syntax::Attribute* version = content.attribute("version")) {
    named.lock.version = provider_version(*version->expr, diags);
  }
  if (const syntax::Attribute* constraints = content.attribute("constraints")) {
    named.lock.constraints = provider_constraints(*constraints->expr, diags);
  }
  if (const syntax::Attribute* hashes = content.attribute("hashes")) {
    named.lock.hashes = read_hashes(*hashes->expr, diags);
  }
  return named;
}

ModuleLock read_module_lock(const syntax::Block& block, diag::Diagnostics& diags) {
  ModuleLock lock;
  lock.label = block.labels[0].text;
  lock.range = block.range;
  const syntax::Content content = block.body.content(schema(false), diags);
  if (const syntax::Attribute* version = content.attribute("version")) {
    lock.version = syntax::constant_string(*version->expr, diags).value_or("");
  }
  if (const syntax::Attribute* commit = content.attribute("commit")) {
    lock.commit = syntax::constant_string(*commit->expr, diags).value_or("");
  }
  if (const syntax::Attribute* constraints = content.attribute("constraints")) {
    lock.constraints = module_constraints(*constraints->expr, diags);
  }
  if (const syntax::Attribute* hashes = content.attribute("hashes")) {
    lock.hashes = read_hashes(*hashes->expr, diags);
  }
  return lock;
}

}  // namespace tofu::install
