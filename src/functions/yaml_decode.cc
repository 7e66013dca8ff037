#include "functions/yaml_decode.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include <yaml.h>

#include "base/unicode.h"
#include "functions/yaml_scalar.h"
#include "value/convert.h"

namespace tofu::functions {

namespace {

using value::Kind;
using value::Value;

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// libyaml's parser, one event at a time. An event is valid until the next.
class Events {
 public:
  explicit Events(std::string_view text) : ready_(yaml_parser_initialize(&parser_) == 1) {
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    release();
    if (ready_) yaml_parser_delete(&parser_);
  }

  // Null at a syntax error.
  const yaml_event_t* next() {
    release();
    held_ = ready_ && yaml_parser_parse(&parser_, &event_) == 1;
    return held_ ? &event_ : nullptr;
  }

  // Where libyaml refuses a colon that go-cty-yaml takes as text: [a:] is ["a:"].
  std::optional<std::size_t> refused_colon() const {
    if (held_ || !ready_ || text_of_problem() != "found unexpected ':'") return std::nullopt;
    return parser_.problem_mark.index;
  }

  base::Error syntax_error() const {
    return base::Error{fmt::format("line {}, column {}: {}", parser_.problem_mark.line + 1,
                                   parser_.problem_mark.column + 1, text_of_problem())};
  }

 private:
  std::string_view text_of_problem() const {
    return ready_ && parser_.problem != nullptr ? parser_.problem : "out of memory";
  }

  void release() {
    if (held_) yaml_event_delete(&event_);
    held_ = false;
  }

  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ready_;
  bool held_ = false;
};

ScalarStyle style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return ScalarStyle::Quoted;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE: return ScalarStyle::Block;
    case YAML_ANY_SCALAR_STYLE:
    case YAML_PLAIN_SCALAR_STYLE: break;
  }
  return ScalarStyle::Plain;
}

// A value and how many nodes it would have without aliases.
struct Weighed {
  Value value;
  std::size_t weight = 1;
};

// A mapping or sequence that is being read.
struct Open {
  bool is_mapping = false;
  bool is_flow = false;  // in brackets or braces
  std::string anchor;
  std::vector<Value> items{};             // of a sequence
  std::vector<value::Attr> attributes{};  // of a mapping, in order: the last of a name wins
  std::optional<std::string> key{};       // whose value comes next
  bool merging = false;                   // the next value is merged in
  std::size_t weight = 1;
};

// Turns libyaml's positions, which count characters, into byte offsets. Asked
// for ever later positions, it reads the text once.
class Offsets {
 public:
  explicit Offsets(std::string_view text) : text_(text) {}

