import { command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { formatCount, formatTime, sanitize } from '../../output.ts';
import type { DevServerEvent } from './run.ts';

export const dev = command({
  name: 'dev',
  brief: 'Serve the flags of an environment on your machine, with your overrides',
  description:
    'Your application uses http://localhost:4243 instead of the server, with the same token, and gets the same flags with the same targeting. To override a flag, edit the overrides file, which the command reads again when it changes, or use the page at http://localhost:4243. The command reads the flags from the server with the API token in HALYARD_SDK_TOKEN, which determines the environment and the projects, and stores them so that it can also start offline. It listens on this machine only, and runs until you press Ctrl+C.',
  options: {
    port: {
      type: 'integer',
      value: 'number',
      min: 0,
      max: 65_535,
      default: 4243,
      brief: 'Port; 0 chooses a free one',
    },
    overrides: {
      type: 'string',
      value: 'file',
      brief: 'YAML or JSON file with your overrides. Default: flags.local.yaml',
    },
    from: {
      type: 'string',
      value: 'file',
      brief: 'Read the flags from a file instead of a server: a response from /api/client/features',
    },
    offline: {
      type: 'flag',
      brief: 'Serve the flags that the last run stored, and do not contact the server',
    },
  },
  streams: true,
  calls: ['getClientFeatures'],
  output: {
    type: 'object',
    description:
      'The first document says where the flags are served, and each further document describes a change',
    required: ['event', 'flags', 'overrides'],
    properties: {
      event: { type: 'string', enum: ['listening', 'changed', 'problem'] },
      url: { type: 'string', description: 'With listening: the URL for SDKs' },
      upstream: { type: 'string', description: 'With listening: where the flags come from' },
      fetchedAt: { type: 'string', description: 'With listening: when the flags were fetched' },
      message: { type: 'string', description: 'With problem: what is wrong. The previous flags stay in use' },
      flags: { type: 'integer', description: 'Number of flags' },
      overrides: { type: 'integer', description: 'Number of overrides' },
    },
  },
  examples: [
    { does: 'Serve the flags that the token covers', run: 'dev --overrides flags.local.yaml' },
    { does: 'Without a network, with the flags from the last run', run: 'dev --offline' },
  ],
  run: async function* (context: Context, _args, options) {
    // Loaded on demand, because only this command needs the code that serves SDKs.
    const { runDev } = await import('./run.ts');
    yield* runDev(context, options);
  },
  text: (serverEvent: DevServerEvent) => {
    const state = `${formatCount(serverEvent.flags, 'flag')}, ${formatCount(serverEvent.overrides, 'override')}`;
    if (serverEvent.event === 'problem') return sanitize(serverEvent.message);
    if (serverEvent.event === 'changed') return `Changed: ${state}.`;
    return `Serving ${state}, from ${sanitize(serverEvent.upstream)} as of ${formatTime(serverEvent.fetchedAt)} UTC.
  SDKs and overrides  ${serverEvent.url}
Use this URL instead of the server's, with any token. Press Ctrl+C to stop.`;
  },
});
