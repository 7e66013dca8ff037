// The key provider `external`: a program that prints keys.
//
// It is run once for a key to encrypt with, and once for each key that is needed for reading, which
// it finds by the metadata in the file.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "encryption/key_provider.h"

namespace tofu::encryption {

std::shared_ptr<const KeyProvider> external_provider(std::string storage_name,
                                                     std::vector<std::string> command,
                                                     const std::stop_token& stop);

}  // namespace tofu::encryption
