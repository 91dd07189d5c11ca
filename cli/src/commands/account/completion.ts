import { command } from '../../command.ts';
import { usageError } from '../../errors.ts';

const SCRIPTS: Record<string, string> = {
  bash: `_halyard() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("\${line%%$'\\t'*}"); done < <(halyard __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _halyard halyard`,
  zsh: `#compdef halyard
_halyard() {
  local -a found
  local line
  while IFS= read -r line; do found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); done < <(halyard __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe halyard found || _files
}
if [[ \${funcstack[1]} == _halyard ]]; then
  _halyard "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _halyard halyard
fi`,
  fish: `function __halyard_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (halyard __complete $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c halyard -f -a '(__halyard_complete)'`,
};

export const completion = command({
  name: 'completion',
  brief: 'Print the completion script for a shell',
  description: 'It completes commands, options, and the names of flags, projects, environments and profiles.',
  args: { shell: { brief: Object.keys(SCRIPTS).join(', ') } },
  raw: true,
  calls: [],
  output: { type: 'string' },
  examples: [
    { does: 'bash', run: 'completion bash >> ~/.bashrc' },
    { does: 'zsh', run: 'completion zsh >> ~/.zshrc' },
    { does: 'fish', run: 'completion fish > ~/.config/fish/completions/halyard.fish' },
  ],
  run: async (_context, { shell }) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined)
      throw usageError(
        `There is no completion for ${JSON.stringify(shell)}. Choose one of ${Object.keys(SCRIPTS).join(', ')}.`,
      );
    return script;
  },
  text: script => script,
});
