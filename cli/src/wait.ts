import type { schemas } from './api/api.gen.ts';
import type { Context } from './context.ts';
import { CommandError, EXIT } from './errors.ts';
import { formatCount, formatTime, sanitize } from './output.ts';
import { getData } from './requests.ts';

type Reach = schemas['EventReach'];

/** Less than the 60 s that the server would wait, because many proxies end a request that is silent for 30 s. */
const POLL_SECONDS = 20;
const MAX_NAMED_INSTANCES = 20;

/** Waits until the changes are live and returns a sentence that says so. Exits with 10 if they are not live in time. */
export async function waitUntilLive(context: Context, seconds: number): Promise<string> {
  const { changes } = context;
  const deadline = performance.now() + seconds * 1_000;
  let liveSince: string | null = null;
  let hasKnownInstances = false;
  for (const id of changes.events()) {
    const reach = await pollReach(context, id, deadline);
    if (reach.state === 'behind' || (reach.state === 'unknown' && hasInstances(reach)))
      throw notLiveError(reach, seconds);
    hasKnownInstances ||= hasInstances(reach);
    if (reach.liveSince !== null && (liveSince === null || reach.liveSince > liveSince))
      liveSince = reach.liveSince;
  }
  if (changes.isUncertain())
    throw makeError(
      'The change was made, but the connection was lost, so its event is unknown.',
      'Find the event with halyard events search, and check its reach.',
    );
  if (changes.events().length === 0)
    return 'Nothing that SDKs get has changed, so there is nothing to wait for.';
  if (!hasKnownInstances) return 'No known SDK instance gets this change, so there is nothing to wait for.';
  return `Live everywhere since ${formatTime(liveSince)} UTC.`;
}

const hasInstances = ({ environments }: Reach): boolean =>
  environments.some(({ instances }) => instances > 0);

/** Polls with short requests, so that the user sees progress. */
async function pollReach(context: Context, id: string, deadline: number): Promise<Reach> {
  for (;;) {
    const secondsLeft = Math.max(Math.ceil((deadline - performance.now()) / 1_000), 1);
    const wait = Math.min(secondsLeft, POLL_SECONDS);
    const reach = await getData(
      context.read.GET('/api/admin/events/{id}/reach', {
        params: { path: { id }, query: { wait, limit: MAX_NAMED_INSTANCES } },
      }),
    ).catch((error: unknown) => {
      throw withChangeNote(error);
    });
    if (reach.state !== 'behind' || performance.now() >= deadline) return reach;
    context.note(`${describeDelay(reach)} Waiting.`);
  }
}

const describeDelay = ({ total, environments }: Reach): string => {
  const instanceCount = environments.reduce((sum, { instances }) => sum + instances, 0);
  return `${total} of ${formatCount(instanceCount, 'instance')} ${total === 1 ? 'does' : 'do'} not have the change yet.`;
};

function notLiveError(reach: Reach, seconds: number): CommandError {
  const { missing, total, state } = reach;
  if (state === 'unknown')
    return makeError(
      'The change was made. The servers track too many instances to tell whether all of them have it.',
    );
  const unnamedCount = total - missing.length;
  const details = [
    ...missing.map(instance => ({ ...instance, message: describeInstance(instance) })),
    ...(unnamedCount > 0 ? [{ message: `and ${formatCount(unnamedCount, 'more instance')}` }] : []),
  ];
  return makeError(
    `The change was made, but after ${formatCount(seconds, 'second')}, ${describeDelay(reach)}`,
    undefined,
    details,
  );
}

const describeInstance = ({
  application,
  instance,
  environment,
  streaming,
  lastContactAt,
}: Reach['missing'][number]) =>
  `${sanitize(application ?? 'an application that you cannot read')}${instance === null ? '' : `, instance ${sanitize(instance)}`}, in ${sanitize(environment)}: ${streaming ? 'has an open stream' : `last heard from ${formatTime(lastContactAt)} UTC`}`;

const makeError = (message: string, hint?: string, details?: object[]): CommandError =>
  new CommandError({
    code: 'NotLive',
    message,
    exit: EXIT.check,
    retryable: false,
    ...(details && { details }),
    ...(hint !== undefined && { hint }),
  });

/** Adds to an error message that the change was made, so that nobody makes the change a second time. */
function withChangeNote(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const { problem } = error;
  return new CommandError({
    ...problem,
    message: `The change was made, but it is not known yet whether SDKs have it. ${problem.message}`,
    retryable: false,
  });
}
