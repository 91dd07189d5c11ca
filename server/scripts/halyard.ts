// The `halyard` command of the package. Each subcommand is a separate program, which npm scripts run too.

import { nearestName } from '../../plane/src/platform/nearest.ts';
import { version } from '../src/platform/command-line.ts';

type Command = { does: string; load: () => Promise<unknown> };

const COMMANDS: Record<string, Command> = {
  server: { does: 'Start the server', load: () => import('../src/main.ts') },
  demo: { does: 'Start a server with sample data', load: () => import('./demo/main.ts') },
  migrate: { does: 'Update the database without starting a server', load: () => import('./migrate.ts') },
  health: { does: 'Exit with 0 if the server is ready, otherwise with 1', load: () => import('./health.ts') },
  'rotate-secrets': {
    does: 'Encrypt the stored secrets with the current key',
    load: () => import('./rotate-secrets.ts'),
  },
  import: { does: 'Import from Unleash, LaunchDarkly or Flagsmith', load: () => import('./import.ts') },
  export: { does: 'Print what changed since the import from Unleash', load: () => import('./export.ts') },
  drill: { does: 'Prove that a backup can be restored', load: () => import('./drill/main.ts') },
  'event-index': { does: 'Build or compare the index of events', load: () => import('./event-index.ts') },
  'sdk-documents': {
    does: 'Compare or rebuild the documents that SDKs read',
    load: () => import('./sdk-documents.ts'),
  },
};
const NAMES = Object.keys(COMMANDS);

// As in other programs: halyard help server
if (process.argv[2] === 'help' && NAMES.includes(process.argv[3] ?? ''))
  process.argv.splice(2, 2, process.argv[3] ?? '', '--help');

const [name = '--help'] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

if (command !== undefined) {
  // The programs read their options from the arguments, as if they had been started themselves.
  process.argv.splice(2, 1);
  await command.load();
} else if (['--help', '-h', 'help'].includes(name)) {
  console.log(helpText());
} else if (['--version', '-v'].includes(name)) {
  console.log(version());
} else {
  console.error(explainUnknown(name));
  process.exitCode = 2;
}

function helpText(): string {
  const width = Math.max(...NAMES.map(one => one.length));
  const lines = Object.entries(COMMANDS).map(([one, { does }]) => `  ${one.padEnd(width)}  ${does}`);
  return `Halyard ${version()}, a feature-flag service.

Usage: halyard <command> [<option>]

Commands:
${lines.join('\n')}

Options:
  -h, --help     Print this text, or the options of a command: halyard server --help
  -v, --version  Print the version

To look around: halyard demo`;
}

function explainUnknown(unknown: string): string {
  const kind = unknown.startsWith('-') ? 'option' : 'command';
  const nearest = kind === 'command' ? nearestName(unknown, NAMES) : undefined;
  const hint = nearest === undefined ? 'Run halyard --help for all commands.' : `Did you mean ${nearest}?`;
  return `Unknown ${kind} '${unknown.slice(0, 60)}'. ${hint}`;
}
