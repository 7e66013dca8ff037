variable "region" {
  type = string
}

output "cidr" {
  value = var.region == "eu-north" ? "10.1.0.0/16" : "10.2.0.0/16"
}
