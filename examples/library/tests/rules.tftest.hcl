run "every_web_port_has_a_rule" {
  command = plan

  assert {
    condition     = length(symbols::this::allow(symbols.this.web_ports...)) == 2
    error_message = "There is one rule for each port."
  }
}

run "rules_can_be_described" {
  command = plan

  assert {
    condition = (
      [for rule in symbols::this::allow(80, 443) : symbols::this::describe(rule)]
      == ["in TCP/80", "in TCP/443"]
    )
    error_message = "Rules that allow() makes can be passed to describe()."
  }
}

run "other_protocols_are_refused" {
  command = plan

  assert {
    condition     = !can(symbols::this::describe({ port = 1, protocol = "icmp" }))
    error_message = "The type of rules has to refuse ICMP."
  }
}
