# Types a line into an interactive zsh that has sourced the completion, presses the tab key, and prints the line that
# comes of it. Usage: zsh -f complete-in-zsh.zsh LINE, with the zsh of build.sh.
set_up='module_path=($UNPACKED/usr/lib/*/zsh/*(/)); fpath=($UNPACKED/usr/share/zsh/functions/**/*(/))'
eval $set_up
zmodload zsh/zpty
zpty shell "${UNPACKED}/bin/zsh -f -i"
zpty -w shell "PS1=; $set_up; autoload -Uz compinit; compinit -D -u; source <(rackwright completion zsh)"
zpty -w shell 'show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^X" show; print re""ady'
zpty -r shell seen '*ready*'
zpty -w -n shell "$1"$'\t\x18'
zpty -r shell seen '*<*>*'
zpty -d shell
[[ $seen =~ '<([^>]*)>' ]] && print -r -- $match[1]
