#include <string>

#include "base/check.h"
#include "base/json_layout.h"
#include "base/json_text.h"
#include "state/state_file.h"
#include "state/state_pieces.h"
#include "value/json.h"

namespace tofu::state {

namespace {

constexpr std::size_t kPiece = 256 * 1024;
// Copying a shorter text is faster than recording it.
constexpr std::size_t kWorthLending = 256;

std::string_view status_text(CheckStatus status) {
  switch (status) {
    case CheckStatus::Unknown: return "unknown";
    case CheckStatus::Pass: return "pass";
    case CheckStatus::Fail: return "fail";
    case CheckStatus::Error: return "error";
  }
  base::broken_promise("check status out of range");
}

std::string_view kind_text(CheckKind kind) {
  switch (kind) {
    case CheckKind::Resource: return "resource";
    case CheckKind::Output: return "output";
    case CheckKind::Check: return "check";
    case CheckKind::Variable: return "var";
  }
  base::broken_promise("check kind out of range");
}

// Writes the compact text and hands it on in pieces, indented if asked.
class Writer {
 public:
  Writer(Layout layout, const std::function<bool(std::string_view)>& sink)
      : indenter_(indented_, "  "), layout_(layout), sink_(sink) {}

  // The output of the sink ends in `pieces`, and large objects are not copied.
  void lend_to(base::TextPieces& pieces) { pieces_ = &pieces; }

  bool write(const State& state) {
    out_ = "{\"version\":4,\"terraform_version\":";
    string(state.terraform_version);
    out_ += ",\"serial\":" + std::to_string(state.serial) + ",\"lineage\":";
    string(state.lineage);
    out_ += ",\"outputs\":{";
    for (const auto& [name, output] : state.outputs) {
      const auto unknown = state.unknown_of_outputs.find(name);
      write_output(name, output,
                   unknown == state.unknown_of_outputs.end() ? std::string_view()
                                                             : std::string_view(unknown->second));
    }
    out_ += "},\"resources\":[";
    bool first = true;
    for (const Resource* resource : state.resources()) {
      if (resource->address().object.mode == addrs::ResourceMode::Ephemeral) continue;
      if (!std::exchange(first, false)) out_ += ',';
      if (!write_resource(*resource)) return false;
    }
    out_ += "],\"check_results\":";
    write_checks(state);
    out_ += '}';
    if (!flush()) return false;
    // The local files of OpenTofu end in two.
    return sink_(layout_ == Layout::Indented ? "\n\n" : "\n");
  }

 private:
  void string(std::string_view text) { base::append_json_string(out_, text); }
  void member(std::string_view name, std::string_view text) {
    out_ += '"';
    out_ += name;
    out_ += "\":";
    string(text);
  }

  void write_unknown(std::string_view members) {
    if (members.empty()) return;
    out_ += ',';
    out_ += members;
  }

  void write_output(const std::string& name, const Output& output, std::string_view unknown) {
    if (out_.back() != '{') out_ += ',';
    const auto json = value::to_json(output.value);
    TOFU_CHECK(json.ok(), "outputs of a state are known and have no marks");
    string(name);
    out_ += ":{\"value\":" + *json + ",\"type\":" + value::type_to_json(output.value.type());
    if (output.sensitive) out_ += ",\"sensitive\":true";
    if (!output.deprecated.empty()) {
      out_ += ',';
      member("deprecated", output.deprecated);
    }
    write_unknown(unknown);
    out_ += '}';
  }

  bool write_resource(const Resource& resource) {
    const addrs::Resource& object = resource.address().object;
    out_ += '{';
    if (!resource.module_text().empty()) {
      member("module", resource.module_text());
      out_ += ',';
    }
    member("mode", object.mode == addrs::ResourceMode::Data ? "data" : "managed");
    out_ += ',';
    member("type", object.type);
    out_ += ',';
    member("name", object.name);
    const bool keyed = resource.has_provider_keys();
    if (!keyed) {
      out_ += ',';
      // Resources share their providers.
      if (provider_ != &resource.provider()) {
        provider_ = &resource.provider();
        provider_text_ = provider_->to_string();
      }
      member("provider", provider_text_);
    }
    out_ += ",\"instances\":[";
    bool good = true;
    resource.for_each([&](const Instance& instance) {
      if (!good) return;
      const std::string provider =
          keyed ? resource.provider_of(instance).to_string() : std::string();
      if (const Object* current = instance.current()) {
        write_object(instance.key(), "", *current, provider);
      }
      for (const auto& [key, deposed] : instance.deposed()) {
        write_object(instance.key(), key, deposed, provider);
      }
      if (out_.size() >= kPiece) good = flush();
    });
    out_ += ']';
    write_unknown(resource.unknown());
    out_ += '}';
    first_instance_ = true;
    return good;
  }

