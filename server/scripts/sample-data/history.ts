import type { Db } from '../../src/platform/db/database.ts';
import { buildFeaturePath, ENVIRONMENTS, FLAGS } from './flags.ts';
import type { People, Person } from './people.ts';
import { DAY, HOUR, type Steps } from './steps.ts';
import { markFlagsSeen, startApplications } from './usage.ts';

type Flag = {
  project: string;
  name: string;
  enabled: Set<string>;
  rollout: number;
  strategyId: string | undefined;
};

/** Returns a random number generator that produces the same numbers in every run, so that the sample data is the same too. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** `createLastDays` enables these flags, so the history must not: enabling them again would create no event or delivery. */
const ENABLED_LATER: Record<string, string> = {
  'checkout-express': 'production',
  'fraud-score-threshold': 'production',
  'dark-icons': 'staging',
  'sepa-instant': 'staging',
};
const ROLLOUTS = [5, 10, 25, 50, 75, 100];
const TAGS = ['checkout', 'ranking', 'q4', 'ios', 'android', 'growth'];

/** How many days ago the applications started, and how many days ago they first requested new flags. */
const STARTED_DAYS_AGO = 30;
const SEEN_DAYS_AGO = [30, 25, 21, 17, 13, 8, 5];

/** Creates the history up to `untilDay`, in which people create, roll out, enable, disable and tag flags, and add favorites. */
export async function makeHistory(
  steps: Steps,
  people: People,
  db: Db,
  days: number,
  untilDay: number,
): Promise<void> {
  const random = makeRandom(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const team = [people.ben, people.dora, people.emil, people.ben, people.dora];
  const flags: Flag[] = [];

  for (let day = days - 1; day > untilDay; day--) {
    let minutes = day * DAY + 9 * HOUR;
    const next = () => {
      minutes -= 10 + Math.floor(random() * 50);
      return minutes;
    };
    for (const [project, name, type, description] of FLAGS.filter(flag => flag[4] === day)) {
      const creator = pick(team);
      await steps.runAt(next(), () =>
        creator.send('POST', `/api/admin/projects/${project}/features`, {
          name,
          type,
          ...(description === '' ? {} : { description }),
        }),
      );
      flags.push({ project, name, enabled: new Set(), rollout: 0, strategyId: undefined });
      await steps.runAt(next(), () =>
        creator.send('POST', `${buildFeaturePath(project, name)}/environments/development/on`),
      );
      flags.at(-1)?.enabled.add('development');
    }
    const weekday = new Date(Date.now() - day * 86_400_000).getUTCDay();
    const changes = weekday === 0 || weekday === 6 ? Math.floor(random() * 2) : 3 + Math.floor(random() * 5);
    for (let i = 0; i < changes && flags.length > 0; i++) {
      const flag = pick(flags);
      await steps.runAt(next(), () => makeRandomChange(flag, pick(team), random, pick));
    }
    if (day === STARTED_DAYS_AGO) await steps.runAt(next(), () => startApplications(db));
    if (SEEN_DAYS_AGO.includes(day)) await steps.runAt(next(), () => markFlagsSeen(db));
    if (day === 10)
      await steps.runAt(next(), () =>
        people.ben.send('POST', '/api/admin/projects/payments/stale', {
          features: ['old-card-form'],
          stale: true,
        }),
      );
  }
}

async function makeRandomChange(
  flag: Flag,
  person: Person,
  random: () => number,
  pick: <T>(list: readonly T[]) => T,
): Promise<void> {
  const path = buildFeaturePath(flag.project, flag.name);
  const choice = random();
  if (choice < 0.45) {
    const environment = pick(ENVIRONMENTS.filter(name => name !== ENABLED_LATER[flag.name]));
    const isEnabled = flag.enabled.has(environment);
    await person.send('POST', `${path}/environments/${environment}/${isEnabled ? 'off' : 'on'}`);
    if (isEnabled) flag.enabled.delete(environment);
    else flag.enabled.add(environment);
  } else if (choice < 0.8 && flag.name !== 'checkout-express') {
    flag.rollout = pick(ROLLOUTS.filter(percent => percent !== flag.rollout));
    const strategy = {
      name: 'flexibleRollout',
      parameters: { rollout: String(flag.rollout), stickiness: 'userId', groupId: flag.name },
    };
    const strategies = `${path}/environments/production/strategies`;
    if (flag.strategyId === undefined)
      flag.strategyId = (await person.send<{ id: string }>('POST', strategies, strategy)).id;
    else await person.send('PUT', `${strategies}/${flag.strategyId}`, strategy);
  } else if (choice < 0.9) {
    // Adding a tag that the flag already has changes nothing.
    await person.send('POST', `/api/admin/features/${flag.name}/tags`, { type: 'simple', value: pick(TAGS) });
  } else {
    await person.send('POST', `${path}/favorites`);
  }
}
