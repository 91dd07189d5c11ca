// The entry point of the command `halyard`. Each command for operating a server is a separate program, which npm scripts also run.
// All other commands belong to the CLI (cli/), which is also published without the server.
type Command = { does: string; load: () => Promise<unknown> };

const COMMANDS: Record<string, Command> = {
  server: { does: 'Start the server', load: () => import('../../server/src/main.ts') },
  edge: {
    does: 'Serve flags near the applications, without a database',
    load: () => import('../../edge/src/main.ts'),
  },
  demo: { does: 'Start a server with sample data', load: () => import('../../server/scripts/demo/main.ts') },
  migrate: {
    does: 'Update the database without starting a server',
    load: () => import('../../server/scripts/migrate.ts'),
  },
  health: {
    does: 'Exit with 0 if the server is ready, otherwise with 1',
    load: () => import('../../server/scripts/health.ts'),
  },
  'rotate-secrets': {
    does: 'Encrypt the stored secrets with the current key',
    load: () => import('../../server/scripts/rotate-secrets.ts'),
  },
  'nats-config': {
    does: 'Write the configuration of NATS servers for edges',
    load: () => import('../../server/scripts/nats-config.ts'),
  },
  snapshot: {
    does: 'Publish signed snapshots to a folder or an S3-compatible store',
    load: () => import('../../server/scripts/snapshot.ts'),
  },
  import: {
    does: 'Import from Unleash, LaunchDarkly, Flagsmith, GrowthBook or Flipt',
    load: () => import('../../server/scripts/import.ts'),
  },
  export: {
    does: 'Print what changed since the import from Unleash',
    load: () => import('../../server/scripts/export.ts'),
  },
  drill: {
    does: 'Prove that a backup can be restored',
    load: () => import('../../server/scripts/drill/main.ts'),
  },
  'event-index': {
    does: 'Build or verify the event search index',
    load: () => import('../../server/scripts/event-index.ts'),
  },
  'sdk-documents': {
    does: 'Compare or rebuild the documents that SDKs read',
    load: () => import('../../server/scripts/sdk-documents.ts'),
  },
};
const NAMES = Object.keys(COMMANDS);

// `halyard help server` prints the same as `halyard server --help`.
if (process.argv[2] === 'help' && NAMES.includes(process.argv[3] ?? ''))
  process.argv.splice(2, 2, process.argv[3] ?? '', '--help');

const [name = ''] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

if (command !== undefined) {
  // The programs read their options from the arguments as if they had been started directly.
  process.argv.splice(2, 1);
  await command.load();
} else {
  // All other commands call the API of a server, so they work from any machine.
  const { runProcess } = await import('../../cli/src/process.ts');
  await runProcess(
    Object.entries(COMMANDS).map(([commandName, { does }]) => ({ name: commandName, brief: does })),
  );
}
