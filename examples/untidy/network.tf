# Written in a hurry: `tofu fmt` puts it in order.
locals {
  environment="production"
  zones = ["a","b",   "c"]
  subnets = {
    for index, zone in local.zones:
    zone => cidrsubnet( "10.20.0.0/16" , 8,index )
  }
    tags = {
  environment = local.environment
  owner="network"   # who to ask
      cost_centre   = "4711"
  }
}

variable "name" { 
  type=string
    description = "What everything here is called."
  validation {
  condition = length(var.name)>2
  error_message =  "A name has at least three letters, not \"${var.name}\"."
  }
}

output "summary" {
value = <<-EOT
  ${var.name} has ${length( local.zones )} zones:
  %{ for zone, range in local.subnets ~}
  ${zone}: ${range}
  %{ endfor ~}
EOT
}
