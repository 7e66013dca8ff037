// How fast text becomes a tree, per core.
//
// The input is every .tf file below the folder TOFU_BENCH_TREE, read before the
// clock starts; one round parses them all. bench/run.py makes the folder and
// holds the speed to its bar.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/memory.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace {

struct Input {
  tofu::diag::SourceMap sources;
  std::vector<tofu::diag::FileId> files;
  std::int64_t bytes = 0;
};

void read_tree(const std::filesystem::path& folder, Input& input) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tf") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    input.bytes += static_cast<std::int64_t>(text.size());
    input.files.push_back(input.sources.add(entry.path().string(), std::move(text)));
  }
}

void parse(benchmark::State& state, const Input& input) {
  for (auto _ : state) {
    tofu::diag::Diagnostics diags;
    for (const tofu::diag::FileId file : input.files) {
      benchmark::DoNotOptimize(tofu::syntax::parse_file(input.sources, file, diags));
    }
    if (diags.has_errors()) {
      state.SkipWithError("the generated files have errors");
      break;
    }
  }
  state.SetBytesProcessed(state.iterations() * input.bytes);
}

}  // namespace

int main(int argc, char** argv) {
  tofu::base::keep_freed_memory();  // as the program does
  const char* folder = std::getenv("TOFU_BENCH_TREE");
  if (folder == nullptr) {
    std::fputs("TOFU_BENCH_TREE must name a folder with .tf files\n", stderr);
    return 2;
  }
  Input input;
  read_tree(folder, input);
  benchmark::RegisterBenchmark("parse", [&input](benchmark::State& state) {
    parse(state, input);
  })->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
