#include "provisioners/provisioner.h"

#include <fmt/format.h>

#include "provisioners/provisioner_parts.h"

namespace tofu::provisioners {

using value::Value;

base::Result<void> run_provisioner(const ProvisionerRun& run) {
  if (run.type == "local-exec") return run_local_exec(run);
  if (run.type == "remote-exec") return run_remote_exec(run);
  if (run.type == "file") return run_file(run);
  return base::Error{fmt::format("the provisioner type {:?} does not exist", run.type)};
}

bool is_set(const Value& block, std::string_view name) {
  const Value* found = block.plain().find(name);
  return found != nullptr && !found->is_null();
}

std::string text_argument(const Value& block, std::string_view name) {
  return is_set(block, name) ? std::string(block.plain().find(name)->plain().as_string()) : "";
}

std::vector<std::string> list_argument(const Value& block, std::string_view name) {
  std::vector<std::string> texts;
  if (!is_set(block, name)) return texts;
  for (const Value& item : block.plain().find(name)->plain().items()) {
    if (!item.is_null()) texts.emplace_back(item.plain().as_string());
  }
  return texts;
}

void Lines::add(std::string_view text) {
  constexpr std::size_t kLongest = std::size_t{64} << 10;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    begun_ += text.substr(0, end);
    out_(begun_);
    begun_.clear();
    text.remove_prefix(end + 1);
  }
  begun_ += text;
  if (begun_.size() > kLongest) flush();
}

void Lines::flush() {
  if (!begun_.empty()) out_(begun_);
  begun_.clear();
}

}  // namespace tofu::provisioners
