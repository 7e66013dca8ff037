#pragma once
#include "schema/schema.h"
#include "value/path.h"
namespace tofu::schema {
value::PathResult<std::vector<value::Path>> changed_replace_paths(const Block&, const value::Value&, const value::Value&, const std::vector<value::Path>&);
bool has_write_only(const Block&, const std::vector<value::Path>&);
bool is_same(const value::Value&, const value::Value&);
bool same_sensitive(const value::Value&, const value::Value&);
}
