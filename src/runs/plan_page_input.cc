#include "runs/plan_page_input.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "cli/version_info.h"
#include "diag/source.h"

namespace tofu::runs {

namespace {

class GraphMaker {
 public:
  void add_program(const eval::Program& program) {
    graph_.waits = program.waits;
    for (std::uint32_t i = 0; i < program.objects.size(); ++i) {
      const bool is_resource = program.objects[i].kind == eval::ObjectKind::Resource;
      graph_.names.push_back(is_resource ? eval::describe(program, {i}) : "");
      if (is_resource) nodes_.emplace(graph_.names.back(), i);
    }
  }

  // Resources that only the state knows come after the program's rows, each with what
  // all of its objects depended on.
  void add_state(const state::State& prior) {
    std::vector<std::pair<std::uint32_t, const state::Resource*>> added;
    for (const state::Resource* resource : prior.resources()) {
      const std::string name = addrs::config_of(resource->address()).to_string();
      const auto next = static_cast<std::uint32_t>(graph_.names.size());
      const auto [at, is_new] = nodes_.emplace(name, next);
      if (is_new) graph_.names.push_back(name);
      if (at->second >= program_rows()) added.emplace_back(at->second, resource);
    }
    std::ranges::stable_sort(added, {}, [](const auto& each) { return each.first; });
    for (auto at = added.begin(); at != added.end();) {
      const std::uint32_t node = at->first;
      std::vector<std::uint32_t> waits;
      for (; at != added.end() && at->first == node; ++at) add_waits(*at->second, waits);
      std::ranges::sort(waits);
      waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
      std::erase(waits, node);
      graph_.waits.edges.insert(graph_.waits.edges.end(), waits.begin(), waits.end());
      graph_.waits.close();
    }
  }

  views::PageGraph finish() { return std::move(graph_); }

 private:
  std::uint32_t program_rows() const { return graph_.waits.size(); }

  void add_waits(const state::Resource& resource, std::vector<std::uint32_t>& waits) {
    resource.for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr) return;
      for (const addrs::ConfigResource& each : instance.current()->dependencies()) {
        if (const auto at = nodes_.find(each.to_string()); at != nodes_.end())
          waits.push_back(at->second);
      }
    });
  }

  views::PageGraph graph_;
  std::unordered_map<std::string, std::uint32_t> nodes_;  // of resources, by name
};

std::string place_of(const diag::Diagnostic& diagnostic, const diag::SourceMap& sources) {
  if (!diagnostic.subject) return diagnostic.address;
  const diag::SourceRange at = *diagnostic.subject;
  return fmt::format("{}:{}", sources.name(at.file), sources.position(at.file, at.begin).line);
}

}  // namespace

views::PageGraph page_graph(const eval::Program& program, const state::State& prior) {
  GraphMaker maker;
  maker.add_program(program);
  maker.add_state(prior);
  return maker.finish();
}

views::PlanPageInput page_facts(const eval::Program& program, const state::State& prior,
                                std::string workspace, const diag::Diagnostics& diags,
                                const diag::SourceMap& sources) {
  views::PlanPageInput facts;
  facts.version = cli::kTofuVersion;
  facts.workspace = std::move(workspace);
  facts.graph = page_graph(program, prior);
  diag::Diagnostics sorted = diags;
  sorted.sort_for_display(sources);
  for (const diag::Diagnostic& each : sorted.items()) {
    facts.notices.push_back({.is_error = each.severity == diag::Severity::Error,
                             .summary = each.summary,
                             .detail = each.detail,
                             .place = place_of(each, sources)});
  }
  return facts;
}

}  // namespace tofu::runs
