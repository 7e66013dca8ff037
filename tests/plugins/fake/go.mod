module example.com/terraform-provider-fake

go 1.24
