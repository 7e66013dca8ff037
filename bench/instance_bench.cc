// How fast the instances of a resource are evaluated, on one core and on all.
//
// A resource of 20 arguments, 3 of which differ by instance, is read once and evaluated
// for a million values of count.index; and one value is copied and dropped by every core
// at once. Prints lines of JSON; bench/run.py shows them and holds them to their bars.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <time.h>
#include <utility>
#include <vector>

#include "config/no_modules.h"
#include "config/tree.h"
#include "eval/expressions.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "eval/shape.h"
#include "functions/table.h"
#include "schema/provider.h"
#include "value/value.h"

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using tofu::value::Type;
using tofu::value::Value;
namespace config = tofu::config;
namespace diag = tofu::diag;
namespace eval = tofu::eval;
namespace schema = tofu::schema;

constexpr std::size_t kInstances = 1'000'000;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class BigSchemas final : public schema::ProviderSchemas {
 public:
  BigSchemas() {
    schema::ResourceSchema big;
    for (char name = 'a'; name < 'a' + 20; ++name) {
      schema::Attribute attribute;
      attribute.name = std::string(1, name);
      attribute.type = Type::string();
      attribute.optional = true;
      big.block.attributes.push_back(std::move(attribute));
    }
    provider_.resources.emplace("big_thing", std::move(big));
  }
  const schema::ProviderSchema* find(const std::string& provider) const override {
    return provider.ends_with("/big") ? &provider_ : schema::builtin_schemas().find(provider);
  }

 private:
  schema::ProviderSchema provider_;
};

class Prefix final : public eval::Values {
 public:
  Value of(eval::ModuleInstanceId, eval::ObjectId) const override { return prefix_; }
  Value of_call(eval::ModuleInstanceId, config::ModuleId) const override { return Value(); }
  std::optional<Value> of_output(eval::ModuleInstanceId, eval::ObjectId,
                                 const Value*) const override {
    return std::nullopt;
  }

 private:
  Value prefix_ = Value::string("production-eu-west-1");
};

std::string text() {
  std::string out = "variable \"prefix\" {}\nresource \"big_thing\" \"x\" {\n  count = 1000000\n";
  for (char name = 'a'; name < 'a' + 17; ++name) {
    out += fmt::format("  {} = \"a literal of some length, number {}\"\n", name, name - 'a');
  }
  out += "  r = \"instance-${count.index}\"\n  s = count.index\n";
  out += "  t = \"${var.prefix}-${count.index}\"\n}\n";
  return out;
}

// A compiled configuration with everything it points into.
struct Compiled {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  tofu::functions::Table functions{tofu::functions::Environment{}};
  BigSchemas schemas;
  config::NoModules finder;
  config::Tree tree;
  eval::Program program;

  Compiled() {
    config::ParsedFiles files;
    files.directory = ".";
    files.primary.push_back(config::parse_module_file(
        sources, sources.add("main.tf", text()), {"main.tf", config::FileSyntax::Native}, diags));
    config::StaticInputs inputs;
    inputs.functions = &functions;
    inputs.root_variables = [](const config::Variable&, diag::Diagnostics&) {
      return std::optional(Value::unknown());
    };
    tree = config::link_modules(std::move(files), finder, inputs, sources, diags);
    tree.keep_literals_forever();
    program = eval::compile(tree, schemas, diags);
  }
};

// Evaluates instances [first, last) into `out`; allocations per instance.
double evaluate(const Compiled& compiled, std::size_t first, std::size_t last,
                std::vector<Value>& out) {
  const Prefix values;
  const eval::RunInfo facts;
  eval::Deprecations deprecations(*compiled.program.tree, eval::DeprecationLevel::None);
  const eval::Evaluation evaluation{compiled.program, values, compiled.functions, facts,
                                    deprecations};
  const auto& module = *compiled.program.node({0}).module;
  const eval::Shape& shape = *compiled.program.modules[0].shape;
  const auto& row = shape.rows()[shape.row_of(&*module.managed_resources.begin())];
  diag::Diagnostics diags;
  const std::size_t before = allocations;
  for (std::size_t i = first; i < last; ++i) {
    eval::InstanceScope instance_scope(config::ModuleId{0});
    instance_scope.count_index = Value::integer(static_cast<std::int64_t>(i));
    const eval::ModuleScope names(evaluation, std::move(instance_scope));
    out[i] = row.body->evaluate(names, diags);
  }
  if (diags.has_errors()) std::abort();
  return static_cast<double>(allocations - before) / static_cast<double>(last - first);
}

void on_all_cores(unsigned threads, const std::function<void(unsigned)>& work) {
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) running.emplace_back(work, i);
  for (std::thread& one : running) one.join();
}

double processor_seconds() {  // of this thread, so that other programs do not count
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Nanoseconds per copy and drop of one shared value, with so many threads at once.
double share(const Value& shared, unsigned threads) {
  constexpr int kCopies = 20'000'000;
  std::vector<double> spent(threads);
  on_all_cores(threads, [&](unsigned thread) {
    const double start = processor_seconds();
    for (int i = 0; i < kCopies; ++i) {
      const Value copy = shared;
      asm volatile("" : : "g"(&copy) : "memory");
    }
    spent[thread] = processor_seconds() - start;
  });
  return *std::ranges::max_element(spent) * 1e9 / kCopies;
}

void print(const std::string& name, double amount, const char* unit) {
  fmt::print("{{\"name\": \"{}\", \"amount\": {:.3f}, \"unit\": \"{}\"}}\n", name, amount, unit);
}

}  // namespace

int main() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const Compiled compiled;
  if (compiled.diags.has_errors()) return 2;
  std::vector<Value> out(kInstances);

  auto start = std::chrono::steady_clock::now();
  const double made = evaluate(compiled, 0, 100'000, out);
  print("one instance, one core", seconds_since(start) * 1e6 / 100'000, "us");
  print("allocations of one instance", made, "");

  start = std::chrono::steady_clock::now();
  on_all_cores(cores, [&](unsigned i) {
    (void)evaluate(compiled, kInstances * i / cores, kInstances * (i + 1) / cores, out);
  });
  print(fmt::format("a million instances, {} cores", cores), seconds_since(start), "s");
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  print("memory", static_cast<double>(usage.ru_maxrss) / 1024, "MB");

  const Value literal = out[0].plain().items()[0];
  print("one literal shared by one core", share(literal, 1), "ns");
  print(fmt::format("one literal shared by {} cores", cores), share(literal, cores), "ns");
}
