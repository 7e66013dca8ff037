value "web_ports" {
  description = "The ports of web servers."
  value       = [80, 443]
}

value "everywhere" {
  description = "All addresses, for rules that let anybody in."
  value       = ["0.0.0.0/0"]
}

value "separator" {
  private = true
  value   = "/"
}
