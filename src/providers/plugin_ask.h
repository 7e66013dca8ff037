// One call to a plugin: a request is put together, sent, and its answer taken apart.
//
// For the plugin_provider*.cc files only. Encoding and decoding errors are added to the response's
// problems; the asker gets its answer in any case, once.
#pragma once

#include <fmt/format.h>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "providers/in_process.h"
#include "providers/plugin.h"
#include "providers/plugin_messages.h"
#include "providers/plugin_types.h"
#include "providers/provider.h"

namespace tofu::providers {

// Encodes values into a request and records errors.
class RequestWriter {
 public:
  explicit RequestWriter(const Plugin& plugin) : provider_(plugin.place().provider) {}

  void value(const value::Value& v, value::Type type, wire6::DynamicValue& to);
  void identity(const Identity& identity, const PluginType& type, wire6::ResourceIdentityData& to);
  // The configuration of the module's author for the provider, if the provider wants any.
  void meta(const value::Value& meta, const PluginTypes& types, wire6::DynamicValue& to);
  void no_such_type(const std::string& type);

  bool failed() const { return !problems_.empty(); }
  std::vector<Problem> problems() { return std::move(problems_); }

 private:
  std::string provider_;
  std::vector<Problem> problems_;
};

// Takes values out of an answer; errors in them go to its problems.
class AnswerReader {
 public:
  AnswerReader(std::string provider, std::string_view method, std::vector<Problem>& problems)
      : provider_(std::move(provider)), method_(method), problems_(problems) {}

  // False if there is an error, and then `to` stays as it is. `alike` is the value in the request:
  // equal parts of the response share its memory.
  bool value(const wire6::DynamicValue& from, value::Type type, value::Value& to,
             std::span<const value::Value> alike = {});
  // An object of a resource, which keeps no write-only attributes.
  bool object(const wire6::DynamicValue& from, const PluginType& type, value::Value& to,
              std::span<const value::Value> alike = {});
  void identity(bool is_there, const wire6::ResourceIdentityData& from, const PluginType& type,
                Identity& to);
  // We say to every plugin that we do not want to hear "later".
  void deferred(bool is_there);
  void wrong(std::string_view what, const value::Path& path = {});

 private:
  std::string provider_;
  std::string_view method_;
  std::vector<Problem>& problems_;
};

Problem to_problem(const PluginFailure& failure);

// For calls after which it matters whether they did something.
template <class A>
void note_lost(A& answer) {
  if constexpr (requires { answer.is_lost; }) answer.is_lost = true;
}

// Asks, and answers through `done`: `answer` as it is, with a problem, if nothing comes
// back; after read(response, reader, answer) otherwise.
template <class Response, class A, class Read>
void ask(Plugin& plugin, PluginMethod method, const google::protobuf::MessageLite& request,
         A answer, Done<A> done, Read read) {
  plugin.call(method, request.SerializeAsString(),
              [provider = plugin.place().provider, method, answer = std::move(answer),
               done = std::move(done), read = std::move(read)](PluginAnswer got) mutable {
                Response response;
                AnswerReader reader(provider, method_name(method, 6), answer.problems);
                if (got.failure) {
                  answer.problems.push_back(to_problem(*got.failure));
                  if (got.failure->was_sent) note_lost(answer);
                } else if (!response.ParseFromString(got.message)) {
                  reader.wrong("the message cannot be read");
                  note_lost(answer);
                } else {
                  read(response, reader, answer);
                }
                done(std::move(answer));
              });
}

}  // namespace tofu::providers
