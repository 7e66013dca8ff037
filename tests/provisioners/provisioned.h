// Provisioners with arguments, for tests that run them.
//
// What a provisioner prints is collected as it comes, so that a test can look at all of it
// at the end.
#pragma once

#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioners/provisioner.h"
#include "schema/provisioners.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tofu::provisioners {

inline value::Value text(std::string_view words) { return value::Value::string(words); }

inline value::Value texts(const std::vector<std::string>& all) {
  std::vector<value::Value> items;
  for (const std::string& each : all) items.push_back(text(each));
  return value::Value::list(value::Type::string(), std::move(items));
}

// The block with these arguments; all others are null.
inline value::Value block_with(const schema::Block& schema, const std::vector<value::Attr>& given) {
  const value::Type type = schema.implied_type();
  std::vector<value::Value> items;
  for (const auto& attribute : type.attributes()) {
    value::Value item = value::Value::null(attribute.type);
    for (const value::Attr& each : given) {
      if (each.name == attribute.name) item = each.value;
    }
    items.push_back(std::move(item));
  }
  return value::Value::object(type, std::move(items));
}

class Provisioned : public testing::Test {
 protected:
  // Runs it. The error, or nothing.
  std::string run(std::string type, const std::vector<value::Attr>& arguments) {
    ProvisionerRun run;
    run.config = block_with(*schema::provisioner_schema(type), arguments);
    run.connection = connection;
    run.type = std::move(type);
    run.home_directory = home;
    run.output = [this](std::string_view line) {
      printed.emplace_back(line);
      if (line == stop_at) stop.request_stop();
    };
    run.notice = run.output;
    run.stop = stop.get_token();
    const auto result = run_provisioner(run);
    return result ? "" : result.error().what;
  }

  value::Value connection;
  std::string home;
  std::vector<std::string> printed;
  std::string stop_at = "\n";  // a line at which it is interrupted
  std::stop_source stop;
};

}  // namespace tofu::provisioners
