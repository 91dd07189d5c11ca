import { COMMANDS, GROUPS } from './commands/index.ts';
import type { OtherCommand } from './parse.ts';
import { VERSION } from './version.ts';

/** Commands and groups in the order in which a new user needs them. */
const SECTIONS: Record<string, string[]> = {
  'Connect to a server': ['login', 'logout', 'whoami', 'profile', 'doctor', 'completion'],
  'Work with it': [
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
  'Look after your code': ['dev', 'types', 'scan', 'mcp'],
};

/** All commands on one screen. */
export function overview(others: OtherCommand[]): string {
  const width = Math.max(
    ...[...Object.values(SECTIONS).flat(), ...others.map(({ name }) => name)].map(name => name.length),
  );
  const line = ({ name, brief }: OtherCommand): string => `  ${name.padEnd(width)}  ${brief}`;
  return [
    `Halyard ${VERSION}, a feature-flag service.`,
    'Usage: halyard <command> [<argument>] [<option>]',
    ...Object.entries(SECTIONS).map(
      ([title, names]) => `${title}:\n${names.map(name => line({ name, brief: briefOf(name) })).join('\n')}`,
    ),
    ...(others.length > 0 ? [`Run a server:\n${others.map(line).join('\n')}`] : []),
    `Options:
  -h, --help     Print this text, or the help of a command: halyard flags list --help
  -v, --version  Print the version
  --describe     Print what a command takes and returns, as JSON: halyard flags list --describe`,
    others.length > 0 ? 'To look around: halyard demo' : 'To begin: halyard login',
  ].join('\n\n');
}

/** A group is described by what its commands do. */
function briefOf(name: string): string {
  const inside = COMMANDS.filter(one => one.name.startsWith(`${name} `)).map(one =>
    one.name.slice(name.length + 1),
  );
  return inside.length > 0
    ? `${GROUPS[name]}: ${inside.join(', ')}`
    : (COMMANDS.find(one => one.name === name)?.brief ?? '');
}
