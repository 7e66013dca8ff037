#include "symbols/library_set.h"

#include <fmt/format.h>
#include <utility>

#include "addrs/module_source.h"
#include "base/graph.h"
#include "symbols/library_compile.h"
#include "symbols/library_examples.h"
#include "syntax/constants.h"

namespace tofu::symbols {

namespace {

constexpr const char* kInvalidSource = "Invalid symbol library source address";

// The version that a block asks for. False if an error was added.
bool read_version(const SymbolsImport& block, std::optional<addrs::Constraints>& out,
                  diag::Diagnostics& diags) {
  if (block.version == nullptr) return true;
  const auto text = syntax::constant_string(*block.version, diags);
  if (!text) return false;
  auto constraints = addrs::Constraints::parse(*text);
  if (!constraints) {
    diags.error("Invalid version constraint")
        .detail(fmt::format("{}. Write a constraint such as \">= 1.2.0, < 2.0.0\".",
                            constraints.error().what))
        .at(block.version->range);
    return false;
  }
  out = std::move(*constraints);
  return true;
}

// Where a library comes from is constant: types of variables may depend on it, so it
// cannot depend on variables.
std::optional<LibraryRequest> request_for(const SymbolsImport& block, const std::string& directory,
                                          diag::Diagnostics& diags) {
  if (block.source == nullptr) return std::nullopt;
  LibraryRequest request;
  request.name = block.name;
  request.parent_directory = directory;
  request.block_range = block.range;
  request.source_range = block.source->range;
  const auto text = syntax::constant_string(*block.source, diags);
  if (!text || !read_version(block, request.version, diags)) return std::nullopt;
  const auto refuse = [&](std::string detail) {
    diags.error(kInvalidSource).detail(std::move(detail)).at(request.source_range);
    return std::nullopt;
  };
  if (request.version) {
    auto source = addrs::parse_versioned_source(*text);
    if (!source) return refuse(fmt::format("{}.", source.error().what));
    request.source = std::move(*source);
    return request;
  }
  auto source = addrs::parse_module_source(*text);
  if (!source) {
    return refuse(fmt::format("{}. A local path must begin with ./ or ../.", source.error().what));
  }
  request.source = std::move(*source);
  return request;
}

functions::Environment self_contained() {
  functions::Environment environment;
  environment.self_contained = true;
  return environment;
}

}  // namespace

LibrarySet::LibrarySet(LibraryFinder* finder, const diag::SourceMap& sources)
    : finder_(finder), sources_(sources), builtin_(self_contained()) {}

void LibrarySet::keep_literals_forever() const {
  for (const auto& library : libraries_) library->keep_literals_forever();
}

void LibrarySet::check_examples(const std::function<bool(const Library&)>& wanted,
                                diag::Diagnostics& diags) const {
  for (const auto& library : libraries_) {
    if (!wanted || wanted(*library)) symbols::check_examples(*library, builtin_, diags);
  }
}

std::vector<std::string> LibrarySet::directories() const {
  std::vector<std::string> out;
  for (const auto& library : libraries_) out.push_back(library->directory);
  return out;
}

LibraryImports LibrarySet::load(const base::Named<SymbolsImport>& blocks,
                                const std::string& directory, diag::Diagnostics& diags) {
  const std::size_t first = libraries_.size();
  LibraryImports imports = follow(blocks, directory, diags);
  finish_from(first, diags);
  return imports;
}

const Library* LibrarySet::load(const LibraryRequest& request, diag::Diagnostics& diags) {
  const std::size_t first = libraries_.size();
  const Library* library = find(request, diags);
  finish_from(first, diags);
  return library;
}

void LibrarySet::finish_from(std::size_t first, diag::Diagnostics& diags) {
  // The list grows while it is worked through.
  for (std::size_t next = first; next < libraries_.size(); ++next) {
    Library& library = *libraries_[next];
    const std::size_t before = diags.size();
    LibraryImports found = follow(library.import_blocks, library.directory, diags);
    library.imports = std::move(found);
    library.name_blocks(diags.items_from(before));
  }
  compile_from(first, diags);
}

LibraryImports LibrarySet::follow(const base::Named<SymbolsImport>& blocks,
                                  const std::string& directory, diag::Diagnostics& diags) {
  LibraryImports imports;
  for (const SymbolsImport& block : blocks) {
    LibraryImport import{block.name, block.name_range};
    if (const auto request = request_for(block, directory, diags)) {
      import.source = addrs::to_string(request->source);
      if (request->version) import.version = request->version->to_string();
      import.library = find(*request, diags);
    }
    imports.add(block.name, std::move(import));
  }
  return imports;
}

const Library* LibrarySet::find(const LibraryRequest& request, diag::Diagnostics& diags) {
  if (finder_ == nullptr) {
    diags.error("Symbol library not available")
        .detail("Symbol libraries are not available here.")
        .at(request.source_range);
    return nullptr;
  }
  auto place = finder_->locate(request, diags);
  if (!place) return nullptr;
  const auto known = by_path_.find(place->path);
  if (known != by_path_.end()) return known->second;
  auto library = declare_library(finder_->read(*place, diags), sources_, diags);
  library->path = std::move(place->path);
  library->directory = std::move(place->directory);
  by_path_.emplace(library->path, library.get());
  libraries_.push_back(std::move(library));
  return libraries_.back().get();
}

void LibrarySet::report_cycle(std::size_t first, const std::vector<std::uint32_t>& cycle,
                              diag::Diagnostics& diags) const {
  std::string way;
  for (const std::uint32_t each : cycle) way += libraries_[first + each]->path + " imports ";
  const Library& start = *libraries_[first + cycle[0]];
  const Library* next = libraries_[first + cycle[1 % cycle.size()]].get();
  const std::size_t before = diags.size();
  auto entry = diags.error("Symbol library cycle");
  entry.detail(
      fmt::format("{0} imports itself: {1}{0}. Move the shared parts into a separate library.",
                  start.path, way));
  for (const LibraryImport& import : start.imports) {
    if (import.library == next) entry.at(start.import_blocks.find(import.name)->source->range);
  }
  start.name_blocks(diags.items_from(before));
}

// Compiles libraries from the one at `first` on. Their imports come after them or are compiled
// already.
void LibrarySet::compile_from(std::size_t first, diag::Diagnostics& diags) {
  std::unordered_map<const Library*, std::uint32_t> numbers;
  for (std::size_t i = first; i < libraries_.size(); ++i) {
    numbers.emplace(libraries_[i].get(), static_cast<std::uint32_t>(i - first));
  }
  std::vector<std::vector<std::uint32_t>> needs(numbers.size());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    for (const LibraryImport& import : libraries_[first + i]->imports) {
      const auto other = numbers.find(import.library);
      if (other != numbers.end()) needs[i].push_back(other->second);
    }
  }
  const base::Ordered order = base::order(base::Waits::of_lists(needs), base::Alone::Cycle);
  for (const auto& cycle : order.cycles) report_cycle(first, cycle, diags);
  for (const std::uint32_t each : order.order) {
    Library& library = *libraries_[first + each];
    for (LibraryImport& import : library.imports) {
      // Not compiled yet although its turn was before: part of a cycle.
      if (numbers.contains(import.library)) import.library = nullptr;
    }
    compile_library(library, builtin_, sources_, calls_, diags);
    numbers.erase(&library);
  }
}

}  // namespace tofu::symbols
