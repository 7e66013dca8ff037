# Three mistakes, which `tofu validate` finds in one run.
variable "region" {
  type    = string
  default = "eu-north"
}

module "network" {
  source = "./network"
  region = var.regoin
}

resource "terraform_data" "server" {
  inputs = module.network.cidr
}

locals {
  address = terraform_data.server.output
}

output "address" {
  value = local.adress
}