  void write_object(const addrs::InstanceKey& key, std::string_view deposed, const Object& object,
                    std::string_view provider) {
    out_ += std::exchange(first_instance_, false) ? "{" : ",{";
    if (!key.is_none()) {
      out_ += "\"index_key\":";
      if (key.number() != nullptr) {
        out_ += std::to_string(*key.number());
      } else {
        string(*key.text());
      }
      out_ += ',';
    }
    if (object.status() == ObjectStatus::Tainted) out_ += "\"status\":\"tainted\",";
    if (!deposed.empty()) {
      member("deposed", deposed);
      out_ += ',';
    }
    if (!provider.empty()) {
      member("provider", provider);
      out_ += ',';
    }
    if (pieces_ != nullptr && object.text().size() >= kWorthLending) {
      flush();
      pieces_->append_lent(object.text());
    } else {
      out_ += object.text();
    }
    out_ += '}';
  }

  void write_checks(const State& state) {
    if (state.checks.empty()) {
      out_ += "null";
      return;
    }
    char separator = '[';
    for (const CheckResult& result : state.checks) {
      out_ += std::exchange(separator, ',');
      out_ += '{';
      member("object_kind", kind_text(result.kind));
      out_ += ',';
      member("config_addr", result.address);
      out_ += ',';
      member("status", status_text(result.status));
      out_ += ",\"objects\":";
      write_checked(result.objects);
      out_ += '}';
    }
    out_ += ']';
  }

  void write_checked(const std::vector<CheckedObject>& objects) {
    if (objects.empty()) {
      out_ += "null";
      return;
    }
    char separator = '[';
    for (const CheckedObject& object : objects) {
      out_ += std::exchange(separator, ',');
      out_ += '{';
      member("object_addr", object.address);
      out_ += ',';
      member("status", status_text(object.status));
      if (!object.failures.empty()) {
        out_ += ",\"failure_messages\":";
        char between = '[';
        for (const std::string& message : object.failures) {
          out_ += std::exchange(between, ',');
          string(message);
        }
        out_ += ']';
      }
      out_ += '}';
    }
    out_ += ']';
  }

  bool flush() {
    bool good = true;
    if (layout_ == Layout::Compact) {
      good = sink_(out_);
    } else {
      indenter_.append(out_);
      good = sink_(indented_);
      indented_.clear();
    }
    out_.clear();
    return good;
  }

  std::string out_;
  std::string indented_;
  base::JsonIndenter indenter_;
  Layout layout_;
  const std::function<bool(std::string_view)>& sink_;
  base::TextPieces* pieces_ = nullptr;
  bool first_instance_ = true;
  const addrs::AbsProviderConfig* provider_ = nullptr;  // of the resource that was written last
  std::string provider_text_;
};

// The size of the text, or a little more: large ones are not to be copied while they grow.
std::size_t about_size(const State& state) {
  constexpr std::size_t kPerObject = 64;     // its key and what stands around it
  constexpr std::size_t kPerResource = 512;  // its address and its provider
  std::size_t size = kPerResource;
  for (const Resource* resource : state.resources()) {
    size += kPerResource;
    resource->for_each([&](const Instance& instance) {
      if (const Object* current = instance.current()) size += kPerObject + current->text().size();
    });
  }
  return size;
}

}  // namespace

bool write_state(const State& state, Layout layout,
                 const std::function<bool(std::string_view)>& sink) {
  return Writer(layout, sink).write(state);
}

base::TextPieces state_pieces(const State& state) {
  base::TextPieces pieces;
  const std::function<bool(std::string_view)> sink = [&](std::string_view piece) {
    pieces.append(piece);
    return true;
  };
  Writer writer(Layout::Compact, sink);
  writer.lend_to(pieces);
  writer.write(state);
  return pieces;
}

std::string state_text(const State& state, Layout layout) {
  std::string text;
  if (layout == Layout::Compact) text.reserve(about_size(state));
  write_state(state, layout, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

}  // namespace tofu::state
