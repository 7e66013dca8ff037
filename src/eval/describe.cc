#include "eval/describe.h"

#include "base/overloaded.h"
#include "eval/program.h"

namespace tofu::eval {

namespace {

std::string local_name(const Object& object) {
  return std::visit(
      base::Overloaded{
          [](std::monostate) { return std::string(); },
          [](const config::Variable* variable) { return "var." + variable->name; },
          [](const config::Local* local) { return "local." + local->name; },
          [](const config::Output* output) { return "output." + output->name; },
          [](const config::Resource* resource) { return resource->address().to_string(); },
          [](const config::ModuleCall*) { return std::string(); },
          [](const config::ProviderConfig* provider) { return "provider." + provider->key(); },
          [](const config::Check* check) { return "check." + check->name; },
          [](const config::Import* import) { return "import." + import->static_to.to_string(); },
      },
      object.declaration);
}

}  // namespace

std::string address_of(const Program& program, ObjectId id) {
  const Object& object = program.object(id);
  std::string name = program.node(object.module).path.to_string();
  const std::string local = local_name(object);
  if (!name.empty() && !local.empty()) name.push_back('.');
  return name + local;
}

std::string describe(const Program& program, ObjectId id) {
  std::string name = address_of(program, id);
  if (name.empty()) return "the root module";
  const ObjectKind kind = program.object(id).kind;
  if (kind == ObjectKind::Argument) name += " (argument)";
  if (kind == ObjectKind::ModuleStart) name += " (call)";
  return name;
}

}  // namespace tofu::eval
