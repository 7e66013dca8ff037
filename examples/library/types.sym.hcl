typedef "port" {
  description = "A TCP or UDP port."
  type        = number

  validation {
    condition     = self > 0 && self < 65536 && floor(self) == self
    error_message = "A port is a whole number between 1 and 65535, not ${self}."
  }
}

typedef "rule" {
  description = "Traffic that is let in."
  type = object({
    port     = symbols::port()
    protocol = optional(string, "tcp")
    from     = optional(list(string), ["10.0.0.0/8"])
  })

  validation {
    condition     = contains(["tcp", "udp"], self.protocol)
    error_message = "The protocol is \"tcp\" or \"udp\", not \"${self.protocol}\"."
  }
}
