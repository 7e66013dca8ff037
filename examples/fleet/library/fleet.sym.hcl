typedef "server" {
  type = object({
    zone = string
    size = optional(string, "small")
  })
}

values {
  cpus = { small = 2, large = 8 }
}

function "title" {
  description = "What people call a server."

  parameter "name" {
    type = string
  }
  parameter "server" {
    type = symbols::server()
  }

  return = "${upper(param.name)} in ${param.server.zone}, ${value.cpus[param.server.size]} CPUs"
}
