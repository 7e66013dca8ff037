#include "runs/remote_plan.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/terminal.h"
#include "cloud/plan_document.h"
#include "cloud/saved_plan.h"
#include "net/json_fields.h"
#include "views/plan_text.h"
#include "workdir/access.h"
#include "workdir/remote_workspace.h"

namespace tofu::runs {

namespace {

constexpr std::uint64_t kMaxBookmarkSize = std::uint64_t{1} << 16;
constexpr std::int64_t kBookmarkFormat = 1;

bool refuse(const std::string& detail, diag::Diagnostics& diags) {
  diags.error("Cannot show the remote plan").detail(detail);
  return false;
}

std::string status_line(const cloud::SavedPlan& plan) {
  std::string status = plan.run_status;  // such as planned_and_saved
  std::ranges::replace_if(
      status, [](char c) { return c < 'a' || c > 'z'; }, ' ');
  return fmt::format("Run status: {} ({})\nWorkspace is {}", status,
                     plan.is_confirmable ? "confirmable" : "not confirmable",
                     plan.is_locked ? "locked" : "unlocked");
}

}  // namespace

base::Result<void> print_plan_document(std::string_view json, const cloud::SavedPlan& facts,
                                       bool show_sensitive, cli::Terminal& terminal) {
  auto document = cloud::read_plan_document(json);
  if (!document) {
    return base::Error{
        fmt::format("the response of the service is not a valid plan: {}", document.error().what)};
  }
  plans::Plan& plan = document->plan;
  plan.mode = facts.mode;
  plan.errored = facts.is_errored;
  plan.applyable = facts.has_changes;
  views::write_plan_text(plan, document->schemas,
                         {.color = terminal.view.color,
                          .show_sensitive = show_sensitive,
                          .in_automation = true,
                          .width = terminal.out_width},
                         [&](std::string_view piece) { terminal.out.write(piece); });
  return {};
}

std::optional<Bookmark> parse_bookmark(std::string_view text) {
  if (text.size() > kMaxBookmarkSize) return std::nullopt;
  const auto document = net::parse_json_object(text);
  const value::Value* format = document ? document->unmarked().find("remote_plan_format") : nullptr;
  if (format == nullptr || format->kind() != value::Kind::Number ||
      format->unmarked().as_number().to_int64() != kBookmarkFormat) {
    return std::nullopt;
  }
  Bookmark bookmark{net::text_at(*document, "run_id"), net::text_at(*document, "hostname")};
  if (!bookmark.run.starts_with("run-") || bookmark.host.empty()) return std::nullopt;
  return bookmark;
}

std::optional<Bookmark> read_bookmark(const std::string& path) {
  const auto text = base::read_file(path, kMaxBookmarkSize);
  return text ? parse_bookmark(*text) : std::nullopt;
}

diag::Checked<void> write_bookmark(const std::string& path, const Bookmark& bookmark,
                                   diag::Diagnostics& diags) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.field("remote_plan_format", kBookmarkFormat);
  writer.field("run_id", std::string_view(bookmark.run));
  writer.field("hostname", std::string_view(bookmark.host));
  writer.end_object();
  const auto written = base::write_file(path, json);
  if (written) return true;
  diags.error("Cannot save the plan")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return false;
}

diag::Checked<void> print_remote_plan(const Bookmark& bookmark, const Showing& showing,
                                      workdir::StateAccess& access, diag::Diagnostics& diags) {
  if (showing.html) {
    return refuse("The plan is stored remotely. The service shows it in the browser.", diags);
  }
  const auto connection = workdir::connect(access, diags);
  if (!connection) return false;
  if (!connection->service || connection->service->settings().flavor != cloud::Flavor::Cloud) {
    return refuse(fmt::format("The plan is stored at {}, but the configuration has no cloud block.",
                              bookmark.host),
                  diags);
  }
  const std::string host = connection->service->settings().host.for_display();
  if (bookmark.host != host) {
    return refuse(
        fmt::format("The plan is stored at {}, but this directory uses {}.", bookmark.host, host),
        diags);
  }
  const auto saved = cloud::read_saved_plan(
      *connection->service, bookmark.run,
      showing.json ? cloud::PlanForm::ForPrograms : cloud::PlanForm::ForPeople);
  if (!saved) return refuse(fmt::format("Reading the plan failed: {}.", saved.error().what), diags);
  if (showing.json) {
    (showing.into != nullptr ? *showing.into : access.terminal.out).line(saved->json);
    return true;
  }
  access.terminal.out.line(fmt::format(
      "To look at this run in a browser, visit:\n{}",
      connection->service->page(fmt::format("{}/runs/{}", saved->workspace, bookmark.run))));
  const auto printed =
      print_plan_document(saved->json, *saved, showing.show_sensitive, access.terminal);
  if (!printed)
    return refuse(fmt::format("Reading the plan failed: {}.", printed.error().what), diags);
  access.terminal.out.line("\n" + status_line(*saved));
  return true;
}

}  // namespace tofu::runs
