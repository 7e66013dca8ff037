function "allow" {
  description = "Rules for some ports, from everywhere inside."
  type        = list(symbols::rule())

  parameter "ports" {
    description = "The ports, one rule for each."
    type        = symbols::port()
    variadic    = true
  }

  return = [for port in param.ports : { port = port }]

  examples {
    none = { result = [] }
    web = {
      arguments = [443]
      result    = [{ port = 443, protocol = "tcp", from = ["10.0.0.0/8"] }]
    }
    refused = { arguments = [0], error = "between 1 and 65535" }
  }
}

function "describe" {
  description = "One line about a rule, for names and logs."
  type        = string

  parameter "rule" {
    description = "The rule."
    type        = symbols::rule()
    allow_null  = false
  }

  parameter "prefix" {
    description = "What the line begins with."
    type        = string
    default     = "in"
  }

  return = "${param.prefix} ${upper(param.rule.protocol)}${value.separator}${param.rule.port}"

  examples {
    short = { arguments = [{ port = 53, protocol = "udp" }], result = "in UDP/53" }
    named = { arguments = [{ port = 22 }, "ssh:"], result = "ssh: TCP/22" }
  }
}
