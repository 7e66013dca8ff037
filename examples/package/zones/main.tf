variable "prefix" {
  type    = string
  default = ""
}

locals {
  names = [for name in ["north", "south"] : "${var.prefix}${name}"]
}

output "names" {
  value = toset(local.names)
}

output "first" {
  value      = local.names[0]
  deprecated = "Use names, which has all of them."
}
