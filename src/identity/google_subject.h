// The subject token for a credentials file of type external_account (workload identity federation).
// Private to google_credentials.cc.
//
// It comes from a file, a URL, a program, or is a request to AWS that is signed but not
// sent: Google sends it, and learns from the answer who signed it.
#pragma once

#include <string>

#include "base/result.h"
#include "identity/cloud.h"
#include "value/value.h"

namespace tofu::identity {

// By the credential_source of the document `file`.
base::Result<std::string> google_subject_token(const Cloud& cloud, const value::Value& file);

}  // namespace tofu::identity
