#compdef tofu
autoload -U +X bashcompinit && bashcompinit
complete -o nospace -C tofu tofu
_bash_complete -o nospace -C tofu
