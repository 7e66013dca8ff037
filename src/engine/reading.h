// Reading data sources and opening ephemeral resources: the provider is asked whether the arguments
// are valid, and then for the object.
//
// Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "addrs/resource.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "engine/ephemerals.h"
#include "engine/run_context.h"
#include "schema/marks.h"
#include "schema/provider.h"
#include "tasks/async.h"
#include "value/value.h"

namespace tofu::engine {

// What is read or opened.
struct ReadSource {
  addrs::AbsResourceInstance address;
  const config::Resource& config;
  const schema::ResourceSchema& schema;
  ConfiguredProvider& provider;
  value::Value provider_meta = {};
};

// Reads data sources.
class DataReader {
 public:
  explicit DataReader(RunContext& run) : run_(run) {}

  // `arguments` is the evaluated block. Empty after an error, or if the run ended before the read
  // began.
  [[nodiscard]] tasks::Async<std::optional<value::Value>> read(ReadSource source,
                                                               schema::Unmarked arguments,
                                                               diag::Diagnostics& diags);

 private:
  RunContext& run_;
};

// The value of a data source that could not be read and does not stop the run: its arguments, and
// null for all that the provider would have said.
value::Value without_result(const schema::ResourceSchema& schema,
                            const schema::Unmarked& arguments);

// The ephemeral resources of a program while they are open: opened by their rows, and closed when
// all that uses the row has ended. Whatever is still open when this goes is closed then.
class EphemeralResources {
 public:
  explicit EphemeralResources(RunContext& run);
  EphemeralResources(const EphemeralResources&) = delete;
  EphemeralResources& operator=(const EphemeralResources&) = delete;

  // Whether the program has any.
  bool any() const { return any_; }

  // Opens an instance of `row`; `arguments` is its evaluated block. Empty after an error, or if
  // the run ended before it began.
  [[nodiscard]] tasks::Async<std::optional<value::Value>> open(eval::ObjectId row,
                                                               ReadSource source,
                                                               schema::Unmarked arguments,
                                                               diag::Diagnostics& diags);
  // Closes all instances of a row. After an interrupt, too.
  tasks::Async<void> close(eval::ObjectId row, diag::Diagnostics& diags);
  // Closes what is still open, likewise.
  tasks::Async<void> close_all(diag::Diagnostics& diags);

 private:
  struct Open {
    std::string address;
    Ephemerals::Id id;
  };

  RunContext& run_;
  bool any_ = false;
  std::mutex mutex_;  // for open_
  std::map<eval::ObjectId, std::vector<Open>> open_;
  Ephemerals objects_;  // last, because it closes what is open
};

}  // namespace tofu::engine
