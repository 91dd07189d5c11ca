import type { schemas } from './api/api.gen.ts';
import type { Context } from './context.ts';
import { CommandError, EXIT } from './errors.ts';
import { count, plain, time } from './output.ts';
import { data } from './requests.ts';

type Reach = schemas['EventReach'];

/** The server waits up to 60 s, but many proxies end a request that is silent for 30 s. */
const LOOK_SECONDS = 20;
const MAX_NAMED = 20;

/** The events of a command's changes, by the environments that they changed. */
export type Changes = {
  note: (headers: Headers) => void;
  events: () => string[];
  /** There was a change whose event is unknown, because its response was lost and the server only confirmed that it succeeded. */
  isUncertain: () => boolean;
};

export function makeChanges(): Changes {
  const events = new Map<string, string[]>();
  let isUncertain = false;
  return {
    note: headers => {
      const [revisions, ids] = [headers.get('Halyard-Revision'), headers.get('Halyard-Event')];
      if (headers.has('Idempotent-Replayed')) isUncertain = true;
      if (revisions === null || ids === null) return;
      // An instance that has a revision has all earlier ones, so the last change of an environment is enough.
      events.set(revisions.replace(/=\d+/g, ''), ids.split(', '));
    },
    events: () => [...new Set([...events.values()].flat())],
    isUncertain: () => isUncertain,
  };
}

/** Returns a sentence when the changes are live. Ends the command with 10 if they are not. */
export async function waitUntilLive(context: Context, seconds: number): Promise<string> {
  const { changes } = context;
  const endsAt = performance.now() + seconds * 1_000;
  let liveSince: string | null = null;
  let isUsed = false;
  for (const id of changes.events()) {
    const reach = await reachOf(context, id, endsAt);
    if (reach.state === 'behind' || (reach.state === 'unknown' && hasInstances(reach)))
      throw notLive(reach, seconds);
    isUsed ||= hasInstances(reach);
    if (reach.liveSince !== null && (liveSince === null || reach.liveSince > liveSince))
      liveSince = reach.liveSince;
  }
  if (changes.isUncertain())
    throw problem(
      'The change was made, but the connection broke off, so its event is unknown.',
      'Find the event with halyard events search, and ask for its reach.',
    );
  if (changes.events().length === 0)
    return 'Nothing that SDKs get has changed, so there is nothing to wait for.';
  if (!isUsed) return 'No known SDK instance gets this change, so there is nothing to wait for.';
  return `Live everywhere since ${time(liveSince)} UTC.`;
}

const hasInstances = ({ environments }: Reach): boolean =>
  environments.some(({ instances }) => instances > 0);

/** Asks repeatedly, so that the user sees progress. */
async function reachOf(context: Context, id: string, endsAt: number): Promise<Reach> {
  for (;;) {
    const left = Math.max(Math.ceil((endsAt - performance.now()) / 1_000), 1);
    const wait = String(Math.min(left, LOOK_SECONDS));
    const reach = await data(
      context.read.GET('/api/admin/events/{id}/reach', {
        params: { path: { id }, query: { wait, limit: String(MAX_NAMED) } },
      }),
    ).catch((error: unknown) => {
      throw afterTheChange(error);
    });
    if (reach.state !== 'behind' || performance.now() >= endsAt) return reach;
    context.note(`${behind(reach)} Waiting.`);
  }
}

const behind = ({ total, environments }: Reach): string => {
  const all = environments.reduce((sum, { instances }) => sum + instances, 0);
  return `${total} of ${count(all, 'instance')} ${total === 1 ? 'does' : 'do'} not have the change yet.`;
};

function notLive(reach: Reach, seconds: number): CommandError {
  const { missing, total, state } = reach;
  if (state === 'unknown')
    return problem(
      'The change was made. The servers know too many instances to tell whether all of them have it.',
    );
  const rest = total - missing.length;
  const details = [
    ...missing.map(one => ({ ...one, message: sentence(one) })),
    ...(rest > 0 ? [{ message: `and ${count(rest, 'more instance')}` }] : []),
  ];
  return problem(
    `The change was made, but after ${count(seconds, 'second')} ${behind(reach)}`,
    undefined,
    details,
  );
}

const sentence = ({
  application,
  instance,
  environment,
  streaming,
  lastContactAt,
}: Reach['missing'][number]) =>
  `${plain(application ?? 'an application that you cannot read')}${instance === null ? '' : `, instance ${plain(instance)}`}, in ${plain(environment)}: ${streaming ? 'has an open stream' : `last heard from ${time(lastContactAt)} UTC`}`;

const problem = (message: string, hint?: string, details?: object[]): CommandError =>
  new CommandError({
    code: 'NotLive',
    message,
    exit: EXIT.check,
    retryable: false,
    ...(details && { details }),
    ...(hint !== undefined && { hint }),
  });

/** The error must say that the change was made, so that nobody makes it a second time. */
function afterTheChange(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const { problem: before } = error;
  return new CommandError({
    ...before,
    message: `The change was made, but nobody knows yet whether SDKs have it. ${before.message}`,
    retryable: false,
  });
}
