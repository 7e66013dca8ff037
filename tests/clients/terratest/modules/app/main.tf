variable "network" {
  type = string
}
variable "ports" {
  type = list(number)
}
resource "terraform_data" "app" {
  input = {
    network = var.network
    ports   = var.ports
  }
}
output "where" {
  value = "${terraform_data.app.output.network}:${var.ports[0]}"
}
