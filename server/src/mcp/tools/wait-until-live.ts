import { Type } from 'typebox';
import type { EventReach } from '../../reporting/reach/schema.ts';
import { Arguments } from '../inputs.ts';
import { quoteName, takeFittingItems } from '../sanitize.ts';
import { tool } from '../tool.ts';

const MAX_SECONDS = 30;

export const waitUntilLive = tool({
  name: 'wait_until_live',
  title: 'Wait until a change is live',
  description:
    'Waits until all SDK instances have a change, and lists those that do not. change is the event id that apply_plan returned.',
  effect: 'reads',
  input: Arguments({
    change: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SECONDS, description: 'Default 10' })),
  }),
  run: async (call, { change, seconds = 10 }) => {
    const reach = await call.read<EventReach>('getEventReach', {
      params: { id: String(change) },
      query: { ...(seconds > 0 && { wait: String(seconds) }), limit: '20' },
    });
    const sum = (pick: (environment: EventReach['environments'][number]) => number) =>
      reach.environments.reduce((total, environment) => total + pick(environment), 0);
    return {
      state: reach.state,
      live: sum(({ live }) => live),
      of: sum(({ instances }) => instances),
      behind: takeFittingItems(
        reach.missing.map(({ application, instance, environment }) => ({
          application,
          instance,
          environment,
        })),
      ),
    };
  },
  text: ({ state, live, of, behind }) => [
    `${state}: ${live} of ${of} instances have the change`,
    ...behind.map(
      ({ application, instance, environment }) =>
        `behind: ${quoteName(application ?? 'hidden')} ${quoteName(instance ?? 'hidden')} in ${quoteName(environment)}`,
    ),
  ],
});
