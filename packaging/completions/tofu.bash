complete -C tofu tofu