  std::size_t byte_of(std::size_t character) {
    if (character < character_) byte_ = character_ = 0;
    for (; character_ < character && byte_ < text_.size(); ++character_) {
      byte_ += base::decode_utf8(text_.substr(byte_)).length;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  std::size_t character_ = 0;
  std::size_t byte_ = 0;
};

class Decoder {
 public:
  // `colon` is text that stands for a colon in scalars; empty for none.
  Decoder(std::string_view text, std::string_view colon)
      : text_(text.empty() ? "\n" : text), colon_(colon), events_(text_), offsets_(text_) {}

  // Byte offset of the colon at which run() stopped, if that was the reason.
  std::optional<std::size_t> refused_colon() {
    const auto character = events_.refused_colon();
    if (!character) return std::nullopt;
    return offsets_.byte_of(*character);
  }

  base::Result<Value> run() {
    if (!events_.next()) return events_.syntax_error();  // the start of the stream
    const yaml_event_t* event = events_.next();
    if (!event) return events_.syntax_error();
    if (event->type != YAML_DOCUMENT_START_EVENT) return at(*event, "the text has no content");
    const yaml_version_directive_t* version = event->data.document_start.version_directive;
    if (version != nullptr && (version->major != 1 || version->minor != 1)) {
      return at(*event, "only YAML 1.1 is supported");
    }
    while (!root_) {
      event = events_.next();
      if (!event) return events_.syntax_error();
      if (!take(*event)) return std::move(*failure_);
    }
    event = events_.next();  // the end of the document
    if (event) event = events_.next();
    if (!event) return events_.syntax_error();
    if (event->type != YAML_STREAM_END_EVENT) {
      return at(*event, "only one document is allowed");
    }
    return *std::move(root_);
  }

 private:
  static base::Error at(const yaml_event_t& event, std::string_view what) {
    return base::Error{fmt::format("line {}, column {}: {}", event.start_mark.line + 1,
                                   event.start_mark.column + 1, what)};
  }

  bool fail(const yaml_event_t& event, std::string_view what) {
    failure_ = at(event, what);
    return false;
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().is_mapping && !open_.back().key && !open_.back().merging;
  }

  bool take(const yaml_event_t& event) {
    if (expects_key() && event.type != YAML_MAPPING_END_EVENT) return key(event);
    switch (event.type) {
      case YAML_SCALAR_EVENT: return scalar(event);
      case YAML_ALIAS_EVENT: return alias(event);
      case YAML_SEQUENCE_START_EVENT:
        return start(event,
                     {.is_flow = event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                      .anchor = std::string(text_of(event.data.sequence_start.anchor))},
                     text_of(event.data.sequence_start.tag));
      case YAML_MAPPING_START_EVENT:
        return start(event,
                     {.is_mapping = true,
                      .is_flow = event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                      .anchor = std::string(text_of(event.data.mapping_start.anchor))},
                     text_of(event.data.mapping_start.tag));
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return end(event);
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_STREAM_END_EVENT:
      case YAML_DOCUMENT_START_EVENT:
      case YAML_DOCUMENT_END_EVENT: break;
    }
    return fail(event, "a value is expected here");
  }

  // The value of a scalar. Nothing if it was reported as an error.
  std::optional<Value> resolve(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const ScalarStyle style = style_of(scalar.style);
    std::string text = scalar_text(event);
    if (style == ScalarStyle::Plain && !open_.empty() && open_.back().is_flow &&
        text.find('?') != std::string::npos) {
      fail(event, "a question mark is not allowed in plain text inside brackets");
      return std::nullopt;
    }
    if (scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE && has_escaped_slash(event, text)) {
      fail(event, "\\/ is not an escape of YAML 1.1");
      return std::nullopt;
    }
    auto resolved = resolve_yaml_scalar(text_of(scalar.tag), text, style);
    if (resolved) return *std::move(resolved);
    fail(event, resolved.error().what);
    return std::nullopt;
  }

  std::string scalar_text(const yaml_event_t& event) const {
    std::string text(reinterpret_cast<const char*>(event.data.scalar.value),
                     event.data.scalar.length);
    if (colon_.empty()) return text;
    for (std::size_t at = text.find(colon_); at != std::string::npos; at = text.find(colon_, at)) {
      text.replace(at, colon_.size(), ":");
    }
    return text;
  }

  // libyaml knows one more escape than YAML 1.1 has.
  bool has_escaped_slash(const yaml_event_t& event, std::string_view text) {
    if (text.find('/') == std::string_view::npos) return false;
    const std::size_t begin = offsets_.byte_of(event.start_mark.index);
    const std::size_t end = offsets_.byte_of(event.end_mark.index);
    for (std::size_t i = begin; i + 1 < end; ++i) {
      if (text_[i] != '\\') continue;
      if (text_[++i] == '/') return true;
    }
    return false;
  }

  // Keys are scalars that become text; an anchor on a key is not remembered.
  bool key(const yaml_event_t& event) {
    if (event.type != YAML_SCALAR_EVENT) return fail(event, "only text is allowed as a key");
    const std::string_view tag = text_of(event.data.scalar.tag);
    Open& open = open_.back();
    if ((tag.empty() && scalar_text(event) == "<<") || tag == "tag:yaml.org,2002:merge") {
      open.merging = true;
      return true;
    }
    const auto resolved = resolve(event);
    if (!resolved) return false;
    if (resolved->is_null()) return fail(event, "a key must not be null");
    const auto name = value::convert(*resolved, value::Type::string());
    if (!name) return fail(event, "only text is allowed as a key");
    open.key = name->plain().as_string();
    return true;
  }

  bool scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    auto result = resolve(event);
    if (!result) return false;
    // A block is text, but OpenTofu reads it like any other scalar first: a
    // block "0x10" becomes the text "16".
    if (style_of(scalar.style) == ScalarStyle::Block && text_of(scalar.tag).empty() &&
        scalar.plain_implicit == 0) {
      const auto text = value::convert(*result, value::Type::string());
      if (!text) return fail(event, "the block is not text");
      result = *text;
    }
    return deliver(event, {*std::move(result)}, text_of(scalar.anchor));
  }

  bool alias(const yaml_event_t& event) {
    const std::string name(text_of(event.data.alias.anchor));
    if (pending_.contains(name)) {
      return fail(event, "an anchor cannot be used inside its own definition");
    }
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      return fail(event, "no anchor with this name is defined before this place");
    aliased_ += found->second.weight;
    if (aliased_ > kMaxYamlAliased) {
      return fail(event, "the aliases would make the document too large");
    }
    return deliver(event, found->second, {});
  }

  bool start(const yaml_event_t& event, Open open, std::string_view tag) {
    if (!tag.empty() && tag != (open.is_mapping ? YAML_MAP_TAG : YAML_SEQ_TAG)) {
      return fail(event, "a tag that is not supported");
    }
    if (open_.size() == kMaxYamlNesting) return fail(event, "the document is nested too deeply");
    if (!open.anchor.empty()) ++pending_[open.anchor];
    open_.push_back(std::move(open));
    return true;
  }

  bool end(const yaml_event_t& event) {
    Open open = std::move(open_.back());
    open_.pop_back();
    if (!open.anchor.empty() && --pending_[open.anchor] == 0) pending_.erase(open.anchor);
    Value result = open.is_mapping ? Value::object(std::move(open.attributes))
                                   : Value::tuple(std::move(open.items));
    return deliver(event, {std::move(result), open.weight}, open.anchor);
  }

  // Puts a finished value where it belongs.
  bool deliver(const yaml_event_t& event, Weighed done, std::string_view anchor) {
    if (!anchor.empty()) anchors_[std::string(anchor)] = done;
    if (open_.empty()) {
      root_ = std::move(done.value);
      return true;
    }
    Open& open = open_.back();
    open.weight += done.weight;
    if (!open.is_mapping) {
      open.items.push_back(std::move(done.value));
    } else if (open.merging) {
      open.merging = false;
      return merge(event, done.value, open);
    } else {
      open.attributes.push_back({*std::exchange(open.key, std::nullopt), std::move(done.value)});
    }
    return true;
  }

  // A mapping, or several in a sequence. Their entries replace earlier ones, and later ones replace
  // theirs.
  bool merge(const yaml_event_t& event, const Value& source, Open& into) {
    if (source.kind() == Kind::Object) {
      copy_attributes(source, into);
      return true;
    }
    if (source.kind() != Kind::Tuple) {
      return fail(event, "only mappings can be merged into a mapping");
    }
    for (const Value& item : source.plain().items()) {
      if (item.kind() != Kind::Object) {
        return fail(event, "only mappings can be merged into a mapping");
      }
      copy_attributes(item, into);
    }
    return true;
  }

  static void copy_attributes(const Value& from, Open& into) {
    const auto names = from.type().attributes();
    for (std::size_t i = 0; i < names.size(); ++i) {
      into.attributes.push_back({names[i].name, from.plain().items()[i]});
    }
  }

  std::string_view text_;
  std::string_view colon_;
  Events events_;
  Offsets offsets_;
  std::vector<Open> open_;
  std::unordered_map<std::string, Weighed> anchors_;
  std::unordered_map<std::string, int> pending_;  // anchors whose value is being read
  std::size_t aliased_ = 0;
  std::optional<Value> root_;
  std::optional<base::Error> failure_;
};

}  // namespace

base::Result<Value> parse_yaml(std::string_view text) {
  // libyaml takes the mark for a column of the first line, where "---" then would be
  // in the second.
  constexpr std::string_view kByteOrderMark = "\uFEFF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  // A colon that libyaml refuses is replaced by a character that the text does
  // not have, and the text is read again. More than a few are no accident.
  constexpr int kMaxRefusedColons = 100;
  constexpr char32_t kFirstPrivate = 0xE000;
  constexpr char32_t kLastPrivate = 0xF8FF;
  std::string patched;
  std::string colon;
  for (int attempt = 0;; ++attempt) {
    Decoder decoder(text, colon);
    auto decoded = decoder.run();
    const auto refused = decoder.refused_colon();
    if (decoded || !refused || attempt == kMaxRefusedColons) return decoded;
    for (char32_t c = kFirstPrivate; colon.empty() && c <= kLastPrivate; ++c) {
      base::append_utf8(colon, c);
      if (text.find(colon) != std::string_view::npos) colon.clear();
    }
    if (colon.empty()) return decoded;
    if (attempt == 0) patched = text;
    patched.replace(*refused, 1, colon);
    text = patched;
  }
}

}  // namespace tofu::functions
