package {
  description = "Where servers can stand"
}
