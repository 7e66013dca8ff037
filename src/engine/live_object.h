// Objects as a run works with them: the value by the schema of now, with what the state keeps
// beside it, and the schemas that say what is sensitive or write-only in them.
//
// Reading a stored object needs the provider; writing one does not.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "addrs/resource.h"
#include "base/result.h"
#include "eval/program.h"
#include "plans/object_label.h"
#include "schema/marks.h"
#include "schema/provider.h"
#include "schema/selection.h"
#include "state/object.h"
#include "value/value.h"

namespace tofu::engine {

struct LiveObject {
  value::Value value;  // with marks; null: there is nothing any more
  std::string private_data = {};
  value::Value identity = {};  // null: none
  bool tainted = false;
  bool create_before_destroy = false;
  bool skip_destroy = false;
  std::vector<addrs::ConfigResource> dependencies = {};
  std::string unknown = {};  // what the state file has of it that this version does not know

  bool is_there() const { return !value.unmarked().is_null(); }
  bool operator==(const LiveObject& other) const;
};

// Everything but the value, which only the provider can read.
LiveObject without_value(const state::ObjectFields& stored);

// As the state keeps it. An error if something in it is not known yet.
base::Result<state::Object> to_state(const LiveObject& object,
                                     const schema::ResourceSchema& schema);

// What a schema says about the objects of its block.
struct BlockInfo {
  explicit BlockInfo(const schema::Block& block);
  schema::SchemaMarks marks;     // what it makes sensitive
  schema::Selection write_only;  // what it makes write-only
};

// The schemas of a run's objects. What they say is worked out once for each block.
//
// Threads: any.
class ObjectSchemas {
 public:
  // `program` outlives it.
  explicit ObjectSchemas(const eval::Program& program);

  // Null if the provider has no such resource, or is not there.
  const schema::ResourceSchema* find(const addrs::Provider& provider,
                                     const addrs::Resource& resource) const;
  const BlockInfo& info(const schema::Block& block);
  const schema::SchemaMarks& marks(const schema::Block& block) { return info(block).marks; }
  const schema::Selection& write_only(const schema::Block& block) { return info(block).write_only; }

  // The value of an object for which no provider call is needed; unknown if it does not fit
  // the schema.
  value::Value stored_value(const state::Object& object, const schema::ResourceSchema& schema);
  // How progress lines name the object `v`, which has its marks except for those of its schema.
  plans::ObjectLabel label(const schema::Block& block, const value::Value& v);
  plans::ObjectLabel label_or_name(const schema::Block& block, const value::Value& v);

 private:
  using InfoByBlock = std::map<const schema::Block*, BlockInfo>;

  const eval::Program& program_;
  InfoByBlock declared_;  // of what the program declares: never changes
  std::mutex mutex_;      // for what follows
  InfoByBlock others_;
};

// What objects of the resource are like; anything if there is no schema.
value::Type type_of(const schema::ResourceSchema* schema);

}  // namespace tofu::engine
