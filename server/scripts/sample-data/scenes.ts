import type { Db } from '../../src/platform/db/database.ts';
import { buildFeaturePath, ENVIRONMENTS, PROJECTS } from './flags.ts';
import type { People } from './people.ts';
import type { Receiver } from './receiver.ts';
import { DAY, HOUR, type Steps } from './steps.ts';
import { markFlagsSeen } from './usage.ts';

const EU = ['AT', 'BE', 'DE', 'ES', 'FR', 'IT', 'NL', 'SE'];

/** Sets up the instance: environments, projects, members, context fields and segments. */
export async function setUpInstance(steps: Steps, { ada, ben, dora, emil }: People, days: number) {
  const start = days * DAY - 60;
  await steps.runAt(start, () =>
    ada.send('POST', '/api/admin/environments', { name: 'staging', type: 'preproduction', sortOrder: 150 }),
  );
  const { roles } = await ada.send<{ roles: { id: number; name: string }[] }>('GET', '/api/admin/roles');
  const roleId = (name: string) => roles.find(role => role.name === name)?.id;
  for (const [index, [id, name, description]] of PROJECTS.entries()) {
    const minutesAgo = start - 10 - index * 20;
    await steps.runAt(minutesAgo, () =>
      ada.send('POST', '/api/admin/projects', { id, name, description, environments: [...ENVIRONMENTS] }),
    );
    for (const [member, role] of [
      [ben, 'Owner'],
      [dora, 'Member'],
      [emil, 'Member'],
    ] as const)
      await steps.runAt(minutesAgo - 2, () =>
        ada.send('PUT', `/api/admin/projects/${id}/users/${member.id}/roles`, { roles: [roleId(role)] }),
      );
  }
  await steps.runAt(start - 80, () =>
    ada.send('POST', '/api/admin/context', {
      name: 'plan',
      description: 'The plan of the merchant',
      legalValues: ['free', 'team', 'business', 'enterprise'].map(value => ({ value })),
    }),
  );
  await steps.runAt(start - 85, () =>
    ada.send('POST', '/api/admin/context', {
      name: 'country',
      description: 'Country of the merchant, two letters',
    }),
  );
  await steps.runAt(start - 100, () =>
    ben.send('POST', '/api/admin/segments', {
      name: 'eu-merchants',
      description: 'Merchants in the European Union',
      constraints: [{ contextName: 'country', operator: 'IN', values: EU }],
    }),
  );
  await steps.runAt(start - 110, () =>
    ben.send('POST', '/api/admin/segments', {
      name: 'beta-customers',
      description: 'Customers who joined the beta programme',
      project: 'payments',
      constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@beta.example.com'] }],
    }),
  );
}

/** Connects a deploy bot and a data warehouse, dated three days ago. */
export async function createIntegrations(
  steps: Steps,
  { ada }: People,
  { reliableUrl, failingUrl }: Pick<Receiver, 'reliableUrl' | 'failingUrl'>,
) {
  const webhook = (description: string, url: string) => ({
    provider: 'webhook',
    description,
    enabled: true,
    parameters: { url },
    events: ['*'],
  });
  await steps.runAt(3 * DAY, () =>
    ada.send('POST', '/api/admin/addons', {
      ...webhook('Deploy bot', reliableUrl),
      events: ['feature-environment-enabled', 'feature-environment-disabled', 'feature-strategy-update'],
    }),
  );
  await steps.runAt(3 * DAY - 9, () =>
    ada.send('POST', '/api/admin/addons', {
      ...webhook('Change log to the data warehouse', failingUrl),
      projects: ['payments'],
    }),
  );
  steps.waitForDeliveries();
  await steps.runAt(3 * DAY - 30, () =>
    ada.send('POST', '/api/admin/api-tokens', {
      tokenName: 'checkout service',
      type: 'backend',
      environment: 'production',
      projects: ['payments'],
    }),
  );
}

type Strategy = { id: string; name: string } & Record<string, unknown>;

/**
 * Creates the last three days: the express checkout is rolled out to half of the EU and cloned for business customers, and the data
 * warehouse fails.
 */
