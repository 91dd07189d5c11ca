import { COMMANDS, GROUPS } from './commands/index.ts';
import type { OtherCommand } from './parse.ts';
import { VERSION } from './version.ts';

/** Commands and groups in the order in which a new user needs them. */
const SECTIONS: Record<string, string[]> = {
  'Connect to a server': ['login', 'logout', 'whoami', 'profile', 'doctor', 'completion'],
  'Use the server': [
    'flags',
    'projects',
    'environments',
    'segments',
    'tokens',
    'users',
    'events',
    'deliveries',
    'listen',
    'api',
  ],
  'Work on your code': ['dev', 'types', 'scan', 'mcp'],
};

/** Lists all commands on one screen. */
export function overview(otherCommands: OtherCommand[]): string {
  const width = Math.max(
    ...[...Object.values(SECTIONS).flat(), ...otherCommands.map(({ name }) => name)].map(name => name.length),
  );
  const formatLine = ({ name, brief }: OtherCommand): string => `  ${name.padEnd(width)}  ${brief}`;
  return [
    `Halyard ${VERSION}, a feature-flag service.`,
    'Usage: halyard <command> [<argument>] [<option>]',
    ...Object.entries(SECTIONS).map(
      ([title, names]) =>
        `${title}:\n${names.map(name => formatLine({ name, brief: findBrief(name) })).join('\n')}`,
    ),
    ...(otherCommands.length > 0 ? [`Run a server:\n${otherCommands.map(formatLine).join('\n')}`] : []),
    `Options:
  -h, --help     Print this help, or the help for a command: halyard flags list --help
  -v, --version  Print the version
  --describe     Print what a command takes and returns, as JSON: halyard flags list --describe`,
    otherCommands.length > 0 ? 'To try it out: halyard demo' : 'To get started: halyard login',
  ].join('\n\n');
}

/** Returns the brief of a command. The brief of a group also lists the group's commands. */
function findBrief(name: string): string {
  const commandNames = COMMANDS.filter(command => command.name.startsWith(`${name} `)).map(command =>
    command.name.slice(name.length + 1),
  );
  return commandNames.length > 0
    ? `${GROUPS[name]}: ${commandNames.join(', ')}`
    : (COMMANDS.find(command => command.name === name)?.brief ?? '');
}
