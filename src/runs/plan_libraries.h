// The symbol libraries in a saved plan, for commands that read the plan without the sources of its
// configuration.
//
// The file is read when the first library is needed. A file that is no saved plan, or an encrypted
// one, has no libraries.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/source.h"
#include "runs/saved_configuration.h"
#include "symbols/library_finder.h"

namespace tofu::runs {

class PlanLibraries final : public symbols::LibraryFinder {
 public:
  // `path` is that of the saved plan.
  PlanLibraries(std::string path, diag::SourceMap& sources)
      : path_(std::move(path)), sources_(sources) {}

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics& diags) override;
  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override {
    return finder_->read(place, diags);
  }

 private:
  void read_plan();

  std::string path_;
  diag::SourceMap& sources_;
  bool is_read_ = false;
  std::optional<SavedConfiguration> configuration_;
  std::unique_ptr<symbols::LibraryFinder> finder_;
};

}  // namespace tofu::runs
