// Objects that providers answer with, held against what may be kept of them: what does not
// fit its schema cannot be read again, and what is write-only must not get into any file.
//
// Values have no marks.
#pragma once

#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/provider_pool.h"
#include "schema/provider.h"
#include "schema/selection.h"
#include "value/value.h"

namespace tofu::engine {

// What an answer is about.
struct AnswerAbout {
  const addrs::AbsResourceInstance& address;
  const ConfiguredProvider& provider;
  const schema::ResourceSchema& schema;
};

// Whether the object has the type that its schema says. False if and only if errors were added.
bool has_its_type(const AnswerAbout& about, const value::Value& object, diag::Diagnostics& diags);

// The object without what is write-only. Having any of it is an error: it is reported, so that
// it is kept nowhere and nobody goes on.
value::Value without_write_only(const AnswerAbout& about, const schema::Selection& write_only,
                                const value::Value& object, diag::Diagnostics& diags);

}  // namespace tofu::engine
