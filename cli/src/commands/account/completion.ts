import { command } from '../../command.ts';
import { wrongUse } from '../../errors.ts';

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
compdef _halyard halyard`,
  fish: `function __halyard_complete
  set -l words (commandline -opc) (commandline -ct)
  halyard __complete $words[2..-1] 2>/dev/null
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
    { does: 'fish', run: 'completion fish > ~/.config/fish/completions/halyard.fish' },
  ],
  run: async (_context, { shell }) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (script === undefined)
      throw wrongUse(
        `There is no completion for ${JSON.stringify(shell)}. Choose one of ${Object.keys(SCRIPTS).join(', ')}.`,
      );
    return script;
  },
  text: script => script,
});
