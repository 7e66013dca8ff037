complete -f -c tofu -a "(COMP_LINE=(commandline -p) COMP_POINT=(commandline -C) tofu)"
