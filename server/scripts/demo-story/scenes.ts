import type { Db } from '../../src/platform/db/database.ts';
import { ENVIRONMENTS, PROJECTS, pathOf } from './flags.ts';
import type { People } from './people.ts';
import type { Receiver } from './receiver.ts';
import { DAY, HOUR, type Steps } from './steps.ts';
import { seeFlags } from './usage.ts';

const EU = ['AT', 'BE', 'DE', 'ES', 'FR', 'IT', 'NL', 'SE'];

/** The instance is set up: environments, projects, members, context fields, segments. */
export async function createBeginning(steps: Steps, { ada, ben, dora, emil }: People, days: number) {
  const start = days * DAY - 60;
  await steps.at(start, () =>
    ada.send('POST', '/api/admin/environments', { name: 'staging', type: 'preproduction', sortOrder: 150 }),
  );
  const { roles } = await ada.send<{ roles: { id: number; name: string }[] }>('GET', '/api/admin/roles');
  const roleId = (name: string) => roles.find(role => role.name === name)?.id;
  for (const [index, [id, name, description]] of PROJECTS.entries()) {
    const at = start - 10 - index * 20;
    await steps.at(at, () =>
      ada.send('POST', '/api/admin/projects', { id, name, description, environments: [...ENVIRONMENTS] }),
    );
    for (const [member, role] of [
      [ben, 'Owner'],
      [dora, 'Member'],
      [emil, 'Member'],
    ] as const)
      await steps.at(at - 2, () =>
        ada.send('PUT', `/api/admin/projects/${id}/users/${member.id}/roles`, { roles: [roleId(role)] }),
      );
  }
  await steps.at(start - 80, () =>
    ada.send('POST', '/api/admin/context', {
      name: 'plan',
      description: 'The plan of the merchant',
      legalValues: ['free', 'team', 'business', 'enterprise'].map(value => ({ value })),
    }),
  );
  await steps.at(start - 85, () =>
    ada.send('POST', '/api/admin/context', {
      name: 'country',
      description: 'Country of the merchant, two letters',
    }),
  );
  await steps.at(start - 100, () =>
    ben.send('POST', '/api/admin/segments', {
      name: 'eu-merchants',
      description: 'Merchants in the European Union',
      constraints: [{ contextName: 'country', operator: 'IN', values: EU }],
    }),
  );
  await steps.at(start - 110, () =>
    ben.send('POST', '/api/admin/segments', {
      name: 'beta-customers',
      description: 'Customers who joined the beta programme',
      project: 'payments',
      constraints: [{ contextName: 'userId', operator: 'STR_ENDS_WITH', values: ['@beta.example.com'] }],
    }),
  );
}

/** Three days ago: the team connects a deploy bot and a data warehouse. */
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
  await steps.at(3 * DAY, () =>
    ada.send('POST', '/api/admin/addons', {
      ...webhook('Deploy bot', reliableUrl),
      events: ['feature-environment-enabled', 'feature-environment-disabled', 'feature-strategy-update'],
    }),
  );
  await steps.at(3 * DAY - 9, () =>
    ada.send('POST', '/api/admin/addons', {
      ...webhook('Change log to the data warehouse', failingUrl),
      projects: ['payments'],
    }),
  );
  steps.waitForDeliveries();
  await steps.at(3 * DAY - 30, () =>
    ada.send('POST', '/api/admin/api-tokens', {
      tokenName: 'checkout service',
      type: 'backend',
      environment: 'production',
      projects: ['payments'],
    }),
  );
}

type Strategy = { id: string; name: string } & Record<string, unknown>;

/** The last three days: the express checkout is rolled out to half of the EU and cloned for businesses, and the warehouse fails. */
export async function endStory(steps: Steps, { ada, ben, dora, emil }: People, receiver: Receiver, db: Db) {
  const express = pathOf('payments', 'checkout-express');
  const strategies = `${express}/environments/production/strategies`;
  const { segments } = await ben.send<{ segments: { id: number; name: string }[] }>(
    'GET',
    '/api/admin/segments',
  );
  const segmentIds = (wanted: string) => segments.filter(({ name }) => name === wanted).map(({ id }) => id);
  await steps.at(2 * DAY + 5 * HOUR, () =>
    ben.send('POST', strategies, {
      name: 'flexibleRollout',
      title: 'Beta customers',
      ...rollout(100),
      segments: segmentIds('beta-customers'),
    }),
  );
  const gradual = await steps.at(2 * DAY + 4 * HOUR, () =>
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
  const { id: _, ...fields } = gradual;
  const change = (changes: object) => ({ ...fields, ...changes });
  await steps.at(2 * DAY + 3 * HOUR, () => ben.send('POST', `${express}/environments/production/on`));
  await steps.at(2 * DAY + 2 * HOUR, () => seeFlags(db));
  await steps.at(DAY + 9 * HOUR, () =>
    ben.send('POST', `${pathOf('payments', 'fraud-score-threshold')}/environments/production/on`),
  );
  await steps.at(DAY + 8 * HOUR, () =>
    ben.send('POST', `${express}/link`, {
      url: 'https://tickets.example.com/PAY-2231',
      title: 'PAY-2231 Express checkout',
    }),
  );
  await steps.at(DAY + 7 * HOUR, () =>
    ben.send('POST', `${express}/dependencies`, { feature: 'fraud-score-threshold', enabled: true }),
  );
  await steps.at(DAY + 6 * HOUR, () =>
    ben.send('PUT', `${strategies}/${gradual.id}`, change({ ...rollout(25) })),
  );
  for (const value of ['checkout', 'q4'])
    await steps.at(DAY + 5 * HOUR, () =>
      dora.send('POST', '/api/admin/features/checkout-express/tags', { type: 'simple', value }),
    );
  await steps.at(9 * HOUR, () => ben.send('POST', `${express}/clone`, { name: 'checkout-express-b2b' }));
  await steps.at(4 * HOUR, () => ben.send('PUT', `${strategies}/${gradual.id}`, change({ ...rollout(50) })));
  await steps.at(100, () =>
    dora.send(
      'PUT',
      `${strategies}/${gradual.id}`,
      change({
        ...rollout(50),
        title: 'Gradual rollout in the EU',
        constraints: plans('team', 'business', 'enterprise'),
      }),
    ),
  );
  await steps.at(64, () =>
    emil.send('PATCH', pathOf('payments', 'sepa-instant'), [
      { op: 'replace', path: '/description', value: 'Transfers within ten seconds, also on weekends' },
    ]),
  );
  await steps.at(62, () => seeFlags(db));
  await steps.at(59, () => ada.send('POST', `${express}/favorites`));
  await steps.at(58, () => ada.send('POST', `${pathOf('search', 'semantic-ranking')}/favorites`));
  await steps.at(57, () => ada.send('POST', '/api/admin/projects/payments/favorites'));
  receiver.fail();
  await steps.at(34, () => emil.send('POST', `${pathOf('mobile', 'dark-icons')}/environments/staging/on`));
  await steps.at(29, () => ben.send('POST', `${express}/favorites`));
  await steps.at(27, () =>
    dora.send('POST', `${pathOf('payments', 'sepa-instant')}/environments/staging/on`),
  );
  await steps.untilFailed(3);
}

const rollout = (percent: number) => ({
  parameters: { rollout: String(percent), stickiness: 'userId', groupId: 'checkout-express' },
});

const plans = (...values: string[]) => [{ contextName: 'plan', operator: 'IN', values }];
