import type { shells } from './sources.ts';

/** Scripts that ask the command itself what could be typed, so that they never grow old. */
export const shellScripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# bash completion of rackwright: source <(rackwright completion bash)
_rackwright() {
  local line="\${COMP_LINE:0:COMP_POINT}" shown current before candidate about directive=4
  local -a typed
  read -ra typed <<<"$line"
  [[ "$line" == *[[:space:]] ]] && typed+=("")
  current="\${typed[\${#typed[@]}-1]}"
  # Bash splits words at = and : as well, and replaces only the last piece.
  before=""
  [[ "$current" == *[=:]* ]] && before="\${current%"\${current##*[=:]}"}"
  shown="$("\${typed[0]}" __complete "\${typed[@]:1}" 2>/dev/null)" || return
  COMPREPLY=()
  while IFS=$'\\t' read -r candidate about; do
    if [[ "$candidate" == :* ]]; then
      directive="\${candidate#:}"
    elif [[ -n "$candidate" ]]; then
      COMPREPLY+=("\${candidate#"$before"}")
    fi
  done <<<"$shown"
  if [[ "$directive" == 4 ]]; then
    compopt +o default 2>/dev/null
  fi
  if [[ \${#COMPREPLY[@]} == 1 && "\${COMPREPLY[0]}" == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o default -F _rackwright rackwright
`,
  zsh: `#compdef rackwright
# zsh completion of rackwright: source <(rackwright completion zsh)
_rackwright() {
  local -a candidates
  local shown line directive=4
  shown="$(\${words[1]} __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return 1
  for line in "\${(@f)shown}"; do
    if [[ "$line" == :* ]]; then
      directive="\${line#:}"
    elif [[ "$line" == *$'\\t'* ]]; then
      candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n "$line" ]]; then
      candidates+=("\${line//:/\\\\:}")
    fi
  done
  if (( \${#candidates} )); then
    _describe 'rackwright' candidates
  elif [[ "$directive" == 0 ]]; then
    _files
  fi
}
if [[ "\${funcstack[1]}" == _rackwright ]]; then
  _rackwright
else
  compdef _rackwright rackwright
fi
`,
  fish: `# fish completion of rackwright: rackwright completion fish | source
function __rackwright_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l shown ($typed[1] __complete $typed[2..-1] "$current" 2>/dev/null)
    for line in $shown
        if string match -q ':0' -- $line
            __fish_complete_path "$current"
        else if not string match -q ':*' -- $line
            echo $line
        end
    end
end
complete -c rackwright -f -a '(__rackwright_complete)'
`,
};
