// Who asks for a token of Google's from elsewhere: the subject token of a file of type
// external_account. Private to google_credentials.cc.
//
// It comes from a file, a URL, a program, or is a request to AWS that is signed but not
// sent: Google sends it, and learns from the answer who signed it.
#pragma once

#include <string>

#include "base/result.h"
#include "transport/cloud.h"
#include "value/value.h"

namespace tofu::transport {

// By the credential_source of the document `file`.
base::Result<std::string> google_subject_token(const Cloud& cloud, const value::Value& file);

}  // namespace tofu::transport