export async function createLastDays(
  steps: Steps,
  { ada, ben, dora, emil }: People,
  receiver: Receiver,
  db: Db,
) {
  const express = buildFeaturePath('payments', 'checkout-express');
  const strategies = `${express}/environments/production/strategies`;
  const { segments } = await ben.send<{ segments: { id: number; name: string }[] }>(
    'GET',
    '/api/admin/segments',
  );
  const segmentIds = (segmentName: string) =>
    segments.filter(({ name }) => name === segmentName).map(({ id }) => id);
  await steps.runAt(2 * DAY + 5 * HOUR, () =>
    ben.send('POST', strategies, {
      name: 'flexibleRollout',
      title: 'Beta customers',
      ...rollout(100),
      segments: segmentIds('beta-customers'),
    }),
  );
  const gradualStrategy = await steps.runAt(2 * DAY + 4 * HOUR, () =>
    ben.send<Strategy>('POST', strategies, {
      name: 'flexibleRollout',
      title: 'Gradual rollout',
      ...rollout(10),
      segments: segmentIds('eu-merchants'),
      constraints: plans('business', 'enterprise'),
      variants: ['one-tap', 'two-step'].map(name => ({
        name,
        weight: 500,
        weightType: 'variable',
        stickiness: 'default',
      })),
    }),
  );
  const { id: _, ...fields } = gradualStrategy;
  const change = (changes: object) => ({ ...fields, ...changes });
  await steps.runAt(2 * DAY + 3 * HOUR, () => ben.send('POST', `${express}/environments/production/on`));
  await steps.runAt(2 * DAY + 2 * HOUR, () => markFlagsSeen(db));
  await steps.runAt(DAY + 9 * HOUR, () =>
    ben.send('POST', `${buildFeaturePath('payments', 'fraud-score-threshold')}/environments/production/on`),
  );
  await steps.runAt(DAY + 8 * HOUR, () =>
    ben.send('POST', `${express}/link`, {
      url: 'https://tickets.example.com/PAY-2231',
      title: 'PAY-2231 Express checkout',
    }),
  );
  await steps.runAt(DAY + 7 * HOUR, () =>
    ben.send('POST', `${express}/dependencies`, { feature: 'fraud-score-threshold', enabled: true }),
  );
  await steps.runAt(DAY + 6 * HOUR, () =>
    ben.send('PUT', `${strategies}/${gradualStrategy.id}`, change({ ...rollout(25) })),
  );
  for (const value of ['checkout', 'q4'])
    await steps.runAt(DAY + 5 * HOUR, () =>
      dora.send('POST', '/api/admin/features/checkout-express/tags', { type: 'simple', value }),
    );
  await steps.runAt(9 * HOUR, () => ben.send('POST', `${express}/clone`, { name: 'checkout-express-b2b' }));
  await steps.runAt(4 * HOUR, () =>
    ben.send('PUT', `${strategies}/${gradualStrategy.id}`, change({ ...rollout(50) })),
  );
  await steps.runAt(100, () =>
    dora.send(
      'PUT',
      `${strategies}/${gradualStrategy.id}`,
      change({
        ...rollout(50),
        title: 'Gradual rollout in the EU',
        constraints: plans('team', 'business', 'enterprise'),
      }),
    ),
  );
  await steps.runAt(64, () =>
    emil.send('PATCH', buildFeaturePath('payments', 'sepa-instant'), [
      { op: 'replace', path: '/description', value: 'Transfers within ten seconds, also on weekends' },
    ]),
  );
  // The README starts with this flag enabled in development.
  await steps.runAt(63, () =>
    dora.send('POST', `${buildFeaturePath('payments', 'sepa-instant')}/environments/development/on`),
  );
  await steps.runAt(62, () => markFlagsSeen(db));
  await steps.runAt(59, () => ada.send('POST', `${express}/favorites`));
  await steps.runAt(58, () =>
    ada.send('POST', `${buildFeaturePath('search', 'semantic-ranking')}/favorites`),
  );
  await steps.runAt(57, () => ada.send('POST', '/api/admin/projects/payments/favorites'));
  receiver.fail();
  await steps.runAt(34, () =>
    emil.send('POST', `${buildFeaturePath('mobile', 'dark-icons')}/environments/staging/on`),
  );
  await steps.runAt(29, () => ben.send('POST', `${express}/favorites`));
  await steps.runAt(27, () =>
    dora.send('POST', `${buildFeaturePath('payments', 'sepa-instant')}/environments/staging/on`),
  );
  await steps.waitUntilFailed(3);
}

const rollout = (percent: number) => ({
  parameters: { rollout: String(percent), stickiness: 'userId', groupId: 'checkout-express' },
});

const plans = (...values: string[]) => [{ contextName: 'plan', operator: 'IN', values }];
