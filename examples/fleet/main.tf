# A small fleet: networks and servers on the built-in terraform_data, so that nothing
# outside of this directory is changed.

symbols "fleet" {
  source = "./library"
}

variable "servers" {
  description = "Servers by name."
  type        = map(symbols::fleet::server())
  default = {
    api = { zone = "north" }
    web = { zone = "south", size = "large" }
  }
}

# One package from git that both calls share: it is on disk once.
module "zones" {
  source = "git::file://${abspath("../package")}//zones"
}

module "spare_zones" {
  source = "git::file://${abspath("../package")}//zones"
  prefix = "spare-"
}

module "network" {
  source   = "./network"
  for_each = module.zones.names

  name = each.key
  cidr = cidrsubnet("10.20.0.0/16", 8, index(sort(module.zones.names), each.key))
}

resource "terraform_data" "server" {
  for_each = var.servers

  input = {
    title   = symbols::fleet::title(each.key, each.value)
    address = cidrhost(module.network[each.value.zone].range, 10)
    cpus    = symbols.fleet.cpus[each.value.size]
  }
}

output "addresses" {
  value = { for name, server in terraform_data.server : name => server.output.address }
}

# Warns: the author of the package wants `names` to be used.
output "first_zone" {
  value = module.spare_zones.first
}
