// The answers of providers: their problems as diagnostics, and their objects held against what
// may be kept of them. What does not fit its schema cannot be read again, and what is write-only
// must not get into any file.
//
// Values have no marks.
#pragma once

#include <string>
#include <vector>

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/provider_configs.h"
#include "providers/provider.h"
#include "schema/provider.h"
#include "schema/selection.h"
#include "syntax/body.h"
#include "value/value.h"

namespace tofu::engine {

// Adds a provider's problems, at their places in `body` if there is one.
void report(const std::vector<providers::Problem>& problems, const syntax::Body* body,
            const std::string& address, diag::Diagnostics& diags);

// What an answer is about.
struct ResponseContext {
  const addrs::AbsResourceInstance& address;
  const ConfiguredProvider& provider;
  const schema::ResourceSchema& schema;
};

// Whether the object has the type that its schema says.
diag::Checked<void> has_its_type(const ResponseContext& about, const value::Value& object,
                                 diag::Diagnostics& diags);

// Whether what a provider read or opened has that type, exists and is known.
diag::Checked<void> check_read_result(const ResponseContext& about, const value::Value& object,
                                      diag::Diagnostics& diags);

// The object without what is write-only. Having any of it is an error: it is reported, so that
// no file gets it and the work on the object ends.
value::Value without_write_only(const ResponseContext& about, const schema::Selection& write_only,
                                const value::Value& object, diag::Diagnostics& diags);

}  // namespace tofu::engine
