variable "name" {
  type = string
}

variable "cidr" {
  type = string

  validation {
    condition     = can(cidrhost(var.cidr, 10))
    error_message = "The range must have room for ten addresses."
  }
}

resource "terraform_data" "network" {
  input = {
    name  = var.name
    range = var.cidr
  }

  triggers_replace = var.cidr
}

output "range" {
  value = terraform_data.network.input.range
}
